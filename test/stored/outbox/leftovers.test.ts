import { describe, expect, it, vi } from 'vitest';
import { DatabaseError, type Sql } from '../../../src/database/database.ts';
import type { Candidate, Subscribers } from '../../../src/sessions/subscribers.ts';
import { engines } from '../../support/engines.ts';
import { SALES, SUPPORT } from '../../support/person.ts';
import { MINUTE_MS, openStage, sessionIn } from '../../outbox/stage.ts';

const CLAIM = 'WITH picked AS MATERIALIZED ( SELECT id FROM session_ends';
const claimsEnds = ({ sql: words }: Sql) => words.replaceAll(/\s+/g, ' ').startsWith(CLAIM);

describe.each(engines)('session ends that were left behind, in $engine', ({ newUrl }) => {
  it('don’t wait for sixty others that fail each time', async () => {
    const stage = await openStage({ url: await newUrl() });
    const gone = stage.processOver();
    for (let index = 0; index < 60; index += 1) await gone.tell(`bad-${index}`, { visitorId: 'bad' });
    await gone.tell('good');
    let isBroken = true;
    let tries = 0;
    await stage.start({
      subscribers: {
        candidates: async ({ visitorId }) => {
          if (visitorId === 'bad' && (tries += 1) > 0 && isBroken) throw new TypeError('a mistake');
          return [];
        },
      },
    });
    await stage.pass(2_000);
    expect(stage.asked.map(sessionIn)).toEqual(['good']);
    expect(tries).toBe(60);
    isBroken = false;
    await stage.pass(5 * MINUTE_MS);
    expect(stage.asked).toHaveLength(61);
    expect(tries).toBe(120);
  });

  it('aren’t overtaken by one that arrives while they are read at the start', async () => {
    const stage = await openStage({ url: await newUrl() });
    await stage.processOver().tell('left');
    const { promise: reading, resolve: readOn } = Promise.withResolvers<void>();
    const { database, outbox, tell } = stage.processOver();
    const before = { ...database };
    database.write = async (...statements) => {
      if (statements.some(claimsEnds)) await reading;
      return before.write(...statements);
    };
    await outbox.start();
    await stage.pass(100);
    await tell('new');
    await stage.settle();
    expect(stage.asked).toEqual([]);
    readOn();
    await stage.pass(3_000);
    expect(stage.asked.map(sessionIn)).toEqual(['left', 'new']);
  });

  it('don’t keep what arrives waiting if they can’t be read at first', async () => {
    const stage = await openStage({ url: await newUrl() });
    const { outbox, tell, watched } = stage.processOver();
    watched.fail = (statement) => {
      if (!statement.startsWith(CLAIM)) return;
      watched.fail = () => undefined;
      throw new DatabaseError('unreachable');
    };
    await outbox.start();
    await stage.pass(100);
    await tell('new');
    await stage.pass(3_000);
    expect(stage.asked).toHaveLength(1);
  });

  it('are fanned out once, even one that is still being fanned out when its claim expires', async () => {
    const stage = await openStage({ url: await newUrl(), isShared: true });
    const slow = Promise.withResolvers<readonly Candidate[]>();
    const asked = vi.fn<Subscribers['candidates']>().mockReturnValueOnce(slow.promise).mockResolvedValue([]);
    const { tell } = await stage.start({ subscribers: { candidates: asked } });
    await tell('a');
    await stage.settle();
    await stage.start({ subscribers: { candidates: asked } });
    await stage.pass(MINUTE_MS);
    expect(await stage.deliveries()).toHaveLength(1);
    // Whoever was slow knows of a subscription that is none any more.
    slow.resolve([{ id: '1', channelId: SALES, isCertain: true }]);
    await stage.pass(MINUTE_MS);
    expect(asked).toHaveBeenCalledTimes(2);
    expect(stage.asked.map(({ to }) => to)).toEqual([SUPPORT]);
    expect(await stage.deliveries()).toHaveLength(1);
  });
});

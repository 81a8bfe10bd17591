import { describe, expect, it, vi } from 'vitest';
import { sql } from '../../../src/database/database.ts';
import type { Candidate, Subscribers } from '../../../src/sessions/subscribers.ts';
import { engines } from '../../support/engines.ts';
import { SALES, SUPPORT } from '../../support/person.ts';
import { MINUTE_MS, openStage, sessionIn } from '../../outbox/stage.ts';

describe.each(engines)('session ends that were left behind, in $engine', ({ newUrl }) => {
  it('don’t wait for sixty others that fail each time', async () => {
    const stage = await openStage({ url: await newUrl() });
    const gone = stage.processOver();
    for (let index = 0; index < 60; index += 1) await gone.tell(`bad-${index}`, { visitorId: 'bad' });
    await gone.tell('good');
    let isBroken = true;
    await stage.start({
      subscribers: {
        candidates: async ({ visitorId }) => {
          if (visitorId === 'bad' && isBroken) throw new TypeError('a mistake');
          return [];
        },
      },
    });
    await stage.pass(2_000);
    expect(stage.asked.map(sessionIn)).toEqual(['good']);
    isBroken = false;
    await stage.pass(5 * MINUTE_MS);
    expect(stage.asked).toHaveLength(61);
  });

  it('are fanned out beside one that can’t be read, the oldest first', async () => {
    const stage = await openStage({ url: await newUrl() });
    const gone = stage.processOver();
    for (const id of ['newer', 'a', 'b']) await gone.tell(id);
    await stage.database.write(
      sql`UPDATE session_ends SET payload = '7' WHERE session_id = 'newer'`,
      sql`UPDATE session_ends SET received_at = received_at - 1 WHERE session_id = 'b'`,
    );
    await stage.start();
    await stage.pass(5_000);
    expect(stage.asked.map(sessionIn)).toEqual(['b', 'a']);
    expect(stage.reports).toContain('broken');
  });

  it('are fanned out once, even one that is slow while another process does it', async () => {
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
    slow.resolve([{ id: '1', channelId: SALES }]);
    await stage.pass(MINUTE_MS);
    expect(asked).toHaveBeenCalledTimes(2);
    expect(stage.asked.map(({ to }) => to)).toEqual([SUPPORT]);
    expect(await stage.deliveries()).toHaveLength(1);
  });
});

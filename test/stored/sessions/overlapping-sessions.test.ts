import { describe, expect, it } from 'vitest';
import { AnyRow, sql } from '../../../src/database/database.ts';
import { createIds } from '../../../src/outbox/delivery.ts';
import { createAsks } from '../../../src/team/asks.ts';
import { openStage } from '../../outbox/stage.ts';
import { engines } from '../../support/engines.ts';
import { KIM, SAM } from '../../support/person.ts';
import { alexInSupport } from '../../sessions/ended-session.ts';

const noEntry = () => ({ statement: sql`SELECT 1`, report: () => undefined });
const own = { ...alexInSupport, linkId: 'of-alex' };
const sams = { ...own, userId: SAM, linkId: 'of-sam' };
const kims = { ...own, userId: KIM, linkId: 'of-kim' };
/** Minutes of an hour by the service's clock; ours says twelve. */
const at = (from: number, until: number, hour = 10) => ({
  started_at: new Date(Date.UTC(2026, 2, 1, hour, from)).toISOString(),
  ended_at: new Date(Date.UTC(2026, 2, 1, hour, until)).toISOString(),
});

/** What each session's messages said last, and how often its summary was sent. */
function summariesIn({ asked }: Pick<Awaited<ReturnType<typeof openStage>>, 'asked'>, id: string) {
  const sent = asked.filter(
    ({ text }) => / with Agent of (\w+)/.exec(text)?.[1] === id && text.includes('session ended'),
  );
  return { times: sent.length, last: sent.at(-1)?.text ?? '' };
}
const beside = (id: string) => `At the same time: Session with Agent of ${id}`;

describe.each(engines)('summaries of sessions beside each other, in $engine', ({ newUrl }) => {
  /** Alex watches, Sam is asked from the card and watches, too; Kim watches without being asked. */
  async function watched() {
    const stage = await openStage({ url: await newUrl() });
    const app = await stage.start();
    await app.announce(own);
    await stage.pass(2_000);
    await app.ask(own, SAM);
    for (const link of [sams, kims]) await app.announce(link);
    const asks = createAsks({
      database: stage.database,
      outbox: { newId: createIds(Date.now), wake: () => undefined },
      prepare: noEntry,
      now: Date.now,
    });
    await stage.database.write(...asks.openedStatements({ ...sams, isAsked: true }));
    await stage.pass(5_000);
    return { stage, app };
  }

  it('are linked both where both sessions end at once, and the service’s clock is ahead', async () => {
    const { stage, app } = await watched();
    await Promise.all([app.tell('a', own, at(0, 10, 15)), app.tell('s', sams, at(5, 10, 15))]);
    await stage.pass(60_000);
    expect(summariesIn(stage, 'a').last).toContain(beside('s'));
    expect(summariesIn(stage, 's').last).toContain(beside('a'));
  });

  it('aren’t where the sessions didn’t overlap, or nobody was asked', async () => {
    const { stage, app } = await watched();
    await app.tell('a', own, at(0, 10));
    await app.tell('s', sams, at(11, 15));
    await app.tell('k', kims, at(5, 15));
    await stage.pass(60_000);
    const all = ['a', 's', 'k'].map((id) => summariesIn(stage, id));
    expect(all.map(({ times }) => times)).toEqual([1, 1, 1]);
    expect(all.map(({ last }) => last).join('\n')).not.toContain('At the same time');
  });

  it('say nothing of one that is the same session to the service', async () => {
    const { stage, app } = await watched();
    await app.tell('a', own, at(0, 10));
    await app.tell('a', sams, at(0, 10));
    await stage.pass(60_000);
    expect(summariesIn(stage, 'a').last).not.toContain('At the same time');
    expect(await stage.database.read(sql`SELECT id FROM deliveries WHERE kind = 'update'`, AnyRow)).toEqual(
      [],
    );
  });
});

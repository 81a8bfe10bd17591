import { describe, expect, it, onTestFinished } from 'vitest';
import { sql } from '../../src/database/database.ts';
import { openDatabase } from '../../src/database/open.ts';
import { liftHold } from '../../src/outbox/holds.ts';
import { createRechecks } from '../../src/outbox/rechecks.ts';
import { inSupport, postingStage, words } from '../slack/posting-stage.ts';
import { ALEX } from '../support/person.ts';

/** A summary that may be in Slack twice, to be looked for now. */
const suspectedSince = (time: number) =>
  sql`INSERT INTO deliveries (id, workspace_id, dedupe_key, kind, channel_id, state, due_at, attempts, deaths, is_short,
      attempted_at, accepted_at, settled_at, recheck_at)
    VALUES ('a', ${inSupport.workspaceId}, 'a', 'summary', ${inSupport.to}, 'posted', ${time}, 2, 0, 0, ${time}, ${time},
      ${time}, ${time})`;

describe('a summary that is in Slack twice', () => {
  it('is there once afterwards, and the first of the two stays', async () => {
    const { slack, post, find, unpost } = await postingStage();
    const database = await openDatabase('memory:');
    onTestFinished(() => database.close());
    const reports: string[] = [];
    const recheck = createRechecks({
      database,
      transport: { find, unpost },
      now: Date.now,
      report: (outcome, id) => void reports.push(`${outcome} ${id}`),
    });
    await post(inSupport, words, 'a');
    await post(inSupport, words, 'b');
    await post(inSupport, words, 'a');
    const summaries = () => slack.snapshot(ALEX).messages.filter(({ text }) => text === words.text);
    const [first, second] = summaries();
    await database.write(suspectedSince(Date.now()));
    await recheck(() => false);
    expect(summaries().map(({ ts }) => ts)).toEqual([first?.ts, second?.ts]);
    expect(reports).toEqual(['removed a']);
    await recheck(() => false);
    expect(reports).toHaveLength(1);
  });

  it('is looked for while Slack refuses the token for as long as posts wait, and no longer', async () => {
    const clock = { now: Date.now() };
    const database = await openDatabase('memory:');
    onTestFinished(() => database.close());
    const reports: string[] = [];
    const recheck = createRechecks({
      database,
      transport: {
        find: async () => ({ outcome: 'never', reason: 'token_revoked' }),
        unpost: async () => 'gone',
      },
      now: () => clock.now,
      report: (outcome, id) => void reports.push(`${outcome} ${id}`),
    });
    await database.write(suspectedSince(clock.now));
    const lookAfter = async (hours: number) => {
      clock.now += hours * 60 * 60_000;
      await database.write(liftHold(inSupport.workspaceId));
      await recheck(() => false);
      return reports;
    };
    expect(await lookAfter(1)).toEqual([]);
    expect(await lookAfter(70)).toEqual([]);
    expect(await lookAfter(2)).toEqual(['unknown a']);
    expect(await lookAfter(1)).toEqual(['unknown a']);
  });
});

import { describe, expect, it } from 'vitest';
import { engines } from '../support/engines.ts';
import { alexInSupport } from '../sessions/ended-session.ts';
import { startStage } from './stage.ts';

describe.each(engines)('what a summary costs in $engine', ({ newUrl }) => {
  it('is at most thirteen statements in three commits and one call to Slack, from the webhook to the channel', async () => {
    const stage = await startStage({ url: await newUrl() });
    await stage.pass(1_000);
    stage.watched.statements.length = 0;
    stage.watched.commits = 0;
    await stage.tell('a');
    await stage.settle();
    expect(stage.order()).toHaveLength(1);
    expect((await stage.summaryOf('a'))?.state).toBe('posted');
    expect(stage.watched.statements.slice(13)).toEqual([]);
    expect(stage.watched.commits).toBeLessThanOrEqual(3);
    expect(stage.asked).toHaveLength(1);
  });

  it('is one more of each for the card it replaces, and a delivery for its details', async () => {
    const stage = await startStage({ url: await newUrl() });
    await stage.announce(alexInSupport);
    await stage.pass(2_000);
    stage.watched.statements.length = 0;
    stage.watched.commits = 0;
    await stage.tell('a', { linkId: alexInSupport.linkId });
    await stage.pass(3_000);
    expect(stage.asked).toHaveLength(3);
    expect(stage.watched.commits).toBeLessThanOrEqual(6);
    expect(stage.watched.statements.slice(27)).toEqual([]);
  });

  it('doesn’t grow with subscriptions that don’t want it', async () => {
    const stage = await startStage({ url: await newUrl(), subscribers: { candidates: async () => [] } });
    stage.watched.statements.length = 0;
    await stage.tell('a');
    expect(
      stage.watched.statements.filter((statement) => statement.startsWith('INSERT INTO session_ends')),
    ).toHaveLength(1);
    // Before it only its link's end.
    expect(stage.watched.statements[1]).toContain('INSERT INTO session_ends');
  });
});

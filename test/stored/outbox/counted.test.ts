import { describe, expect, it } from 'vitest';
import { engines } from '../../support/engines.ts';
import { alexInSupport } from '../../sessions/ended-session.ts';
import { startStage } from '../../outbox/stage.ts';

describe.each(engines)('what a summary costs in $engine', ({ newUrl }) => {
  it('is at most 34 statements in eight commits where it replaces a card, with a delivery for its details', async () => {
    const stage = await startStage({ url: await newUrl() });
    await stage.announce(alexInSupport);
    await stage.pass(2_000);
    stage.watched.statements.length = 0;
    stage.watched.commits = 0;
    await stage.tell('a', { linkId: alexInSupport.linkId });
    await stage.pass(3_000);
    expect(stage.asked).toHaveLength(3);
    expect(stage.watched.commits).toBeLessThanOrEqual(8);
    expect(stage.watched.statements.slice(34)).toEqual([]);
  });
});

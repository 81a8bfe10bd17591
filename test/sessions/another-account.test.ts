import { describe, expect, it } from 'vitest';
import { openMissedEndsStage, passMinutes } from './missed-ends-stage.ts';

describe('a link of an account that is no longer in force', () => {
  it.each([
    ['the operator’s', undefined, 'own'],
    ['the workspace’s own', 'own', 'another'],
    ['one that was disconnected', 'own', undefined],
  ])('ends as unknown, without asking the new account about it: %s', async (_whose, before, after) => {
    const stage = await openMissedEndsStage();
    stage.connect(before);
    const link = await stage.issueLink('jane4821');
    // The new account would list a session that seems to be its.
    stage.list({ id: 's1', startMinute: 1, endMinute: 3, linkId: link.linkId });
    stage.connect(after);
    await passMinutes(15);
    expect(stage.lookups).toEqual([]);
    expect(stage.results).toEqual([`${link.linkId} unknown`]);
    expect(stage.shown).toEqual([`${link.linkId} unknown`]);
    expect(await stage.links.lookedFor(link.workspaceId, link.userId)).toEqual([]);
  });

  it('is told apart from a link of the same person by the new account', async () => {
    const stage = await openMissedEndsStage();
    const old = await stage.issueLink('jane4821');
    stage.connect('own');
    const link = await stage.issueLink('john1234');
    stage.list({ id: 's2', visitorId: 'john1234', startMinute: 1, endMinute: 3, linkId: link.linkId });
    await passMinutes(15);
    expect(stage.results).toEqual([`${old.linkId} unknown`, `${link.linkId} recovered`]);
    expect(await stage.links.lookedFor(link.workspaceId, link.userId)).toEqual([]);
  });
});

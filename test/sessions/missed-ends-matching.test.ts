import { describe, expect, it } from 'vitest';
import { openMissedEndsStage, passMinutes } from './missed-ends-stage.ts';
import type { SessionTimes } from './missed-ends-stage.ts';

const KIM = 'U0KIM000003';

/** Links to Jane's screen, issued in these minutes, and what became of the sessions that are listed from then on. */
async function matched(issuedAt: readonly number[], sessions: readonly SessionTimes[]) {
  const stage = await openMissedEndsStage();
  let minute = 0;
  for (const at of issuedAt) {
    await passMinutes(at - minute);
    minute = at;
    await stage.issueLink('jane4821');
  }
  stage.list(...sessions);
  await passMinutes(60);
  return { given: stage.given().toSorted(), shown: stage.shown };
}

describe('a session that doesn’t name its link', () => {
  it.each([
    ['of another visitor', { visitorId: 'liam0042', startMinute: 1, endMinute: 4 }],
    ['from before the link', { startMinute: -4, endMinute: 4 }],
    ['from after the link’s time', { startMinute: 9, endMinute: 9.5 }],
    ['of another link, which it names', { startMinute: 1, endMinute: 4, linkId: 'grant-9' }],
  ])('isn’t used if it is one %s', async (_case, session) => {
    expect((await matched([0], [{ id: 's1', ...session }])).given).toEqual([]);
  });

  it.each([-2, 2])('is found with clocks %d minutes apart', async (apart) => {
    const session = { id: 's1', startMinute: apart, endMinute: apart + 3 };
    expect((await matched([0], [session])).given).toEqual(['s1 to grant-1']);
  });

  it('belongs to one of two links, the nearest', async () => {
    const { given, shown } = await matched([0, 4], [{ id: 's1', startMinute: 4.5, endMinute: 6 }]);
    expect(given).toEqual(['s1 to grant-2']);
    expect(shown).toEqual(['grant-1 unused']);
  });

  it('is one of two, each assigned in order, though the clocks are 2 minutes apart', async () => {
    const sessions = [
      { id: 's2', startMinute: 3.5, endMinute: 5 },
      { id: 's1', startMinute: 2.5, endMinute: 3.5 },
    ];
    expect((await matched([0, 1], sessions)).given).toEqual(['s1 to grant-1', 's2 to grant-2']);
  });

  it('isn’t used for a second link once it belongs to a first', async () => {
    const stage = await openMissedEndsStage();
    const first = await stage.issueLink('jane4821');
    await passMinutes(2);
    await stage.issueLink('jane4821');
    stage.list({ id: 's1', startMinute: 2.5, endMinute: 4 });
    await stage.tell(first, 's1');
    await passMinutes(60);
    expect(stage.given()).toEqual(['s1 to grant-1']);
    expect(stage.shown).toEqual(['grant-2 unused']);
  });

  it('isn’t used for the link of somebody who only joined', async () => {
    const stage = await openMissedEndsStage();
    await stage.issueLink('jane4821');
    await stage.issueLink('jane4821', { userId: KIM, agentId: 'agent_kim' });
    stage.list({ id: 's1', startMinute: 1, endMinute: 4 });
    await passMinutes(60);
    expect(stage.summaries).toHaveLength(1);
    expect(stage.results.map((line) => line.split(' ')[1])).toEqual(['recovered', 'unused']);
  });

  it('is looked for as long as a link may live if the service doesn’t say', async () => {
    const stage = await openMissedEndsStage();
    await stage.issueLink('jane4821', { livesMs: null });
    stage.list({ id: 's1', startMinute: 29, endMinute: 31 });
    await passMinutes(60);
    expect(stage.given()).toEqual(['s1 to grant-1']);
  });

  it.each([-60, 1_000_000])('is found even if the link is said to live for %d minutes', async (minutes) => {
    const stage = await openMissedEndsStage();
    await stage.issueLink('jane4821', { livesMs: minutes * 60_000 });
    stage.list({ id: 's1', startMinute: 1, endMinute: 3 });
    await passMinutes(11);
    expect(stage.given()).toEqual(['s1 to grant-1']);
  });
});

describe('sessions that name their links', () => {
  it('belong to those, however near another link is', async () => {
    const sessions = [
      { id: 's1', startMinute: 4, endMinute: 6, linkId: 'grant-1' },
      { id: 's2', startMinute: 3.5, endMinute: 7, linkId: 'grant-2' },
    ];
    expect((await matched([0, 3], sessions)).given).toEqual(['s1 to grant-1', 's2 to grant-2']);
  });

  it('leave the others to the links without one', async () => {
    const sessions = [
      { id: 's1', startMinute: 1, endMinute: 6, linkId: 'grant-1' },
      { id: 's2', startMinute: 0.5, endMinute: 7 },
    ];
    expect((await matched([0, 1], sessions)).given).toEqual(['s1 to grant-1', 's2 to grant-2']);
  });
});

describe('the agent to look up', () => {
  it('is asked for by the email that found their account', async () => {
    const stage = await openMissedEndsStage({ email: 'alex@acme.com' });
    await stage.issueLink('jane4821');
    stage.list({ id: 's1', startMinute: 1, endMinute: 4 });
    await passMinutes(11);
    expect(stage.lookups.map(({ key }) => key)).toEqual([{ email: 'alex@acme.com' }]);
    expect(stage.given()).toEqual(['s1 to grant-1']);
  });

  it('may be unknown to the service: then there was no session', async () => {
    const stage = await openMissedEndsStage({ knowsNobody: true });
    await stage.issueLink('jane4821');
    await passMinutes(20);
    expect(stage.shown).toEqual(['grant-1 unused']);
  });
});

import { describe, expect, it } from 'vitest';
import { CobrowseError } from '../../src/cobrowse/errors.ts';
import { ALEX, KIM } from '../support/person.ts';
import { HOUR_MS, MINUTE_MS, openPollerStage, openWithSession, passMinutes } from './poller-stage.ts';
import { resultOf } from './link-result.ts';

const DAY = 24 * 60;

describe('a session whose end no webhook reported', () => {
  it('is found ten minutes after its link was issued, and becomes a summary marked as recovered', async () => {
    const stage = await openWithSession();
    const { link } = stage;
    await passMinutes(10.5);
    expect(stage.minutes()).toEqual([10]);
    expect(stage.summaries).toMatchObject([{ link, session: { id: 's1' } }]);
    expect(stage.results).toEqual(['grant-1 recovered']);
    expect(await resultOf(stage.links, link)).toMatchObject({ lengthSeconds: 75 });
  });

  it('is waited for while it runs, at gaps that grow with its age', async () => {
    const stage = await openWithSession({ endMinute: undefined }, { endSource: 'lookup' });
    const { linkId } = stage.link;
    await passMinutes(13);
    expect(stage.minutes()).toEqual([2, 3, 4, 5, 6.25, 7.81, 9.77, 12.21]);
    expect(stage.given()).toEqual([]);
    // Its card says so from the first look-up that saw it, and isn't changed again.
    expect(stage.running[0]).toBe('grant-1 at 2');
    stage.list({ id: 's1', startMinute: 1, endMinute: 14, linkId });
    await passMinutes(10);
    expect(stage.given()).toEqual(['s1 to grant-1']);
  });

  it('doesn’t make its card say that it runs before the customer accepted', async () => {
    const stage = await openPollerStage({ endSource: 'lookup' });
    const { linkId } = await stage.issueLink('jane4821');
    const session = { id: 's1', startMinute: 1, linkId };
    stage.list({ ...session, accepted: false });
    await passMinutes(4);
    expect(stage.running).toEqual([]);
    stage.list({ ...session, accepted: true });
    await passMinutes(1);
    expect(stage.running).toEqual(['grant-1 at 5']);
    stage.list({ ...session, accepted: false, endMinute: 6 });
    await passMinutes(10);
    expect(stage.given()).toEqual(['s1 to grant-1']);
    expect((await stage.links.of('T0ACME00000', ALEX, 1))[0]?.result).toMatchObject({ accepted: false });
  });

  it('is left to the webhook for a minute after its end', async () => {
    const stage = await openWithSession({ endMinute: 9.75 });
    await passMinutes(10.5);
    expect(stage.minutes()).toEqual([10]);
    expect(stage.given()).toEqual([]);
    await passMinutes(1);
    expect(stage.minutes()).toEqual([10, 11]);
    expect(stage.results).toEqual(['grant-1 recovered']);
  });
});

describe('a session that was listed once', () => {
  it('keeps its link from being called unused, even while nothing is listed', async () => {
    const stage = await openPollerStage();
    const { linkId } = await stage.issueLink('jane4821');
    await stage.issueLink('liam0042');
    stage.list({ id: 's1', startMinute: 1, linkId });
    await passMinutes(11);
    stage.list();
    await passMinutes(19);
    expect(stage.shown).toEqual(['grant-2 unused']);
    stage.list({ id: 's1', startMinute: 1, endMinute: 29, linkId });
    await passMinutes(10);
    expect(stage.given()).toEqual(['s1 to grant-1']);
  });
});

describe('a webhook', () => {
  it('that came first makes the look-up unnecessary', async () => {
    const stage = await openWithSession();
    await passMinutes(4);
    expect(await stage.tell(stage.link, 's1')).toBe('accepted');
    await passMinutes(DAY, MINUTE_MS);
    expect(stage.lookups).toEqual([]);
    expect(stage.given()).toEqual(['s1 to grant-1']);
  });

  it('that comes after the link was called unused still makes a summary, and corrects the state', async () => {
    const stage = await openPollerStage();
    const link = await stage.issueLink('jane4821');
    await passMinutes(60);
    expect(stage.results).toEqual(['grant-1 unused']);
    expect(await stage.tell(link, 's1')).toBe('accepted');
    expect(await resultOf(stage.links, link)).toMatchObject({ endedAt: expect.any(Number) });
    const asked = stage.lookups.length;
    await passMinutes(DAY, 60_000);
    expect(stage.lookups).toHaveLength(asked);
  });
});

describe('a link that nobody opened', () => {
  it('is called unused after two answers past its time, and looked for for hours: a service may list a long session only once it has ended', async () => {
    const stage = await openPollerStage();
    const link = await stage.issueLink('jane4821');
    await passMinutes(11);
    expect(stage.shown).toEqual([]);
    await passMinutes(9);
    // The link lives for 5 minutes, and clocks may be 3 apart.
    expect(stage.minutes()).toEqual([10, 12.5, 15.63, 19.53]);
    expect(stage.shown).toEqual(['grant-1 unused']);
    expect(await resultOf(stage.links, link)).toMatchObject({ concluded: 'unused' });
    await passMinutes(100);
    stage.list({ id: 's1', startMinute: 1, endMinute: 119, linkId: link.linkId });
    await passMinutes(120);
    expect(stage.results).toEqual(['grant-1 unused', 'grant-1 recovered']);
    expect(await resultOf(stage.links, link)).toMatchObject({ endedAt: expect.any(Number) });
  });

  it('is no longer looked for after half a day', async () => {
    const stage = await openPollerStage();
    await stage.issueLink('jane4821');
    await passMinutes(13.5 * 60, 60_000);
    const asked = stage.lookups.length;
    await passMinutes(3 * DAY, 300_000);
    expect(stage.lookups).toHaveLength(asked);
    expect(asked).toBeLessThan(25);
    expect(stage.shown).toEqual(['grant-1 unused']);
    expect(await stage.links.lookedFor('T0ACME00000', 'U0ALEX00001')).toEqual([]);
  });
});

describe('an outcome that cannot be known', () => {
  it.each([
    ['for a session that never ends', 'webhook'],
    ['without a look-up if there is no service to ask', 'never'],
  ] as const)('is reported after two days %s', async (_what, endSource) => {
    const stage = await openWithSession({ endMinute: undefined }, { endSource });
    await passMinutes(2 * DAY - 1, 5 * MINUTE_MS);
    expect(stage.shown).toEqual([]);
    await passMinutes(80, MINUTE_MS);
    expect([stage.shown, stage.results]).toEqual([['grant-1 unknown'], ['grant-1 unknown']]);
    expect(await stage.links.lookedFor('T0ACME00000', ALEX)).toEqual([]);
    expect(stage.lookups.length > 0).toBe(endSource === 'webhook');
  });

  it('isn’t reported before one more answer if the app was down for days', async () => {
    const stage = await openWithSession();
    await stage.stop();
    await passMinutes(3 * DAY, HOUR_MS);
    stage.startProcess();
    await passMinutes(1);
    expect(stage.results).toEqual(['grant-1 recovered']);
  });
});

const many = Array.from({ length: 100 }, (_, index) => `visitor-${index}`);

/** The shortest time between two look-ups, in seconds. */
function shortestGap(times: readonly number[]): number {
  const gaps = times.slice(1).map((at, index) => at - (times[index] ?? 0));
  return Math.min(...gaps) / 1_000;
}

describe('how often the service is asked about an agent', () => {
  it('is once for a hundred links, however many there are', async () => {
    const stage = await openPollerStage();
    for (const visitorId of many) await stage.issueLink(visitorId);
    stage.list(
      ...many.map((visitorId, index) => ({ id: `s${index}`, visitorId, startMinute: 1, endMinute: 4 })),
    );
    await passMinutes(60);
    expect(stage.lookups).toHaveLength(1);
    expect(stage.summaries).toHaveLength(100);
    expect(new Set(stage.given()).size).toBe(100);
  });

  it('is once a minute at most in busy hours, in two processes, through restarts and failures', async () => {
    const stage = await openPollerStage({
      endSource: 'lookup',
      answer: (_key, at) =>
        Math.floor(at / HOUR_MS) % 3 === 0 ? new CobrowseError('busy', 'answered 503') : undefined,
    });
    let second = stage.startProcess();
    for (let round = 0; round < 5 * 6; round += 1) {
      await stage.issueLink(`one-${round}`);
      await second.issueLink(`two-${round}`);
      await second.issueLink(`three-${round}`, { userId: KIM, agentId: 'agent_kim' });
      await passMinutes(4);
      await second.stop();
      second = stage.startProcess();
      await passMinutes(6);
    }
    for (const externalId of ['agent_alex', 'agent_kim']) {
      const times = stage.lookups.filter(({ key }) => 'externalId' in key && key.externalId === externalId);
      expect(times.length).toBeGreaterThan(60);
      expect(shortestGap(times.map(({ at }) => at))).toBeGreaterThanOrEqual(60);
    }
  });
});

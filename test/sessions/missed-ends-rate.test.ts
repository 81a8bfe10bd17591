import { describe, expect, it } from 'vitest';
import { CobrowseError } from '../../src/cobrowse/errors.ts';
import { HOUR_MS, openMissedEndsStage, passMinutes } from './missed-ends-stage.ts';

const KIM = 'U0KIM000003';
const many = Array.from({ length: 100 }, (_, index) => `visitor-${index}`);

/** The shortest time between two look-ups, in seconds. */
function shortestGap(times: readonly number[]): number {
  const gaps = times.slice(1).map((at, index) => at - (times[index] ?? 0));
  return Math.min(...gaps) / 1_000;
}

describe('how often the service is asked about an agent', () => {
  it('is once for a hundred links, however many there are', async () => {
    const stage = await openMissedEndsStage();
    for (const visitorId of many) await stage.issueLink(visitorId);
    stage.list(
      ...many.map((visitorId, index) => ({ id: `s${index}`, visitorId, startMinute: 1, endMinute: 4 })),
    );
    await passMinutes(60);
    expect(stage.lookups).toHaveLength(1);
    expect(stage.summaries).toHaveLength(100);
    expect(new Set(stage.given()).size).toBe(100);
  });

  it('is once a minute at most on a busy day, in two processes, with links at all hours', async () => {
    const stage = await openMissedEndsStage({ endSource: 'lookup' });
    const second = stage.startProcess();
    for (let round = 0; round < 24 * 4; round += 1) {
      await stage.issueLink(`one-${round}`);
      await second.issueLink(`two-${round}`);
      await second.issueLink(`three-${round}`, { userId: KIM, agentId: 'agent_kim' });
      await passMinutes(15, 20_000);
    }
    for (const externalId of ['agent_alex', 'agent_kim']) {
      const times = stage.lookups.filter(({ key }) => 'externalId' in key && key.externalId === externalId);
      expect(times.length).toBeGreaterThan(300);
      expect(shortestGap(times.map(({ at }) => at))).toBeGreaterThanOrEqual(60);
    }
  });

  it('is once a minute at most through restarts and failures', async () => {
    const stage = await openMissedEndsStage({
      endSource: 'lookup',
      answer: (_key, at) =>
        Math.floor(at / HOUR_MS) % 3 === 0 ? new CobrowseError('busy', 'answered 503') : undefined,
    });
    let running = stage.startProcess();
    await stage.stop();
    for (let round = 0; round < 8 * 6; round += 1) {
      await running.issueLink(`visitor-${round}`);
      await passMinutes(4, 20_000);
      await running.stop();
      running = stage.startProcess();
      await passMinutes(6, 20_000);
    }
    expect(stage.lookups.length).toBeGreaterThan(50);
    expect(shortestGap(stage.lookups.map(({ at }) => at))).toBeGreaterThanOrEqual(60);
  });
});

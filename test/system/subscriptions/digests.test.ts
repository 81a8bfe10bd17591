import { describe, expect, it, onTestFinished } from 'vitest';
import { startApp } from '../../../src/app.ts';
import { HOUR_MS, isOfDigest, openClock } from '../../subscriptions/digest-clock.ts';
import { keptLog } from '../../support/checked-sandbox.ts';
import { hasPostgres, storeOnPostgres } from '../../support/engines.ts';

describe.runIf(hasPostgres)('two apps on one PostgreSQL database', () => {
  const storeUrl = storeOnPostgres();

  it('send a digest once, and know at once what was set up and who may what in the other one', async () => {
    const stage = await openClock({ storeUrl: storeUrl() });
    const { sandbox, alex, digests, looked, now, pass } = stage;
    const { log, lines } = keptLog();
    const other = await startApp({ ...sandbox.config, port: 0 }, { log, now, schedulerMs: 20, paceMs: 0 });
    onTestFinished(() => other.stop());
    await alex.type('/cobrowse digest #random daily 9');
    sandbox.slack.setRequestUrl(`http://127.0.0.1:${other.port}/slack/events`);
    expect((await alex.type('/cobrowse subscriptions')).text).toContain('daily at 9:00 AM');
    pass(2 * HOUR_MS);
    await expect.poll(() => digests().length).toBe(1);
    const sent = () =>
      [...stage.logLines, ...lines].filter((line) => isOfDigest(line) && line.includes('"posted"'));
    // It's logged once it's written down, which is later than it shows.
    await expect.poll(sent).toHaveLength(1);
    await looked();
    await looked();
    expect(digests()).toHaveLength(1);
    expect(sent()).toHaveLength(1);
    await alex.type('/cobrowse digest #random off');
    sandbox.slack.setRequestUrl(`http://127.0.0.1:${sandbox.app.port}/slack/events`);
    expect((await alex.type('/cobrowse subscriptions')).text).toContain('No channel');
  });
});

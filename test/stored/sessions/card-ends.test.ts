import { describe, expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../../src/database/open.ts';
import { createWatchLinks } from '../../../src/sessions/watch-links.ts';
import { startSandbox } from '../../../sandbox/sandbox.ts';
import { engines } from '../../support/engines.ts';
import { alexInSupport, endedSession } from '../../sessions/ended-session.ts';
import { webhooksOf } from '../../sessions/webhook-stage.ts';
import { resultOf } from '../../sessions/link-result.ts';

const NOON = Date.UTC(2026, 2, 1, 12);
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const iso = (time: number) => new Date(time).toISOString();

describe.each(engines)('the end of a link in $engine', ({ newUrl }) => {
  /** An app on the test's clock, told of sessions of one link, and what is known of that link. */
  async function open() {
    const storeUrl = await newUrl();
    const clock = { time: NOON };
    const now = () => clock.time;
    const sandbox = await startSandbox({ storeUrl, now });
    onTestFinished(() => sandbox.close());
    const database = await openDatabase(storeUrl);
    onTestFinished(() => database.close());
    const webhooks = webhooksOf(sandbox);
    return {
      clock,
      tell: async (id: string, fields: Readonly<Record<string, unknown>>) => {
        const answer = await webhooks.send(endedSession(id, fields), { to: webhooks.address(alexInSupport) });
        expect(answer.status).toBe(200);
      },
      result: () => resultOf(createWatchLinks(database, now), alexInSupport),
    };
  }

  it('stays where it is when its session is reported again an hour later', async () => {
    const { clock, tell, result } = await open();
    const heardAt = NOON + 5 * MINUTE_MS;
    clock.time = heardAt;
    await tell('a', { ended_at: undefined });
    clock.time += HOUR_MS;
    await tell('a', { ended_at: undefined, length_seconds: 9 });
    await tell('a', { ended_at: iso(clock.time) });
    expect(await result()).toEqual({ endedAt: heardAt, lengthSeconds: 75 });
  });

  it('is never after we heard of it, however far ahead the service’s clock is', async () => {
    const { clock, tell, result } = await open();
    clock.time += 5 * MINUTE_MS;
    await tell('a', { ended_at: iso(NOON + 5 * HOUR_MS) });
    expect(await result()).toMatchObject({ endedAt: NOON + 5 * MINUTE_MS });
  });

  it('is that of its latest session, in whichever order they are reported', async () => {
    const { clock, tell, result } = await open();
    clock.time += HOUR_MS;
    await tell('first', { ended_at: iso(NOON + 5 * MINUTE_MS) });
    await tell('third', { ended_at: iso(NOON + 30 * MINUTE_MS), length_seconds: 30 });
    await tell('second', { ended_at: iso(NOON + 15 * MINUTE_MS), length_seconds: 15 });
    await tell('first', { ended_at: iso(NOON + 45 * MINUTE_MS) });
    expect(await result()).toEqual({ endedAt: NOON + 30 * MINUTE_MS, lengthSeconds: 30 });
  });
});

import { describe, expect, it, onTestFinished } from 'vitest';
import { createWatchLinks } from '../../../src/sessions/watch-links.ts';
import { startSandbox } from '../../../sandbox/sandbox.ts';
import { engines, openUntilTestEnds } from '../../support/engines.ts';
import { alexInSupport, endedSession } from '../../sessions/ended-session.ts';
import { webhooksOf } from '../../sessions/webhook-stage.ts';
import { resultOf } from '../../sessions/link-result.ts';

const NOON = Date.UTC(2026, 2, 1, 12);
const MINUTE_MS = 60_000;

const at = (minutes: number) => new Date(NOON + minutes * MINUTE_MS).toISOString();
type Report = readonly [afterMinutes: number, id: string, fields: Readonly<Record<string, unknown>>];

describe.each(engines)('the end of a link in $engine', ({ newUrl }) => {
  it.each<[what: string, reports: readonly Report[], minute: number, lengthSeconds: number]>([
    [
      'stays where it is when its session is reported again an hour later',
      [
        [5, 'a', { ended_at: undefined }],
        [60, 'a', { ended_at: undefined, length_seconds: 9 }],
        [0, 'a', { ended_at: at(65) }],
      ],
      5,
      75,
    ],
    [
      'is never after we heard of it, however far ahead the service’s clock is',
      [[5, 'a', { ended_at: at(5 * 60) }]],
      5,
      75,
    ],
    [
      'is that of its latest session, in whichever order they are reported',
      [
        [60, 'first', { ended_at: at(5) }],
        [0, 'third', { ended_at: at(30), length_seconds: 30 }],
        [0, 'second', { ended_at: at(15), length_seconds: 15 }],
        [0, 'first', { ended_at: at(45) }],
      ],
      30,
      30,
    ],
  ])('%s', async (_what, reports, minute, lengthSeconds) => {
    const storeUrl = await newUrl();
    let time = NOON;
    const now = () => time;
    const sandbox = await startSandbox({ storeUrl, now });
    onTestFinished(() => sandbox.close());
    const webhooks = webhooksOf(sandbox);
    for (const [afterMinutes, id, fields] of reports) {
      time += afterMinutes * MINUTE_MS;
      const to = webhooks.address(alexInSupport);
      expect((await webhooks.send(endedSession(id, fields), { to })).status).toBe(200);
    }
    const links = createWatchLinks(await openUntilTestEnds(storeUrl), now);
    expect(await resultOf(links, alexInSupport)).toEqual({
      endedAt: NOON + minute * MINUTE_MS,
      lengthSeconds,
    });
  });
});

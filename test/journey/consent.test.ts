import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { bannerOf } from '../sandbox/live/banner.ts';
import { hasChromium, useChromium } from '../support/chromium.ts';
import { ALEX, SUPPORT } from '../support/person.ts';
import { agreeIn, shareJourney } from './stage.ts';

describe.skipIf(!hasChromium)('the customer’s answer, in the channel', () => {
  const browser = useChromium();
  const journey = shareJourney(browser, {
    sandbox: { reconcile: { firstMs: 1_000, leastGapMs: 500, mostGapMs: 500, graceMs: 60_000 } },
  });

  /** The channel's last message, card or summary. */
  const last = () =>
    journey()
      .sandbox.slack.snapshot(ALEX)
      .messages.findLast(({ channel, ephemeral, thread_ts: thread }) => {
        return channel === SUPPORT && !ephemeral && thread === undefined;
      })?.text ?? '';

  // Each another customer: within a second, the same press would be a double click.
  async function watch(visitorId: string, name: string): Promise<Page> {
    const { ask, opening } = journey();
    const offer = await ask(`/cobrowse watch ${visitorId}`);
    const view = await opening(() => offer.getByRole('link', { name: /^Watch/ }).click());
    await expect.poll(last).toContain(`Alex Rivera asked to see ${name}’s screen · Full control.`);
    return view;
  }

  it('is a session once they agreed, with tools and an outcome in the end', async () => {
    const view = await watch('jane4821', 'Jane Cooper');
    await agreeIn(view);
    await expect.poll(last).toContain('In session');
    await view.getByRole('button', { name: 'End session' }).click();
    await expect.poll(last).toContain('Co-browsing session ended');
    expect(last()).toContain('Tools: View only');
  });

  async function leave(): Promise<void> {
    const { service } = journey().sandbox;
    await service.endSession(service.sessions()[0]?.id ?? '', 'visitor-gone');
  }

  it.each<[string, string, string, (view: Page) => Promise<void>]>([
    ['said not now', 'lm3', "Liam O'Brien", (view) => bannerOf(view, '.pane iframe').press('Not now')],
    [
      'gave no answer',
      'priya55',
      'Priya Natarajan',
      (view) => view.getByRole('button', { name: 'End session' }).click(),
    ],
    ['left', 'Xq9Z', 'Sofía Martínez', leave],
  ])('is that they didn’t accept, where they %s', async (_what, visitorId, name, end) => {
    await end(await watch(visitorId, name));
    await expect.poll(last).toContain(`${name} didn’t accept`);
    expect(last()).not.toMatch(/Tools|Duration|Stopped/);
  });
});

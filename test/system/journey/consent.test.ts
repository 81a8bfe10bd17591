import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import { bannerOf } from '../../sandbox/live/banner.ts';
import { problemsOn } from '../../support/axe.ts';
import { hasChromium, useChromium } from '../../support/chromium.ts';
import { ALEX, SUPPORT } from '../../support/person.ts';
import { agreeIn, shareJourney } from './stage.ts';

describe.skipIf(!hasChromium)('the customer’s answer, in the channel of a narrow, dark window', () => {
  const journey = shareJourney(useChromium(), {
    colorScheme: 'dark',
    sandbox: { reconcile: { firstMs: 1_000, leastGapMs: 500, mostGapMs: 500, graceMs: 60_000 } },
  });
  const size = { width: 390, height: 844 };

  beforeEach(() => journey().page.setViewportSize(size));

  /** The channel's last message, card or summary. */
  const last = () =>
    journey()
      .sandbox.slack.snapshot(ALEX)
      .messages.findLast(({ channel, ephemeral, thread_ts: thread }) => {
        return channel === SUPPORT && !ephemeral && thread === undefined;
      })?.text ?? '';

  // Each another customer: within a second, the same press would be a double click.
  async function watched(visitorId: string, name: string): Promise<Page> {
    const { ask, watch } = journey();
    const view = await watch(await ask(`/cobrowse watch ${visitorId}`));
    await view.setViewportSize(size);
    await expect.poll(last).toContain(`Alex Rivera asked to see ${name}’s screen · Full control.`);
    return view;
  }

  it('is a session once they agreed, with tools and an outcome in the end', async () => {
    const view = await watched('jane4821', 'Jane Cooper');
    await agreeIn(view);
    await expect.poll(last).toContain('In session');
    expect(await isInSight(view, '#hint')).toBe(true);
    expect(await problemsOn(view)).toEqual([]);
    const end = view.getByRole('button', { name: 'End session' });
    // Two lines of words would be higher.
    expect((await end.boundingBox())?.height).toBeLessThan(45);
    await end.click();
    await expect.poll(last).toContain('Co-browsing session ended');
    expect(last()).toContain('No tools used');
  });

  it('is that they didn’t accept, where they said not now', async () => {
    const view = await watched('lm3', "Liam O'Brien");
    await bannerOf(view, '.pane iframe').press('Not now');
    await expect.poll(last).toContain('Not accepted');
    expect(last()).toContain("Liam O'Brien");
    expect(last()).not.toMatch(/tools|Stopped/i);
    await view.getByRole('heading', { name: 'Session ended' }).waitFor();
    expect(await problemsOn(view)).toEqual([]);
    const { page } = journey();
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  });
});

/** Whether something is in the window as a whole, without scrolling. */
async function isInSight(page: Page, selector: string): Promise<boolean> {
  const { y, height } = (await page.locator(selector).boundingBox()) ?? { y: -1, height: 0 };
  return y >= 0 && y + height <= (page.viewportSize()?.height ?? 0);
}

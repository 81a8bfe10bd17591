import { describe, expect, it } from 'vitest';
import { hasChromium, useChromium } from '../../support/chromium.ts';
import { agreeIn, shareJourney } from './stage.ts';

/** 08:30 in Amsterdam. */
const EARLY = Date.parse('2026-11-20T07:30:00Z');

describe.skipIf(!hasChromium)('subscriptions in the browser', () => {
  let time = EARLY;
  const now = () => time;
  const journey = shareJourney(useChromium(), {
    sandbox: { now, schedulerMs: 50, slack: { now }, service: { now: () => new Date(time) } },
  });

  it('brings a digest with its chart', async () => {
    const { page, ask, watch } = journey();
    await ask('/cobrowse digest daily 09:00');
    const view = await watch(await ask('/cobrowse watch jane4821'));
    await agreeIn(view);
    await view.getByRole('button', { name: 'End session' }).click();
    await view.getByRole('heading', { name: 'Session ended' }).waitFor();
    await view.close();
    await page.getByText('Co-browsing session ended').waitFor();
    time += 60 * 60_000;
    await page.getByRole('heading', { name: 'Daily co-browsing digest' }).waitFor();
    const chart = page.getByRole('img', {
      name: /^Sessions\. .*06:00: 1$/,
    });
    await chart.waitFor();
    await expect
      .poll(() => chart.evaluate((drawn) => drawn.getBoundingClientRect().height))
      .toBeGreaterThan(50);
    // All of it is in sight, though it came after the words.
    const hiddenPx = () =>
      page.locator('.messages').evaluate((list) => list.scrollHeight - list.scrollTop - list.clientHeight);
    await expect.poll(hiddenPx).toBeLessThan(2);
  });
});

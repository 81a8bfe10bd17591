import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hasChromium, useChromium } from '../support/chromium.ts';
import { agreeIn, openJourney } from './stage.ts';
import type { Journey } from './stage.ts';

/** 08:30 in Amsterdam. */
const EARLY = Date.parse('2026-11-20T07:30:00Z');

describe.skipIf(!hasChromium)('subscriptions in the browser', () => {
  const browser = useChromium();
  let journey: Journey;
  let time = EARLY;

  beforeEach(async () => {
    time = EARLY;
    const now = () => time;
    journey = await openJourney(browser(), {
      sandbox: { now, schedulerMs: 50, slack: { now }, service: { now: () => new Date(time) } },
    });
  });
  afterEach(() => journey.close());

  async function watchAndEnd(): Promise<void> {
    const { ask, opening } = journey;
    const offer = await ask('/cobrowse watch jane4821');
    const view = await opening(() => offer.getByRole('link', { name: /^Watch the screen/ }).click());
    await agreeIn(view);
    await view.getByRole('button', { name: 'End session' }).click();
    await view.getByRole('heading', { name: 'Session ended' }).waitFor();
    await view.close();
  }

  it('brings a digest with its picture, whose words say the same', async () => {
    const { page, ask } = journey;
    await ask('/cobrowse digest daily 09:00');
    await watchAndEnd();
    await page.getByText('Co-browsing session ended').waitFor();
    time += 60 * 60_000;
    await page.getByRole('heading', { name: 'Daily co-browsing digest' }).waitFor();
    const picture = page.getByRole('img', {
      name: /^Bar chart of sessions over the day, 8 bars\. .*from 06:00: 1\.$/,
    });
    await picture.waitFor();
    await expect
      .poll(() => picture.evaluate((image) => image.getBoundingClientRect().height))
      .toBeGreaterThan(50);
    // All of it is in sight, though it came after the words.
    const hiddenPx = () =>
      page.locator('.messages').evaluate((list) => list.scrollHeight - list.scrollTop - list.clientHeight);
    await expect.poll(hiddenPx).toBeLessThan(2);
  });
});

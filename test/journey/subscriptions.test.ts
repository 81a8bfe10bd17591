import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hasChromium, useChromium } from '../support/chromium.ts';
import { faintTexts } from './readability.ts';
import { agreeIn, openJourney } from './stage.ts';
import type { Journey } from './stage.ts';

/** 08:30 in Amsterdam. */
const EARLY = Date.parse('2026-11-20T07:30:00Z');

describe.skipIf(!hasChromium).each(['light'] as const)('subscriptions in the browser, %s', (colorScheme) => {
  const browser = useChromium();
  let journey: Journey;
  let time = EARLY;

  beforeEach(async () => {
    time = EARLY;
    const now = () => time;
    journey = await openJourney(browser(), {
      colorScheme,
      sandbox: { now, schedulerMs: 50, slack: { now }, service: { now: () => new Date(time) } },
    });
  });
  afterEach(() => journey.close());

  const goTo = (channel: string) => journey.page.getByRole('link', { name: channel }).first().click();
  const choose = async (menu: string, item: string) => {
    await journey.page.getByRole('button', { name: menu }).click();
    await journey.page.getByRole('menuitem', { name: item }).click();
  };

  /** What the app wrote to Alex. */
  async function inMessages(words: string): Promise<void> {
    await goTo('Co-browse');
    await journey.page.getByRole('tab', { name: 'Messages' }).click();
    await journey.page.getByRole('article').filter({ hasText: words }).waitFor();
  }

  async function watchAndEnd(): Promise<void> {
    const { ask, opening } = journey;
    const offer = await ask('/cobrowse watch jane4821');
    const view = await opening(() => offer.getByRole('link', { name: /^Watch the screen/ }).click());
    await agreeIn(view);
    await view.getByRole('button', { name: 'End session' }).click();
    await view.getByRole('heading', { name: 'Session ended' }).waitFor();
    await view.close();
  }

  it('brings a session into two channels, pauses where one is archived, and goes on', async () => {
    const { page, ask } = journey;
    const answer = await ask('/cobrowse subscribe #random');
    expect(await answer.innerText()).toContain('now gets summaries of all co-browsing sessions');
    await watchAndEnd();
    await page.getByText('Co-browsing session ended').waitFor();
    await goTo('random');
    await page.getByText('set up a subscription for this channel').waitFor();
    await page.getByText('Co-browsing session ended').waitFor();
    await choose('Settings of #random', 'Archive this channel');
    await inMessages('is paused: it’s archived.');
    await goTo('support');
    await page.getByRole('article').filter({ hasText: 'This is subscription 1.' }).waitFor();
    const list = await ask('/cobrowse subscriptions');
    expect(await list.innerText()).toContain('Paused since ');
    await goTo('random');
    await choose('Settings of #random', 'Unarchive this channel');
    await inMessages('works again: subscription 1.');
    expect(await faintTexts(page.getByRole('main'))).toEqual([]);
  });

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

import { describe, expect, it, onTestFinished } from 'vitest';

import { firstCommand } from '../../../sandbox/slack/tour.ts';
import { tabTo } from '../../journey/stage.ts';
import { hasChromium, useChromium } from '../../support/chromium.ts';
import { openStage } from './stage.ts';

describe.skipIf(!hasChromium)('the first steps in the sandbox', () => {
  const browser = useChromium();

  it.each([1280, 380])('cover nothing at %i px, and the newest message stays in view', async (width) => {
    const stage = await openStage(browser(), { tour: true });
    onTestFinished(() => stage.close());
    const { page, slack, channel, composer } = stage;
    await page.setViewportSize({ width, height: 700 });
    await page.reload();
    const coach = page.getByRole('complementary', { name: 'First steps' });
    await coach.getByRole('heading', { name: 'A message arrives' }).waitFor();
    for (const text of Array.from({ length: 20 }, (_, at) => `Message ${at}`))
      await slack.message({ as: 'U0SAM000002', channel, text });
    const newest = page.getByRole('article').last();
    await newest.getByText('Message 19').waitFor();
    const boxOf = async (locator: typeof coach) => {
      const { x = 0, y = 0, width: wide = 0, height = 0 } = (await locator.boundingBox()) ?? {};
      return { left: x, right: x + wide, top: y, bottom: y + height };
    };
    const strip = await boxOf(coach);
    expect(strip.left).toBeGreaterThanOrEqual(0);
    expect(strip.right).toBeLessThanOrEqual(width);
    expect((await boxOf(page.getByRole('log'))).bottom).toBeLessThanOrEqual(strip.top);
    expect((await boxOf(newest)).bottom).toBeLessThanOrEqual(strip.top);
    expect((await boxOf(composer)).top).toBeGreaterThanOrEqual(strip.bottom);
  });

  it('are reached and closed by keyboard, and stay closed in every tab', async () => {
    const stage = await openStage(browser(), { tour: true });
    onTestFinished(() => stage.close());
    const { page, composer } = stage;
    const coach = page.getByRole('complementary', { name: 'First steps' });
    await coach.waitFor();
    await composer.focus();
    await tabTo(page, coach.getByRole('button', { name: 'Close the first steps' }), 'Shift+Tab');
    await page.keyboard.press('Enter');
    await coach.waitFor({ state: 'detached' });
    await page.reload();
    await composer.waitFor();
    expect(await coach.count()).toBe(0);
    await page.goto(`${stage.slack.url}/?as=U0SAM000002`);
    await composer.waitFor();
    expect(await coach.count()).toBe(0);
  });

  it('propose one command, type it and send it, and tell one story', async () => {
    const stage = await openStage(browser(), { tour: true });
    onTestFinished(() => stage.close());
    const { page, composer, requests } = stage;
    const coach = page.getByRole('complementary', { name: 'First steps' });
    await coach.getByRole('button', { name: 'Find her' }).click();
    expect(await composer.inputValue()).toBe(firstCommand);
    await coach.getByRole('button', { name: 'Send it' }).click();
    await expect.poll(() => requests.length).toBe(1);
    expect(await composer.inputValue()).toBe('');
    const told = await page.getByRole('article').allInnerTexts();
    expect(told).toHaveLength(2);
    expect(told.join()).toMatch(/jane@acme\.com.+The code on her page is 4821/su);
  });
});

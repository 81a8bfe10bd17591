import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hasChromium, useChromium } from '../support/chromium.ts';
import { agreeIn, openJourney, tabTo } from './stage.ts';
import type { Journey } from './stage.ts';

describe.skipIf(!hasChromium)('the main job in the browser', () => {
  const browser = useChromium();
  let journey: Journey;

  beforeEach(async () => {
    journey = await openJourney(browser(), { colorScheme: 'dark' });
  });
  afterEach(() => journey.close());

  const summaries = () =>
    journey.page.getByRole('article').filter({ hasText: /Co-browsing session ended|didn’t accept/ });
  const watch = (text: string) =>
    journey.opening(async () => (await journey.ask(text)).getByRole('link', { name: /^Watch/ }).click());
  const running = () => journey.sandbox.service.sessions().filter(({ ended_at: end }) => end === null);

  it('goes from a completed command over Watch to the summary by keyboard alone', async () => {
    const { page, composer, opening, sandbox } = journey;
    await tabTo(page, composer);
    await page.keyboard.type('/cobrowse f');
    await page.keyboard.press('Tab');
    expect(await composer.inputValue()).toBe('/cobrowse find ');
    await page.keyboard.type('jane');
    await page.keyboard.press('Enter');
    await tabTo(page, page.getByRole('link', { name: 'Watch the screen of Jane Cooper' }), 'Shift+Tab');
    const view = await opening(() => page.keyboard.press('Enter'));
    await view.getByRole('heading', { name: 'Jane Cooper' }).waitFor();
    await agreeIn(view);
    await tabTo(view, view.getByRole('button', { name: 'Pointer' }));
    await view.keyboard.press('Enter');
    await view.getByText('Pointer is on').waitFor();
    await tabTo(view, view.getByRole('group', { name: 'Jane Cooper’s page' }));
    await view.keyboard.press('ArrowDown');
    await view.keyboard.press('Enter');
    await view.getByText('Highlighted for Jane').waitFor();
    await tabTo(view, view.getByRole('button', { name: 'End session' }), 'Shift+Tab');
    await view.keyboard.press('Enter');
    await view.getByRole('heading', { name: 'Session ended' }).waitFor();
    await summaries().waitFor();
    expect(await summaries().innerText()).toMatch(
      /Visitor\s+Jane Cooper\s+Agent\s+Alex Rivera\s+Duration\s+\d+ seconds?\s+Tools used\s+pointer/,
    );
    expect(await summaries().innerText()).not.toContain('Only visible to you');
    expect(await page.content()).not.toContain(view.url());
    expect(JSON.stringify(sandbox.slack.calls)).not.toContain(view.url());
  });

  it('lets the tab of an ended session close itself', async () => {
    const view = await watch('/cobrowse watch jane4821');
    await view.getByRole('button', { name: 'End session' }).click();
    const closed = view.waitForEvent('close');
    // The page may be gone before the press is over: that it closes is what is waited for.
    await view.getByRole('button', { name: 'Close this tab' }).focus();
    await view.keyboard.press('Enter').catch(() => undefined);
    await closed;
    expect(view.isClosed()).toBe(true);
  });

  it('ends the session when the tab is closed', async () => {
    const view = await watch('/cobrowse watch jane4821');
    await view.getByText('We asked').waitFor();
    expect(running()).toHaveLength(1);
    await view.close();
    await summaries().waitFor();
    expect(running()).toEqual([]);
  });
});

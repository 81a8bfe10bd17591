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
  const channel = (name: string) => journey.page.getByRole('link', { name, exact: true });
  const watch = (text: string) =>
    journey.opening(async () => (await journey.ask(text)).getByRole('link', { name: /^Watch/ }).click());
  /** The session ends with its tab only once the page is connected. */
  async function watchAndClose(visitorId: string): Promise<void> {
    const view = await watch(`/cobrowse watch ${visitorId}`);
    await view.getByText('We asked').waitFor();
    await view.close();
  }
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

  it('shows the summary to everybody, the list to one person until a reload', async () => {
    const { page, context, sandbox } = journey;
    const list = page.getByText('1 customer matching');
    const view = await watch('/cobrowse tag:checkout');
    await agreeIn(view);
    await view.getByRole('button', { name: 'End session' }).click();
    await summaries().waitFor();
    expect(await list.count()).toBe(1);
    const second = await context.newPage();
    await second.goto(`${sandbox.slack.url}/?as=U0SAM000002`);
    await second.getByText('Co-browsing session ended').waitFor();
    expect(await second.getByText(/Only visible to you|customer matching/).count()).toBe(0);
    await page.reload();
    await summaries().waitFor();
    expect(await list.count()).toBe(0);
  });

  it('asks before it stops, and keeps the session where the answer is no', async () => {
    const { page, ask } = journey;
    const view = await watch('/cobrowse watch jane4821');
    await agreeIn(view);
    const card = await ask('/cobrowse jane@acme.com');
    const stop = card.getByRole('button', { name: 'Stop session with Jane Cooper' });
    const question = page.getByRole('dialog', { name: 'Stop session' });
    await stop.press('Enter');
    // It opens at once, and is filled when the service has answered.
    await question.getByRole('button', { name: 'Stop session' }).waitFor();
    expect(await question.innerText()).toContain('with Jane Cooper for everyone in it');
    await page.keyboard.press('Escape');
    await question.waitFor({ state: 'detached' });
    expect(await stop.evaluate((element) => element.matches(':focus'))).toBe(true);
    expect(running()).toHaveLength(1);
    await stop.press('Enter');
    await question.getByRole('button', { name: 'Stop session' }).press('Enter');
    await page.getByText('The session with Jane Cooper was stopped by @Alex Rivera.').waitFor();
    await view.getByRole('heading', { name: 'Session ended' }).waitFor();
    await view.getByText('Stopped from Slack.').waitFor();
    // In the thread of the card that became the summary, a moment after it.
    await expect.poll(() => summaries().innerText()).toMatch(/Stopped by\s+@Alex Rivera/);
  });

  it('brings the summary of a channel without the app as a direct message that says what to do', async () => {
    const { page, composer } = journey;
    await channel('sales').click();
    await page.getByText('The app is not in this channel').waitFor();
    await watchAndClose('lm3');
    await channel('Co-browse (unread)').click();
    await page.getByRole('tab', { name: 'Messages' }).click();
    await summaries().waitFor();
    expect(await summaries().innerText()).toContain('couldn’t post this summary in #sales');
    expect(await summaries().innerText()).toMatch(/Visitor\s+Liam O'Brien/);
    const advice = /Type (\/invite @[\w-]+) there/.exec(await summaries().innerText())?.[1];
    await summaries().getByRole('link', { name: '#sales' }).click();
    await page.getByRole('heading', { name: 'sales' }).waitFor();
    await composer.fill(advice ?? '');
    await composer.press('Enter');
    await page.getByText('The app is not in this channel').waitFor({ state: 'detached' });
    // It's no answer to the next command.
    await page.getByText('Thanks for adding me').waitFor();
    // Somebody else: within a second, the same press would be a double click.
    await watchAndClose('jane4821');
    await summaries().waitFor();
    expect(await summaries().innerText()).toMatch(/Visitor\s+Jane Cooper/);
  });
});

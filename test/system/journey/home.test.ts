import { describe, expect, it } from 'vitest';
import { problemsOn } from '../../support/axe.ts';
import { hasChromium, useChromium } from '../../support/chromium.ts';
import { agreeIn, shareJourney } from './stage.ts';

describe.skipIf(!hasChromium)('the Home tab in the browser', () => {
  const journey = shareJourney(useChromium(), { colorScheme: 'dark' });

  it('leads by Watch to the screen, by the menu below to a modal, and by Refresh to what became of the link', async () => {
    const { page, opening, modal, sandbox } = journey();
    const home = page.getByRole('tabpanel');
    await page.getByRole('link', { name: 'Co-browse' }).click();
    await home.getByText('Jane Cooper').first().waitFor();
    // The one of three hours ago was yesterday where it's early.
    const ended = home.getByText(/Jane Cooper · .+ · ended/);
    const before = await ended.count();
    const view = await opening(() =>
      home.getByRole('link', { name: 'Watch the screen of Jane Cooper' }).click(),
    );
    await agreeIn(view);
    await view.getByRole('button', { name: 'End session' }).click();
    await home
      .getByRole('combobox', { name: 'More about …' })
      .selectOption({ label: 'Jane Cooper, jane@acme.com (online)' });
    await modal('Co-browse').getByText('Lookup code: 4821').waitFor();
    await page.keyboard.press('Escape');
    // The summary goes to the agent: there is no channel.
    const posted = () => JSON.stringify(sandbox.slack.calls).includes('Co-browsing session ended');
    await expect.poll(posted).toBe(true);
    await home.getByRole('button', { name: 'Refresh this tab' }).click();
    await ended.nth(before).waitFor();

    await page.emulateMedia({ colorScheme: 'light' });
    const chart = home.getByRole('img', { name: /^Sessions started from Slack\. / });
    await chart.scrollIntoViewIfNeeded();
    await expect.poll(() => chart.locator('rect').count()).toBe(14);
    expect(await problemsOn(page)).toEqual([]);
    const headings = await home.getByRole('heading').allInnerTexts();
    expect(headings).toEqual([
      'Co-browsing',
      'Waiting, asked or in session',
      'Online now',
      'My day',
      'Sessions started from Slack',
      'Account usage',
      'You',
    ]);
  });
});

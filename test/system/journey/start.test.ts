import { describe, expect, it } from 'vitest';
import { problemsOn } from '../../support/axe.ts';
import { hasChromium, useChromium } from '../../support/chromium.ts';
import { agreeIn, shareJourney, tabTo } from './stage.ts';

describe.skipIf(!hasChromium)('a form in the browser, in dark colors', () => {
  const journey = shareJourney(useChromium(), { colorScheme: 'dark' });

  it('goes from the shortcut over the search while typing to a view-only Watch, by keyboard alone', async () => {
    const { page, composer, opening, modal, article } = journey();
    await tabTo(page, composer);
    await tabTo(page, page.getByRole('button', { name: /shortcut/i }).first(), 'Shift+Tab');
    await page.keyboard.press('Enter');
    // The focus moves a moment after the menu is open; until then, keys go to the button.
    const search = page.getByRole('combobox', { name: 'Search shortcuts' });
    await expect.poll(() => search.evaluate((element) => element.matches(':focus'))).toBe(true);
    await page.keyboard.type('start');
    await page.getByText('Start co-browsing').waitFor();
    await page.keyboard.press('Enter');
    const form = modal('Start co-browsing');
    await tabTo(page, form.getByRole('combobox', { name: 'Customer' }));
    await page.keyboard.type('jane c');
    await page.getByRole('option', { name: 'Jane Cooper, jane@acme.com (online)' }).waitFor();
    await page.keyboard.press('Enter');
    expect(await problemsOn(page)).toEqual([]);
    await tabTo(page, form.getByRole('radio', { name: 'Full control' }));
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    await tabTo(page, form.getByRole('combobox', { name: /^Post the summary in/ }));
    await page.keyboard.type('#su');
    await tabTo(page, form.getByRole('button', { name: 'Continue' }));
    await page.keyboard.press('Enter');
    await form.getByText('Access: view only').waitFor();
    expect(await form.innerText()).toContain('The summary goes to #support.');
    await tabTo(page, form.getByRole('link', { name: 'Watch the screen of Jane Cooper' }));
    const view = await opening(() => page.keyboard.press('Enter'));
    await article('Jane Cooper’s screen · ').getByText('View only').waitFor();
    await agreeIn(view);
    await view.getByRole('button', { name: 'End session' }).press('Enter');
    await article('Co-browsing session ended').filter({ hasText: 'Jane Cooper' }).waitFor();
  });
});

import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { hasChromium, useChromium } from '../support/chromium.ts';
import { faintTexts } from './readability.ts';
import { agreeIn, shareJourney, tabTo } from './stage.ts';

const Body = z.object({ initial_notes: z.string().optional() });

describe.skipIf(!hasChromium)('forms in the browser, in dark colors', () => {
  const browser = useChromium();
  const journey = shareJourney(browser, { colorScheme: 'dark' });

  const modal = (name: string) => journey().page.getByRole('dialog', { name });
  const article = (words: string) => journey().page.getByRole('article').filter({ hasText: words });

  it('goes from the shortcut over the search while typing to a view-only Watch, by keyboard alone', async () => {
    const { page, composer, opening } = journey();
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
    expect(await faintTexts(form)).toEqual([]);
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

  it('does not go on without a customer, and says so', async () => {
    const { page } = journey();
    await page
      .getByRole('button', { name: /shortcut/i })
      .first()
      .click();
    await page.getByRole('combobox', { name: 'Search shortcuts' }).fill('start');
    await page.keyboard.press('Enter');
    const form = modal('Start co-browsing');
    await form.getByRole('button', { name: 'Continue' }).click();
    await form.getByText('Please complete this required field.').waitFor();
    expect(await form.getByRole('link').count()).toBe(0);
  });

  // A customer each: two presses for the same one may be so close that they are one double click, which opens nothing.
  it.each([
    { checked: true, name: 'Sofía Martínez', id: 'Xq9Z' },
    { checked: false, name: '田中 雪', id: 'yuki0000tanaka000' },
  ])(
    'begins the notes with the message where the box is checked: $checked',
    async ({ checked, name, id }) => {
      const { page, opening, sandbox } = journey();
      await article('lookup code 9034').getByRole('button', { name: 'More actions' }).last().press('Enter');
      await page.getByRole('menuitem', { name: 'Find visitor' }).press('Enter');
      const form = modal('Find visitor');
      await form.getByRole('textbox').fill(id);
      const box = form.getByRole('checkbox', {
        name: 'Link this message in the session notes',
      });
      await tabTo(page, box);
      if (!checked) await page.keyboard.press('Space');
      expect(await box.isChecked()).toBe(checked);
      await form.getByRole('button', { name: 'Continue' }).press('Enter');
      await opening(() => form.getByRole('link', { name: `Watch the screen of ${name}` }).click());
      // The tab may have loaded the page that waits for the press, so the service may be asked later.
      const asked = () => sandbox.service.requests.find(({ path }) => path.endsWith(`/${id}/watch_url`));
      await expect.poll(asked).toBeDefined();
      const { initial_notes: notes } = Body.parse(asked()?.body);
      expect(notes?.startsWith(`${sandbox.slack.url}/archives/C0SUPPORT01/p`)).toBe(checked || undefined);
    },
  );
});

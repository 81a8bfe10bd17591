import { describe, expect, it } from 'vitest';
import { problemsOn } from '../../support/axe.ts';
import { hasChromium, useChromium } from '../../support/chromium.ts';
import { agreeIn, shareJourney, tabTo } from './stage.ts';

describe.skipIf(!hasChromium)('the main job in the browser, by keyboard alone, in dark colors', () => {
  const journey = shareJourney(useChromium(), { colorScheme: 'dark' });

  it('goes from a completed command over Watch to the summary', async () => {
    const { page, composer, opening, sandbox, article } = journey();
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
    const summary = article('Co-browsing session ended');
    await summary.waitFor();
    expect(await summary.innerText()).toMatch(
      /Jane Cooper with Alex Rivera · \d+ s\s+Co-browsing session ended[^]*Tools used\s+pointer/,
    );
    expect(await summary.innerText()).not.toContain('Only visible to you');
    expect(await page.content()).not.toContain(view.url());
    expect(JSON.stringify(sandbox.slack.calls)).not.toContain(view.url());
  });

  it('goes from the shortcut over the search while typing to a view-only Watch, in a narrow tab', async () => {
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
    await page.keyboard.type('priya');
    await page.getByRole('option', { name: /^Priya Natarajan/ }).waitFor();
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
    await tabTo(page, form.getByRole('link', { name: 'Watch the screen of Priya Natarajan' }));
    const view = await opening(() => page.keyboard.press('Enter'));
    await article('Priya Natarajan’s screen · ').getByText('View only').waitFor();
    await view.setViewportSize({ width: 390, height: 844 });
    await agreeIn(view);
    expect(await problemsOn(view)).toEqual([]);
    const { y, height } = (await view.locator('#hint').boundingBox()) ?? { y: -1, height: 0 };
    expect(y).toBeGreaterThanOrEqual(0);
    expect(y + height).toBeLessThanOrEqual(844);
    const end = view.getByRole('button', { name: 'End session' });
    // Two lines of words would be higher.
    expect((await end.boundingBox())?.height).toBeLessThan(45);
    await end.press('Enter');
    await article('Co-browsing session ended').filter({ hasText: 'Priya Natarajan' }).waitFor();
  });
});

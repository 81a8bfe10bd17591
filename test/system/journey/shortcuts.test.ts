import { describe, expect, it } from 'vitest';
import { hasChromium, useChromium } from '../../support/chromium.ts';
import { shareJourney, tabTo } from './stage.ts';

describe.skipIf(!hasChromium)('message shortcuts in the browser', () => {
  const journey = shareJourney(useChromium());

  /** The menu button of a message itself, not of a reply in its thread. */
  const more = (words: string) =>
    journey().article(words).getByRole('button', { name: 'More actions' }).last();
  it('leads from a message over the visitor it names and Watch to a summary in its thread, by keyboard alone', async () => {
    const { page, opening, modal, article } = journey();
    await tabTo(page, more('stuck at checkout'));
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Find visitor' }).waitFor();
    await page.keyboard.press('Enter');
    await modal('Find visitor').getByText('Lookup code: 4821').waitFor();
    await tabTo(page, modal('Find visitor').getByRole('link', { name: 'Watch the screen of Jane Cooper' }));
    const view = await opening(() => page.keyboard.press('Enter'));
    await view.getByRole('button', { name: 'End session' }).press('Enter');
    await page.keyboard.press('Escape');
    await modal('Find visitor').waitFor({ state: 'detached' });
    expect(await more('stuck at checkout').evaluate((element) => element.matches(':focus'))).toBe(true);
    const thread = article('stuck at checkout').getByRole('region', { name: 'Thread' });
    await thread.getByText('asked to see the screen').waitFor();
    expect(await thread.innerText()).toMatch(/^1 reply[^]*Jane Cooper/);
  });

  it('keeps the form open and says what is missing where nothing is filled in', async () => {
    const { page, modal } = journey();
    await more('I can take the call').press('Enter');
    await page.getByRole('menuitem', { name: 'Find visitor' }).press('Enter');
    const search = modal('Find visitor').getByRole('textbox', { name: 'Search for' });
    await search.press('Enter');
    await modal('Find visitor').getByText('Please complete this required field.').waitFor();
    expect(await search.getAttribute('aria-invalid')).toBe('true');
  });
});

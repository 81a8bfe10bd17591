import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hasChromium, useChromium } from '../support/chromium.ts';
import { ADA } from '../home/at-home.ts';
import { faintTexts } from './readability.ts';
import { openJourney } from './stage.ts';
import type { Journey } from './stage.ts';

describe.skipIf(!hasChromium)('the Home tab in the browser', () => {
  const browser = useChromium();
  let journey: Journey;

  beforeEach(async () => {
    journey = await openJourney(browser());
  });
  afterEach(() => journey.close());

  const home = () => journey.page.getByRole('tabpanel');
  const modal = (name: string) => journey.page.getByRole('dialog', { name });
  /** Opens the app's Home and waits until it is filled. */
  const openHome = async (userId?: string) => {
    const { page, sandbox } = journey;
    if (userId !== undefined) await page.goto(`${sandbox.slack.url}/?as=${userId}`);
    await page.getByRole('link', { name: 'Co-browse' }).click();
    await home().getByText('Jane Cooper').waitFor();
  };

  it('shows who is online and usage with its picture, readable', async () => {
    await openHome();
    const picture = home().getByRole('img', { name: /^Bar chart of the last 24 hours/ });
    await picture.scrollIntoViewIfNeeded();
    await expect.poll(() => picture.evaluate((image) => image.naturalWidth)).toBe(960);
    expect(await faintTexts(home())).toEqual([]);
    const headings = await home().getByRole('heading').allInnerTexts();
    expect(headings).toEqual([
      'Co-browsing',
      'You',
      'Online now',
      'Your sessions today',
      'Links you were given',
      'Usage of the account',
    ]);
  });

  it('leads by Watch to the screen, by Details to a modal, and by Refresh to what became of the link', async () => {
    const { page, opening } = journey;
    await openHome();
    const view = await opening(() =>
      home().getByRole('link', { name: 'Watch the screen of Jane Cooper' }).click(),
    );
    await view.getByRole('button', { name: 'End session' }).click();
    await home().getByRole('button', { name: 'Details of Jane Cooper' }).press('Enter');
    await modal('Co-browse').getByText('Lookup code: 4821').waitFor();
    await page.keyboard.press('Escape');
    // The summary goes to the agent: there is no channel.
    const posted = () => JSON.stringify(journey.sandbox.slack.calls).includes('Co-browsing session ended');
    await expect.poll(posted, { timeout: 5_000 }).toBe(true);
    await home().getByRole('button', { name: 'Refresh this tab' }).click();
    await home()
      .getByText(/Jane Cooper, .+, full control: ended /)
      .waitFor();
  });

  it('lets an admin set the least power, beside the field what is wrong, and afterwards what it is now', async () => {
    await openHome(ADA);
    await home().getByRole('button', { name: 'Edit the settings of this workspace' }).press('Enter');
    const form = modal('Settings');
    await form.getByLabel('No link grants more than').selectOption('view only');
    await form.getByLabel('Watch grants', { exact: true }).selectOption('point and scroll');
    await form.getByRole('checkbox', { name: 'Sam Lee' }).check();
    await form.getByLabel('User groups who may delete visitors').fill('S0LEADS0001');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('This is more than the limit above: view only.').waitFor();
    await form.getByLabel('Watch grants', { exact: true }).selectOption('view only');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('The settings are saved.').waitFor();
    expect(await faintTexts(form)).toEqual([]);
    await journey.page.keyboard.press('Escape');
    await home().getByText('No link grants more than: view only').waitFor();
    expect(await home().innerText()).toContain('admins, @Sam Lee, @support-leads');
    expect(await home().getByRole('button', { name: 'More options' }).count()).toBe(0);
  });
});

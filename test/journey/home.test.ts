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
    await expect.poll(posted).toBe(true);
    await home().getByRole('button', { name: 'Refresh this tab' }).click();
    await home()
      .getByText(/Jane Cooper, .+, full control: ended /)
      .waitFor();
  });

  it('lets an admin set the least power, beside the field what is wrong, and afterwards what it is now', async () => {
    await openHome(ADA);
    await home().getByRole('button', { name: 'Edit settings of this workspace' }).press('Enter');
    const form = modal('Settings');
    await form.getByLabel('No link grants more than').selectOption('view only');
    await form.getByLabel('Watch grants', { exact: true }).selectOption('point and scroll');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('This is more than the limit above: view only.').waitFor();
    await form.getByLabel('Watch grants', { exact: true }).selectOption('view only');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('The settings are saved.').waitFor();
    expect(await faintTexts(form)).toEqual([]);
    await journey.page.keyboard.press('Escape');
    await home().getByText('No link grants more than: view only').waitFor();
    expect(await home().getByRole('button', { name: 'More options' }).count()).toBe(0);
  });

  it('lets an admin say who may watch, and shows a member who may not who is online, without Watch', async () => {
    const { page } = journey;
    await openHome(ADA);
    await home().getByRole('button', { name: 'Change: Who may watch' }).press('Enter');
    const form = modal('Who may watch');
    await form.getByRole('radio', { name: 'Only admins and those named here' }).check();
    await form.getByRole('checkbox', { name: 'Sam Lee' }).check();
    await form.getByRole('checkbox', { name: '#sales' }).check();
    await form.getByRole('checkbox', { name: '@support-leads (Support leads)' }).check();
    expect(await faintTexts(form)).toEqual([]);
    await form.getByRole('button', { name: 'Save' }).click();
    await modal('Settings').getByText('Saved. It counts at once').waitFor();
    await page.keyboard.press('Escape');
    await home()
      .getByText('Who may watch: admins, @Sam Lee, @support-leads, the members of #sales')
      .waitFor();
    await home().getByRole('button', { name: 'Change: Who may watch' }).press('Enter');
    await form.getByRole('checkbox', { name: '#sales' }).uncheck();
    await form.getByRole('button', { name: 'Save' }).click();
    await modal('Settings').getByText('Saved. It counts at once').waitFor();
    await openHome('U0KIM000003');
    await home().getByText('There is no Watch button for you').waitFor();
    expect(
      await home()
        .getByRole('link', { name: /^Watch/ })
        .count(),
    ).toBe(0);
    expect(await faintTexts(home())).toEqual([]);
  });
});

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hasChromium, useChromium } from '../support/chromium.ts';
import { ADA } from '../home/at-home.ts';
import { faintTexts } from './readability.ts';
import { agreeIn, openJourney } from './stage.ts';
import type { Journey } from './stage.ts';

describe.skipIf(!hasChromium)('the Home tab in the browser', () => {
  const browser = useChromium();
  let journey: Journey;

  beforeEach(async () => {
    journey = await openJourney(browser(), { colorScheme: 'dark' });
  });
  afterEach(() => journey.close());

  const home = () => journey.page.getByRole('tabpanel');
  const modal = (name: string) => journey.page.getByRole('dialog', { name });
  /** Opens a form of the settings. */
  const change = async (what: string) => {
    await home().getByRole('button', { name: 'Settings of this workspace, for admins' }).press('Enter');
    await modal('Settings')
      .getByRole('button', { name: `Change: ${what}` })
      .press('Enter');
  };
  /** Opens the app's Home and waits until it is filled. */
  const openHome = async (userId?: string) => {
    const { page, sandbox } = journey;
    if (userId !== undefined) await page.goto(`${sandbox.slack.url}/?as=${userId}`);
    await page.getByRole('link', { name: 'Co-browse' }).click();
    await home().getByText('Jane Cooper').first().waitFor();
  };

  it.each(['light', 'dark'] as const)(
    'shows who waits, the day and two weeks in a picture, readable on %s',
    async (colorScheme) => {
      const { page, ask, opening } = journey;
      await page.emulateMedia({ colorScheme });
      const list = await ask('/cobrowse find jane@acme.com');
      await opening(() =>
        list
          .getByRole('link', { name: /^Watch/ })
          .first()
          .click(),
      );
      await openHome();
      const picture = home().getByRole('img', { name: /^Bar chart of sessions started from Slack/ });
      await picture.scrollIntoViewIfNeeded();
      await expect.poll(() => picture.evaluate((image) => image.naturalWidth)).toBe(1_692);
      expect(await faintTexts(home())).toEqual([]);
      const headings = await home().getByRole('heading').allInnerTexts();
      expect(headings).toEqual([
        'Co-browsing',
        'Waiting or in session',
        'Online now',
        'My day',
        'Sessions started from Slack',
        'Account usage',
        'You',
      ]);
    },
  );

  it('finds a customer by Enter, and starts from the button', async () => {
    const { page } = journey;
    await openHome();
    await home()
      .getByRole('textbox', { name: /^Find a customer/ })
      .fill('jane@acme.com');
    await page.keyboard.press('Enter');
    await modal('Customers').getByRole('link', { name: 'Watch the screen of Jane Cooper' }).waitFor();
    expect(await faintTexts(modal('Customers'))).toEqual([]);
    await page.keyboard.press('Escape');
    await home().getByRole('button', { name: 'Start co-browsing with a customer' }).click();
    await modal('Start co-browsing').getByText('Type part of the name').waitFor();
    await page.keyboard.press('Escape');
  });

  it('greets a person once, with what to try next', async () => {
    const { page, sandbox } = journey;
    const greetings = () =>
      sandbox.slack
        .snapshot('U0ALEX00001')
        .messages.filter(({ text }) => text.includes('Try it on yourself'));
    await openHome();
    await expect.poll(() => greetings().length).toBe(1);
    await page.getByRole('tab', { name: 'Messages' }).click();
    await page.getByText('open your own site in another tab').waitFor();
    await page.getByRole('tab', { name: 'Home' }).click();
    await home().getByRole('button', { name: 'Refresh this tab' }).waitFor();
    expect(greetings()).toHaveLength(1);
    await page.getByRole('tab', { name: 'Messages' }).click();
    await page.getByRole('button', { name: 'Start co-browsing with a customer' }).click();
    await modal('Start co-browsing').getByText('Type part of the name').waitFor();
  });

  it('leads by Watch to the screen, by the menu below to a modal, and by Refresh to what became of the link', async () => {
    const { page, opening } = journey;
    await openHome();
    // The one of three hours ago was yesterday where it's early.
    const ended = home().getByText(/Jane Cooper · .+ · ended/);
    const before = await ended.count();
    const view = await opening(() =>
      home().getByRole('link', { name: 'Watch the screen of Jane Cooper' }).click(),
    );
    await agreeIn(view);
    await view.getByRole('button', { name: 'End session' }).click();
    await home()
      .getByRole('combobox', { name: 'More about …' })
      .selectOption({ label: 'Jane Cooper, jane@acme.com (online)' });
    await modal('Co-browse').getByText('Lookup code: 4821').waitFor();
    await page.keyboard.press('Escape');
    // The summary goes to the agent: there is no channel.
    const posted = () => JSON.stringify(journey.sandbox.slack.calls).includes('Co-browsing session ended');
    await expect.poll(posted).toBe(true);
    await home().getByRole('button', { name: 'Refresh this tab' }).click();
    await ended.nth(before).waitFor();
  });

  it('lets an admin set the least access, beside the field what is wrong, and afterwards what it is now', async () => {
    await openHome(ADA);
    await change('Access');
    const form = modal('Access');
    await form.getByLabel('Maximum access').selectOption('View only');
    await form.getByLabel('Default access', { exact: true }).selectOption('Point and scroll');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('This is more than the maximum above: view only.').waitFor();
    await form.getByLabel('Default access', { exact: true }).selectOption('View only');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.waitFor({ state: 'detached' });
    await home().getByText('Maximum access: view only').waitFor();
    expect(await home().getByRole('button', { name: 'More options' }).count()).toBe(0);
  });

  it('lets an admin say who may watch, and shows a member who may not who is online, without Watch', async () => {
    await openHome(ADA);
    await change('Who can watch');
    const form = modal('Who can watch');
    await form.getByRole('radio', { name: 'Only admins and those added below' }).check();
    await form.getByRole('checkbox', { name: 'Sam Lee' }).check();
    await form.getByRole('checkbox', { name: '#sales' }).check();
    await form.getByRole('checkbox', { name: '@support-leads (Support leads)' }).check();
    expect(await faintTexts(form)).toEqual([]);
    await form.getByRole('button', { name: 'Save' }).click();
    await form.waitFor({ state: 'detached' });
    await home()
      .getByText('Who can watch: admins, @Sam Lee, @support-leads, the members of #sales')
      .waitFor();
    await change('Who can watch');
    await form.getByRole('checkbox', { name: '#sales' }).uncheck();
    await form.getByRole('button', { name: 'Save' }).click();
    await form.waitFor({ state: 'detached' });
    await openHome('U0KIM000003');
    await home().getByText('You don’t have permission to watch').waitFor();
    expect(
      await home()
        .getByRole('link', { name: /^Watch/ })
        .count(),
    ).toBe(0);
    expect(await faintTexts(home())).toEqual([]);
  });
});

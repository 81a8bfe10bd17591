import { describe, expect, it } from 'vitest';
import { problemsOn } from '../../support/axe.ts';
import { hasChromium, useChromium } from '../../support/chromium.ts';
import { shareJourney } from './stage.ts';

describe.skipIf(!hasChromium)('webhooks in the browser', () => {
  const journey = shareJourney(useChromium());

  it('are added by an admin, who copies the secret and sends a test', async () => {
    const { page, sandbox, modal } = journey();
    await page.getByRole('button', { name: /^You are/ }).click();
    await page.getByRole('menuitem', { name: /Ada/ }).click();
    await page.getByRole('link', { name: 'Co-browse' }).click();
    const home = page.getByRole('tabpanel');
    await home.getByRole('button', { name: 'Webhooks of this workspace, for admins' }).click();
    const menu = modal('Webhooks');
    await menu.getByRole('button', { name: 'Add an address for webhooks' }).click();
    const form = modal('Add a webhook');
    await form.getByRole('textbox', { name: /^Address/ }).fill(sandbox.receiver.address);
    await form.getByRole('checkbox', { name: 'Outcome changed' }).uncheck();
    await form.getByRole('checkbox', { name: 'Send the customer’s name' }).check();
    expect(await problemsOn(page)).toEqual([]);
    await form.getByRole('button', { name: 'Add', exact: true }).click();
    const secret = await page
      .getByRole('dialog')
      .getByText(/^whsec_/)
      .innerText();
    sandbox.receiver.trust(secret);
    await page.keyboard.press('Escape');
    await home.getByRole('button', { name: 'Webhooks of this workspace, for admins' }).click();
    await menu.getByText('Watch link opened, Session ended').waitFor();
    await menu.getByRole('button', { name: /^Send a test/ }).click();
    await modal('Send a test').getByText('Thank you.').waitFor();
    expect(await problemsOn(page)).toEqual([]);
    expect(sandbox.receiver.arrived()).toMatchObject([{ isVerified: true }]);
  });
});

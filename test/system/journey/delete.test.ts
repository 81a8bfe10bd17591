import { beforeEach, describe, expect, it } from 'vitest';
import { problemsOn } from '../../support/axe.ts';
import { hasChromium, useChromium } from '../../support/chromium.ts';
import { shareJourney, tabTo } from './stage.ts';

describe.skipIf(!hasChromium)('deleting in the browser, in dark colors', () => {
  const journey = shareJourney(useChromium(), { colorScheme: 'dark' });

  let before = 0;
  beforeEach(async () => {
    const { page, sandbox, composer } = journey();
    before = sandbox.service.requests.length;
    await page.goto(`${sandbox.slack.url}/?as=U0ADA000005`);
    await composer.waitFor();
  });

  const deletions = () =>
    journey()
      .sandbox.service.requests.slice(before)
      .filter(({ method }) => method === 'DELETE');

  it('asks Ada before one visitor goes, and keeps it where she says so', async () => {
    const { page, ask, modal } = journey();
    const question = await ask('/cobrowse delete janepark');
    const press = question.getByRole('button', { name: 'Delete customer Jane Park' });
    await press.press('Enter');
    expect(await modal('Delete this customer?').innerText()).toContain('permanently deleted');
    await modal('Delete this customer?').getByRole('button', { name: 'Keep' }).press('Enter');
    expect(deletions()).toEqual([]);
    await press.press('Enter');
    await modal('Delete this customer?').getByRole('button', { name: 'Delete' }).press('Enter');
    await page.getByText('@Ada Admin deleted visitor janepark.').waitFor();
    expect(deletions()).toHaveLength(1);
  });

  it('deletes all who are offline once Ada has typed the word, by keyboard alone', async () => {
    const { page, ask, modal } = journey();
    const question = await ask('/cobrowse delete --offline');
    await tabTo(page, question.getByRole('button', { name: 'Delete all offline customers' }), 'Shift+Tab');
    await page.keyboard.press('Enter');
    const form = modal('Delete offline customers');
    await tabTo(page, form.getByRole('textbox', { name: 'Type DELETE to confirm' }));
    await page.keyboard.type('delete');
    await page.keyboard.press('Enter');
    await form.getByText('Type DELETE, in capitals, to continue.').waitFor();
    expect(await problemsOn(page)).toEqual([]);
    expect(deletions()).toEqual([]);
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('DELETE');
    await page.keyboard.press('Enter');
    await form.getByText(/is deleting .*offline customer/).waitFor();
    expect(deletions()).toHaveLength(1);
  });
});

import { describe, expect, it } from 'vitest';
import { problemsOn } from '../../support/axe.ts';
import { hasChromium, useChromium } from '../../support/chromium.ts';
import { agreeIn, shareJourney } from './stage.ts';

describe.skipIf(!hasChromium)('a summary in the browser', () => {
  const journey = shareJourney(useChromium());

  it('takes an outcome and a note', async () => {
    const { page, ask, watch, article, modal } = journey();
    const view = await watch(await ask('/cobrowse watch jane4821'));
    await article('asked to see Jane Cooper’s screen · Full control.').waitFor();
    await agreeIn(view);
    await view.getByRole('button', { name: 'End session' }).click();
    const summary = article('Co-browsing session ended').first();
    await summary.waitFor();
    const thread = summary.getByRole('region', { name: 'Thread' });
    await summary.getByRole('combobox', { name: 'Outcome' }).selectOption('Follow up');
    await summary.getByText('Follow up, set by').waitFor();
    const reminder = modal('Follow up');
    await reminder.getByRole('radio', { name: 'On this day:' }).check();
    await reminder.getByRole('textbox', { name: 'What to do' }).fill('Send the invoice.');
    expect(await problemsOn(page)).toEqual([]);
    await reminder.getByRole('radio', { name: /^Next working day/ }).check();
    await reminder.getByRole('button', { name: 'Remind me' }).press('Enter');
    await reminder.getByText('I’ll remind you with a direct message.').waitFor();
    await page.keyboard.press('Escape');
    await summary.getByRole('button', { name: 'Add note on Jane Cooper' }).press('Enter');
    const form = modal('Add note');
    await form.getByRole('textbox', { name: 'Note' }).fill('Call back on Monday.');
    await form.getByRole('button', { name: 'Post note' }).press('Enter');
    await form.getByText('Your note is in the summary’s thread.').waitFor();
    await page.keyboard.press('Escape');
    await thread.getByText('Call back on Monday.').waitFor();
    expect(await problemsOn(page)).toEqual([]);
  });
});

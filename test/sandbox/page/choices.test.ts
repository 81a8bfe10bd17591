import { describe, expect, it } from 'vitest';

import { hasChromium, useChromium } from '../../support/chromium.ts';
import { shareStage } from './stage.ts';

const plain = (text: string) => ({ type: 'plain_text', text });
const option = (value: string, rest: object = {}) => ({ text: plain(value), value, ...rest });
const confirm = {
  title: plain('Sure?'),
  text: plain('It counts for everybody.'),
  confirm: plain('Change'),
  deny: plain('Keep'),
};
const access = {
  type: 'static_select',
  action_id: 'access',
  placeholder: plain('Watch with'),
  option_groups: [{ label: plain('Least access'), options: [option('View only'), option('Point')] }],
};

describe.skipIf(!hasChromium)('choices on the sandbox page', () => {
  const browser = useChromium();
  const stage = shareStage(browser);

  const post = (...blocks: readonly object[]) =>
    stage().call('chat.postMessage', { channel: stage().channel, text: 'A card', blocks });
  const beside = (accessory: object) =>
    post({ type: 'section', block_id: 'row', text: plain('Jane Cooper'), accessory });
  const actions = () => stage().requests.flatMap((request) => request.actions);
  const question = () => stage().page.getByRole('dialog', { name: 'Sure?' });

  it('in an overflow menu open their address in a new tab and are sent too', async () => {
    const options = [option('Details'), option('Help', { url: stage().slack.url })];
    await beside({ type: 'overflow', action_id: 'more', options });
    await stage().page.getByRole('button', { name: 'More options' }).press('Enter');
    const opened = stage().page.waitForEvent('popup');
    await stage().page.getByRole('menuitem', { name: 'Help' }).click();
    await (await opened).close();
    await expect.poll(() => actions().length).toBeGreaterThan(0);
    expect(actions()).toMatchObject([{ action_id: 'more', selected_option: options[1] }]);
  });

  it('in an overflow menu ask first, and only then open their address', async () => {
    const options = [option('Help', { url: stage().slack.url })];
    await beside({ type: 'overflow', action_id: 'more', options, confirm });
    const choose = async () => {
      await stage().page.getByRole('button', { name: 'More options' }).press('Enter');
      await stage().page.getByRole('menuitem', { name: 'Help' }).click();
    };
    await choose();
    await question().getByRole('button', { name: 'Keep' }).click();
    expect(stage().page.context().pages()).toHaveLength(1);
    await choose();
    const opened = stage().page.waitForEvent('popup');
    await question().getByRole('link', { name: 'Change' }).click();
    await (await opened).close();
    await expect.poll(() => actions().length).toBeGreaterThan(0);
    expect(actions()).toHaveLength(1);
  });

  it('in a menu with groups are undone if they aren’t confirmed', async () => {
    await beside({ ...access, confirm });
    const menu = stage().page.getByRole('combobox', { name: 'Watch with' });
    expect(await menu.locator('optgroup').getAttribute('label')).toBe('Least access');
    await menu.selectOption('Point');
    await question().getByRole('button', { name: 'Keep' }).click();
    expect(await menu.inputValue()).toBe('');
    await menu.selectOption('View only');
    await question().getByRole('button', { name: 'Change' }).click();
    await expect.poll(() => actions().length).toBeGreaterThan(0);
    expect(actions()).toMatchObject([{ action_id: 'access', selected_option: option('View only') }]);
    expect(await menu.locator('option:checked').textContent()).toBe('View only');
  });

  it('of people and conversations are made by name', async () => {
    await post({
      type: 'actions',
      elements: [
        { type: 'users_select', action_id: 'person', placeholder: plain('A person') },
        { type: 'channels_select', action_id: 'channel', placeholder: plain('A channel') },
      ],
    });
    await stage().page.getByRole('combobox', { name: 'A person' }).selectOption('Ada Admin');
    // Choices are sent side by side, so one that is made sooner may arrive later.
    await expect.poll(() => actions().length).toBe(1);
    await stage().page.getByRole('combobox', { name: 'A channel' }).selectOption('#sales');
    await expect.poll(() => actions().length).toBe(2);
    expect(actions()).toMatchObject([
      { action_id: 'person', selected_user: 'U0ADA000005' },
      { action_id: 'channel', selected_channel: 'C0SALES0002' },
    ]);
  });

  it('of checkboxes, a date and a time are sent as they are made', async () => {
    const boxes = { type: 'checkboxes', action_id: 'boxes', options: [option('Draw'), option('Click')] };
    await beside(boxes);
    await post({
      type: 'actions',
      elements: [
        { type: 'datepicker', action_id: 'day', placeholder: plain('From'), initial_date: '2026-11-21' },
        { type: 'timepicker', action_id: 'time', placeholder: plain('At'), initial_time: '09:30' },
      ],
    });
    const group = stage().page.getByRole('group', { name: 'Jane Cooper' });
    await group.getByRole('checkbox', { name: 'Click' }).check();
    await expect.poll(() => actions().length).toBe(1);
    expect(await stage().page.getByLabel('From').inputValue()).toBe('2026-11-21');
    await stage().page.getByLabel('From').fill('2026-12-24');
    await expect.poll(() => actions().length).toBe(2);
    await stage().page.getByLabel('At').fill('17:05');
    await stage().page.getByLabel('At').blur();
    await expect.poll(() => actions().length).toBe(3);
    expect(actions()).toMatchObject([
      { action_id: 'boxes', selected_options: [option('Click')] },
      { action_id: 'day', selected_date: '2026-12-24' },
      { action_id: 'time', selected_time: '17:05' },
    ]);
  });

  it('typed in a field that asks for it are sent on Enter, and not by leaving it', async () => {
    const element = { type: 'plain_text_input', action_id: 'text' };
    await post({ type: 'input', block_id: 'word', label: plain('Word'), dispatch_action: true, element });
    const field = stage().page.getByRole('textbox', { name: 'Word' });
    await stage().page.getByText('Press Enter to send.').waitFor();
    await field.fill('DELE');
    await field.blur();
    await field.press('End');
    await field.pressSequentially('TE');
    await field.press('Enter');
    await expect.poll(() => actions().length).toBeGreaterThan(0);
    expect(actions()).toMatchObject([{ action_id: 'text', value: 'DELETE' }]);
  });

  it('typed in a field that wants every character are sent after a pause', async () => {
    const dispatch_action_config = { trigger_actions_on: ['on_character_entered'] };
    const element = { type: 'plain_text_input', action_id: 'text', dispatch_action_config };
    await post({ type: 'input', block_id: 'word', label: plain('Word'), dispatch_action: true, element });
    await stage().page.getByRole('textbox', { name: 'Word' }).fill('jane');
    await expect.poll(() => actions().length).toBeGreaterThan(0);
    expect(actions()).toMatchObject([{ action_id: 'text', value: 'jane' }]);
  });
});

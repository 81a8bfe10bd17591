import { describe, expect, it } from 'vitest';

import { hasChromium, useChromium } from '../../support/chromium.ts';
import { shareStage } from './stage.ts';

const plain = (text: string) => ({ type: 'plain_text', text });
const option = (value: string, rest: object = {}) => ({ text: plain(value), value, ...rest });

describe.skipIf(!hasChromium)('choices on the sandbox page', () => {
  const browser = useChromium();
  const stage = shareStage(browser);

  const post = (...blocks: readonly object[]) =>
    stage().call('chat.postMessage', { channel: stage().channel, text: 'A card', blocks });
  const beside = (accessory: object) =>
    post({ type: 'section', block_id: 'row', text: plain('Jane Cooper'), accessory });
  const actions = () => stage().requests.flatMap((request) => request.actions);

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
});

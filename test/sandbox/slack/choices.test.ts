import { describe, expect, it } from 'vitest';

import { alex, button, startBoth, support } from './tiny-app.ts';

const plain = (text: string) => ({ type: 'plain_text', text });
const option = (value: string, rest: object = {}) => ({ text: plain(value), value, ...rest });
const boxes = {
  type: 'checkboxes',
  action_id: 'boxes',
  options: [option('one'), option('two')],
  initial_options: [option('one')],
};

/** A message with one element beside a text, and what the app then gets for a choice in it. */
const startWithAccessory = async (accessory: object) => {
  const both = await startBoth();
  const blocks = [{ type: 'section', block_id: 'row', text: plain('Choose'), accessory }];
  const { ts } = await both.call('chat.postMessage', { channel: support, text: 'Choose', blocks });
  const source = { type: 'message', channel: support, ts } as const;
  const choose = (action_id: string, state: object = {}, selected_option?: unknown) =>
    both.slack.press({
      as: alex,
      source,
      block_id: 'row',
      action_id,
      selected_option,
      state: { row: { [action_id]: { ...state } } },
    });
  return { ...both, choose };
};

describe('a choice beside a text', () => {
  it('in an overflow menu sends the option, with its address', async () => {
    const open = option('open', { url: 'https://app.example/help' });
    await using both = await startWithAccessory({
      type: 'overflow',
      action_id: 'more',
      options: [option('stop'), open],
    });
    expect(await both.choose('more', {}, { value: 'open' })).toEqual({ ok: true });
    expect(both.app.last().payload).toMatchObject({ actions: [{ type: 'overflow', selected_option: open }] });
    expect(await both.choose('more', {}, { value: 'no' })).toMatchObject({ ok: false });
    expect(await both.choose('more')).toMatchObject({ ok: false });
  });

  it('of checkboxes sends all that are checked, and only what can be', async () => {
    await using both = await startWithAccessory(boxes);
    const checked = { type: 'checkboxes', selected_options: [option('one'), option('two')] };
    expect(await both.choose('boxes', checked)).toEqual({ ok: true });
    expect(both.app.last().payload).toMatchObject({
      actions: [checked],
      state: { values: { row: { boxes: checked } } },
    });
    expect(await both.choose('boxes', { selected_options: [option('three')] })).toMatchObject({ ok: false });
  });

  it.each([
    ['users_select', { selected_user: alex }, { selected_user: 'U404' }],
    ['channels_select', { selected_channel: support }, { selected_channel: 'C404' }],
    ['conversations_select', { selected_conversation: support }, { selected_conversation: 'C404' }],
  ])('in a %s sends who or what is there', async (type, there, nowhere) => {
    await using both = await startWithAccessory({ type, action_id: 'it' });
    expect(await both.choose('it', { type, ...there })).toEqual({ ok: true });
    expect(both.app.last().payload).toMatchObject({ actions: [{ type, ...there }] });
    expect(await both.choose('it', { type, ...nowhere })).toMatchObject({ ok: false });
  });
});

describe('a press that opens an address', () => {
  it('never has the address from the page', async () => {
    await using both = await startWithAccessory(button('watch', { url: 'https://app.example/watch' }));
    await both.choose('watch', { url: 'https://evil.example' }, { url: 'https://evil.example' });
    expect(both.app.last().payload).toMatchObject({ actions: [{ url: 'https://app.example/watch' }] });
  });
});

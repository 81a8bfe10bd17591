import { describe, expect, it } from 'vitest';

import { alex, button, modal, sam, section, startBoth, support } from './tiny-app.ts';

const option = (value: string) => ({ text: { type: 'plain_text', text: value }, value });
const menu = { type: 'static_select', action_id: 'choose', options: [option('one'), option('two')] };
const actions = { type: 'actions', block_id: 'row', elements: [menu, button('watch', { value: 'v-1' })] };

const startWithMessage = async (options: Parameters<typeof startBoth>[0] = {}) => {
  const both = await startBoth(options);
  const { ts } = await both.call('chat.postMessage', { channel: support, text: 'Jane', blocks: [actions] });
  return { ...both, ts, source: { type: 'message', channel: support, ts } as const };
};

describe('a press in a message', () => {
  it('sends the element as the app made it, and the state of the others', async () => {
    await using both = await startWithMessage();
    const state = { row: { choose: { type: 'static_select', selected_option: option('two') } } };
    await both.slack.press({ as: alex, source: both.source, block_id: 'row', action_id: 'watch', state });
    expect(both.app.last().payload).toMatchObject({
      type: 'block_actions',
      user: { id: alex, username: 'alex', name: 'alex', team_id: 'T0ACME00000' },
      team: { id: 'T0ACME00000', domain: 'acme' },
      api_app_id: 'A0COBROWSE',
      enterprise: null,
      is_enterprise_install: false,
      container: { type: 'message', message_ts: both.ts, channel_id: support, is_ephemeral: false },
      channel: { id: support, name: 'support' },
      message: { ts: both.ts, text: 'Jane', user: 'U0COBROWSE', bot_id: 'B0COBROWSE', blocks: [actions] },
      state: { values: state },
      actions: [
        { type: 'button', block_id: 'row', action_id: 'watch', value: 'v-1', text: { text: 'Press' } },
      ],
    });
    expect(both.app.last().payload).toHaveProperty('trigger_id');
    expect(both.app.last().payload).toHaveProperty('actions.0.action_ts');
  });

  it('sends a choice, if it is one of the options', async () => {
    await using both = await startWithMessage();
    const choice = { as: alex, source: both.source, block_id: 'row', action_id: 'choose' };
    await both.slack.press({ ...choice, selected_option: option('one') });
    expect(both.app.last().payload).toMatchObject({ actions: [{ selected_option: option('one') }] });
    expect(await both.slack.press({ ...choice, selected_option: option('three') })).toMatchObject({
      ok: false,
    });
    expect(both.app.received).toHaveLength(1);
  });

  it('leaves the message out where it is ephemeral: Slack keeps no copy', async () => {
    await using both = await startBoth();
    await both.call('chat.postEphemeral', { channel: support, user: alex, text: 'Jane', blocks: [actions] });
    const ts = both.slack.snapshot(alex).messages.at(-1)?.ts ?? '';
    const source = { type: 'message', channel: support, ts } as const;
    await both.slack.press({ as: alex, source, block_id: 'row', action_id: 'watch' });
    expect(both.app.last().payload).toMatchObject({ container: { is_ephemeral: true } });
    expect(both.app.last().payload).not.toHaveProperty('message');
    expect(await both.slack.press({ as: sam, source, block_id: 'row', action_id: 'watch' })).toMatchObject({
      ok: false,
    });
  });

  it('is marked failed when nobody acknowledges, until it works', async () => {
    await using both = await startWithMessage({ ackLimitMs: 1_500 });
    const pressed = { as: alex, source: both.source, block_id: 'row', action_id: 'watch' };
    both.app.acknowledgeWith(() => {});
    await both.slack.press(pressed);
    expect(both.slack.snapshot(alex)).toMatchObject({ pending: [], failed: ['row/watch'] });
    both.app.acknowledgeWith((response) => response.end());
    await both.slack.press(pressed);
    expect(both.slack.snapshot(alex).failed).toEqual([]);
  });

  it('on what is not there is refused', async () => {
    await using both = await startWithMessage();
    const gone = { type: 'message', channel: support, ts: '1.000001' } as const;
    expect(
      await both.slack.press({ as: alex, source: gone, block_id: 'row', action_id: 'watch' }),
    ).toMatchObject({ ok: false });
    expect(
      await both.slack.press({ as: alex, source: both.source, block_id: 'row', action_id: 'stop' }),
    ).toMatchObject({ ok: false });
    expect(both.app.received).toEqual([]);
  });
});

describe('a press in a modal', () => {
  it('carries the view and its state, and no response_url', async () => {
    await using both = await startBoth();
    await both.slack.command({ as: alex, channel: support, text: '/cobrowse find' });
    const view = modal({ private_metadata: 'kept', blocks: [section('inside', button('more'))] });
    const opened = await both.call('views.open', { trigger_id: both.app.last().form['trigger_id'], view });
    const source = { type: 'view', view_id: opened.view?.id ?? '' } as const;
    await both.slack.press({ as: alex, source, block_id: 'block-inside', action_id: 'more' });
    expect(both.app.last().payload).toMatchObject({
      type: 'block_actions',
      container: { type: 'view', view_id: opened.view?.id },
      view: {
        private_metadata: 'kept',
        callback_id: 'the_modal',
        hash: opened.view?.hash,
        state: { values: {} },
      },
      actions: [{ action_id: 'more' }],
    });
    expect(both.app.last().payload).not.toHaveProperty('response_url');
  });
});

describe('a message shortcut', () => {
  it('carries the message and where it stands', async () => {
    await using both = await startBoth();
    const message = both.slack.snapshot(alex).messages.find(({ text }) => text.includes('jane@acme.com'));
    const message_ts = message?.ts ?? '';
    await both.slack.shortcut({ as: alex, channel: support, message_ts, callback_id: 'find_visitor' });
    expect(both.app.last().payload).toMatchObject({
      type: 'message_action',
      callback_id: 'find_visitor',
      message_ts,
      message: { ts: message_ts, text: message?.text, user: 'U0HELPDESK', bot_id: 'B0HELPDESK' },
      channel: { id: support, name: 'support' },
      user: { id: alex, name: 'alex' },
    });
    expect(both.app.last().payload).toHaveProperty('response_url');
    expect(both.app.last().payload).toHaveProperty('trigger_id');
  });

  it('is not offered on an ephemeral message, nor if the manifest has none of that name', async () => {
    await using both = await startBoth();
    await both.call('chat.postEphemeral', { channel: support, user: alex, text: 'Psst' });
    const message_ts = both.slack.snapshot(alex).messages.at(-1)?.ts ?? '';
    const chosen = { as: alex, channel: support, message_ts, callback_id: 'find_visitor' };
    expect(await both.slack.shortcut(chosen)).toMatchObject({ ok: false });
    const first = both.slack.snapshot(alex).messages.find(({ channel }) => channel === support)?.ts ?? '';
    expect(await both.slack.shortcut({ ...chosen, message_ts: first, callback_id: 'no' })).toMatchObject({
      ok: false,
    });
    expect(both.app.received).toEqual([]);
  });
});

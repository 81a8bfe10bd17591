import { describe, expect, it } from 'vitest';

import { startWithModal } from './open-modal.ts';
import { alex, json, modal, support } from './tiny-app.ts';

const plain = (text: string) => ({ type: 'plain_text', text });
const form = modal({
  submit: plain('Search'),
  blocks: [
    {
      type: 'input',
      block_id: 'who',
      label: plain('Who'),
      element: { type: 'plain_text_input', action_id: 'text', initial_value: 'jane' },
    },
  ],
});
const typed = (value: string) => ({ who: { text: { type: 'plain_text_input', value } } });

describe('a submitted modal', () => {
  it('carries what was typed, and closes on an empty acknowledgement', async () => {
    await using both = await startWithModal(form);
    await both.slack.submit({ as: alex, view_id: both.view_id, state: typed('omar') });
    expect(both.app.last().payload).toMatchObject({
      type: 'view_submission',
      user: { id: alex },
      view: {
        id: both.view_id,
        callback_id: 'the_modal',
        state: { values: typed('omar') },
        root_view_id: both.view_id,
      },
      response_urls: [],
    });
    expect(both.app.last().payload).toHaveProperty('trigger_id');
    expect(both.slack.snapshot(alex).views).toEqual([]);
  });

  it('stays with Slack while a required input is empty', async () => {
    await using both = await startWithModal(form);
    await both.slack.submit({ as: alex, view_id: both.view_id, state: typed('') });
    expect(both.slack.snapshot(alex).views).toMatchObject([
      { errors: { who: 'Please complete this required field.' } },
    ]);
    expect(both.app.received).toHaveLength(1);
  });

  it.each([
    [
      'shows errors',
      { response_action: 'errors', errors: { who: 'Nobody.' } },
      [{ title: 'A modal', errors: { who: 'Nobody.' } }],
    ],
    [
      'changes',
      { response_action: 'update', view: modal({ title: plain('Two') }) },
      [{ title: 'Two', errors: {} }],
    ],
    [
      'gets another on top',
      { response_action: 'push', view: modal({ title: plain('Two') }) },
      [{ title: 'A modal' }, { title: 'Two' }],
    ],
    ['goes with all others', { response_action: 'clear' }, []],
    [
      'shows trouble for a bad view',
      { response_action: 'update', view: {} },
      [{ errors: { '': 'We had some trouble connecting. Try again?' } }],
    ],
    [
      'shows trouble for an unknown action',
      { response_action: 'dance' },
      [{ errors: { '': 'We had some trouble connecting. Try again?' } }],
    ],
  ])('%s as the acknowledgement says', async (_name, answer, views) => {
    await using both = await startWithModal(form);
    both.app.acknowledgeWith(json(answer));
    await both.slack.submit({ as: alex, view_id: both.view_id, state: {} });
    expect(both.slack.snapshot(alex).views).toMatchObject(views);
    expect(both.slack.snapshot(alex).views).toHaveLength(views.length);
  });

  it('shows trouble when nobody acknowledges', async () => {
    await using both = await startWithModal(form, { ackLimitMs: 1_500 });
    both.app.acknowledgeWith(() => {});
    await both.slack.submit({ as: alex, view_id: both.view_id, state: {} });
    expect(both.slack.snapshot(alex).views[0]?.errors).toEqual({
      '': 'We had some trouble connecting. Try again?',
    });
  });

  it('brings a response_url for a channel menu that asked for one', async () => {
    const element = {
      type: 'channels_select',
      action_id: 'where',
      initial_channel: support,
      response_url_enabled: true,
    };
    const blocks = [{ type: 'input', block_id: 'place', label: plain('Where'), element }];
    await using both = await startWithModal(modal({ submit: plain('Go'), blocks }));
    await both.slack.submit({ as: alex, view_id: both.view_id, state: {} });
    expect(both.app.last().payload).toMatchObject({
      response_urls: [{ block_id: 'place', action_id: 'where', channel_id: support }],
    });
  });
});

describe('a closed modal', () => {
  it('tells the app only where it asked for it', async () => {
    await using both = await startWithModal(modal({ notify_on_close: true }));
    await both.slack.closeView({ as: alex, view_id: both.view_id });
    expect(both.app.last().payload).toMatchObject({
      type: 'view_closed',
      view: { id: both.view_id },
      is_cleared: false,
    });
    await using quiet = await startWithModal(modal());
    await quiet.slack.closeView({ as: alex, view_id: quiet.view_id });
    expect(quiet.app.received).toHaveLength(1);
    expect(quiet.slack.snapshot(alex).views).toEqual([]);
  });
});

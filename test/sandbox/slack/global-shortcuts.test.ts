import { describe, expect, it } from 'vitest';

import { fullManifest } from './full-manifest.ts';
import { alex, modal, startBoth, support } from './tiny-app.ts';

const erin = 'U0ERIN00006';
const shared = 'C0SHARED004';
const plain = (text: string) => ({ type: 'plain_text', text });
const whereMenu = (rest: object = {}) => ({
  type: 'input',
  block_id: 'where',
  label: plain('Where'),
  element: {
    type: 'conversations_select',
    action_id: 'place',
    default_to_current_conversation: true,
    response_url_enabled: true,
    ...rest,
  },
});

const startWithShortcut = async (viewing?: string) => {
  const both = await startBoth({ manifest: fullManifest });
  await both.slack.globalShortcut({ as: alex, callback_id: 'start', viewing });
  return both;
};

describe('a global shortcut', () => {
  it('carries a trigger_id, and neither channel nor response_url', async () => {
    await using both = await startWithShortcut(support);
    const { payload } = both.app.last();
    expect(payload).toMatchObject({
      type: 'shortcut',
      callback_id: 'start',
      user: { id: alex, username: 'alex', team_id: 'T0ACME00000' },
      team: { id: 'T0ACME00000', domain: 'acme' },
    });
    expect(Object.keys(payload).toSorted()).toEqual([
      'action_ts',
      'callback_id',
      'enterprise',
      'is_enterprise_install',
      'team',
      'token',
      'trigger_id',
      'type',
      'user',
    ]);
    const view = modal();
    expect(await both.call('views.open', { trigger_id: payload['trigger_id'], view })).toMatchObject({
      ok: true,
    });
  });

  it('is one of the manifest’s global ones', async () => {
    await using both = await startBoth({ manifest: fullManifest });
    expect(both.slack.snapshot(alex).global_shortcuts.map(({ name }) => name)).toEqual([
      'Start co-browsing',
      'Ask for help',
    ]);
    expect(both.slack.snapshot(alex).shortcuts.map(({ callback_id }) => callback_id)).not.toContain('start');
    expect(await both.slack.globalShortcut({ as: alex, callback_id: 'find_visitor' })).toMatchObject({
      ok: false,
    });
    expect(await both.slack.globalShortcut({ as: erin, callback_id: 'start' })).toMatchObject({ ok: false });
    expect(both.app.received).toEqual([]);
  });
});

const openWith = async (menu: object, viewing?: string) => {
  const both = await startWithShortcut(viewing);
  const view = modal({ submit: plain('Start'), blocks: [menu] });
  const opened = await both.call('views.open', {
    trigger_id: both.app.last().payload['trigger_id'],
    view,
  });
  return { ...both, view_id: opened.view?.id ?? '' };
};
const chosen = (value: string | null) => ({
  where: { place: { type: 'conversations_select', selected_conversation: value } },
});

describe('a menu of conversations in a modal', () => {
  it('starts with the conversation the person was looking at, and brings its response_url', async () => {
    await using both = await openWith(whereMenu(), support);
    expect(both.slack.snapshot(alex).views).toMatchObject([
      { blocks: [{ element: { initial_conversation: support } }] },
    ]);
    await both.slack.submit({ as: alex, view_id: both.view_id, state: {} });
    expect(both.app.last().payload).toMatchObject({
      view: { state: { values: chosen(support) } },
      response_urls: [{ block_id: 'where', action_id: 'place', channel_id: support }],
    });
    expect(both.app.last().payload).not.toHaveProperty('view.blocks.0.element.initial_conversation');
  });

  it.each([
    ['nothing was looked at', undefined, {}],
    ['its filter leaves shared channels out', shared, { filter: { exclude_external_shared_channels: true } }],
    ['its filter takes direct messages only', support, { filter: { include: ['im'] } }],
    ['its filter leaves bots out', 'D0ALEX00001', { filter: { exclude_bot_users: true } }],
  ])('starts empty where %s', async (_name, viewing, rest) => {
    await using both = await openWith(whereMenu(rest), viewing);
    await both.slack.submit({ as: alex, view_id: both.view_id, state: {} });
    expect(both.slack.snapshot(alex).views).toMatchObject([
      { errors: { where: 'Please complete this required field.' } },
    ]);
  });
});

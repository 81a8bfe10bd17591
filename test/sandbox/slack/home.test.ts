import { isValidSlackRequest } from '@slack/bolt';
import { describe, expect, it } from 'vitest';

import { fullManifest } from './full-manifest.ts';
import { alex, button, modal, sam, section, signingSecret, startBoth } from './tiny-app.ts';
import type { SlackOptions } from '../../../sandbox/slack/slack.ts';

const startWithHome = (options: Partial<SlackOptions> = {}) =>
  startBoth({ manifest: fullManifest, eventRetryDelaysMs: [0, 0, 0], ...options });
const home = (...blocks: readonly object[]) => ({ type: 'home', callback_id: 'home', blocks });
const without = (part: 'home' | 'event') => ({
  ...fullManifest,
  ...(part === 'home' ? { features: { ...fullManifest.features, app_home: {} } } : {}),
  ...(part === 'event' ? { settings: { ...fullManifest.settings, event_subscriptions: {} } } : {}),
});

describe('opening Home', () => {
  it('tells the app with a signed app_home_opened', async () => {
    await using both = await startWithHome();
    expect(await both.slack.openHome({ as: alex })).toEqual({ ok: true });
    await expect.poll(() => both.app.received.length).toBe(1);
    const { payload, headers, body } = both.app.last();
    expect(payload).toMatchObject({
      type: 'event_callback',
      team_id: 'T0ACME00000',
      api_app_id: 'A0COBROWSE',
      authorizations: [{ team_id: 'T0ACME00000', user_id: 'U0COBROWSE', is_bot: true }],
      event: { type: 'app_home_opened', user: alex, channel: 'D0ALEX00001', tab: 'home' },
    });
    expect(payload['event_id']).toMatch(/^Ev/u);
    expect(payload['event']).not.toHaveProperty('view');
    expect(headers['content-type']).toBe('application/json');
    expect(headers).not.toHaveProperty('x-slack-retry-num');
    const signed = {
      'x-slack-signature': String(headers['x-slack-signature']),
      'x-slack-request-timestamp': Number(headers['x-slack-request-timestamp']),
    };
    expect(isValidSlackRequest({ signingSecret, body, headers: signed })).toBe(true);
  });

  it('tells nobody where the manifest does not subscribe', async () => {
    await using both = await startWithHome({ manifest: without('event') });
    expect(await both.slack.openHome({ as: alex })).toEqual({ ok: true });
    await both.slack.command({ as: alex, channel: 'C0SUPPORT01', text: '/cobrowse help' });
    expect(both.app.received.map(({ form }) => form['command'])).toEqual(['/cobrowse']);
  });
});

const numbers = (both: Awaited<ReturnType<typeof startWithHome>>) =>
  both.app.received.map(({ headers }) => headers['x-slack-retry-num']);

describe('an event nobody acknowledges', () => {
  it('comes again three times, the same, and says why', async () => {
    await using both = await startWithHome();
    both.app.acknowledgeWith((response) => response.writeHead(503).end());
    await both.slack.openHome({ as: alex });
    await expect.poll(() => numbers(both)).toEqual([undefined, '1', '2', '3']);
    const ids = both.app.received.map(({ payload }) => payload['event_id']);
    expect(new Set(ids).size).toBe(1);
    expect(both.app.last().headers['x-slack-retry-reason']).toBe('http_error');
    const failed = () => both.slack.calls.filter(({ error }) => error === 'dispatch_failed').length;
    await expect.poll(failed).toBe(4);
  });

  it('comes no more where the app asks for that', async () => {
    await using both = await startWithHome();
    both.app.acknowledgeWith((response) => response.writeHead(500, { 'x-slack-no-retry': '1' }).end());
    await both.slack.openHome({ as: alex });
    await expect.poll(() => both.slack.calls.length).toBe(1);
    both.app.acknowledgeWith((response) => response.end());
    await both.slack.openHome({ as: sam });
    await expect.poll(() => both.slack.calls.length).toBe(2);
    expect(numbers(both)).toEqual([undefined, undefined]);
  });
});

describe('views.publish', () => {
  it('shows a Home to one person, for good', async () => {
    await using both = await startWithHome();
    const first = await both.call('views.publish', { user_id: alex, view: home(section('Skeleton')) });
    expect(first.view).toMatchObject({
      type: 'home',
      app_id: 'A0COBROWSE',
      bot_id: 'B0COBROWSE',
      submit: null,
    });
    const second = await both.call('views.publish', { user_id: alex, view: home(section('Filled')) });
    expect(second.view?.id).toBe(first.view?.id);
    both.slack.reload({ as: alex });
    expect(both.slack.snapshot(alex).home).toMatchObject({
      channel: 'D0ALEX00001',
      view: { id: first.view?.id, blocks: [section('Filled')] },
    });
    expect(both.slack.snapshot(sam).home).toEqual({ channel: 'D0SAM000002' });
  });

  it('refuses an old hash, a bad view and people who cannot have one', async () => {
    await using both = await startWithHome();
    const publish = (more: object, view: object = home()) =>
      both.call('views.publish', { user_id: alex, view, ...more });
    expect(await publish({ hash: 'x' })).toMatchObject({ error: 'hash_conflict' });
    const { view } = await publish({});
    expect(await publish({ hash: view?.hash })).toMatchObject({ ok: true });
    expect(await publish({ hash: view?.hash })).toMatchObject({ error: 'hash_conflict' });
    const divider = { type: 'divider' };
    expect(await publish({}, home(...Array.from({ length: 101 }, () => divider)))).toMatchObject({
      error: 'invalid_arguments',
      response_metadata: { messages: ['[ERROR] no more than 100 items allowed [json-pointer:/blocks]'] },
    });
    expect(await publish({}, modal())).toMatchObject({ error: 'invalid_arguments' });
    expect(await publish({ user_id: 'U404' })).toMatchObject({ error: 'user_not_found' });
    expect(await publish({ user_id: 'U0ERIN00006' })).toMatchObject({ error: 'user_not_found' });
  });
});

describe('a press in Home', () => {
  const input = {
    type: 'input',
    block_id: 'note',
    label: { type: 'plain_text', text: 'Note' },
    element: { type: 'plain_text_input', action_id: 'text', initial_value: 'hello' },
  };

  it('carries the view with its state, and neither channel nor response_url', async () => {
    await using both = await startWithHome();
    const { view } = await both.call('views.publish', {
      user_id: alex,
      view: home(section('Settings', button('save', { value: 'all' })), input),
    });
    const source = { type: 'view', view_id: view?.id ?? '' } as const;
    const pressed = { as: alex, source, block_id: 'block-Settings', action_id: 'save' };
    expect(await both.slack.press(pressed)).toEqual({ ok: true });
    expect(both.app.last().payload).toMatchObject({
      type: 'block_actions',
      container: { type: 'view', view_id: view?.id },
      view: {
        type: 'home',
        hash: view?.hash,
        state: { values: { note: { text: { type: 'plain_text_input', value: 'hello' } } } },
      },
      actions: [{ action_id: 'save', value: 'all' }],
    });
    for (const key of ['channel', 'message', 'response_url']) {
      expect(both.app.last().payload).not.toHaveProperty(key);
    }
    expect(await both.slack.press({ ...pressed, as: sam })).toMatchObject({ ok: false });
  });
});

import { isValidSlackRequest } from '@slack/bolt';
import { describe, expect, it } from 'vitest';
import manifest from '../../../manifest.json' with { type: 'json' };
import { alex, modal, sam, section, signingSecret, startBoth } from './tiny-app.ts';
import type { SlackOptions } from '../../../sandbox/slack/slack.ts';

const startWithHome = (options: Partial<SlackOptions> = {}) =>
  startBoth({ eventRetryDelaysMs: [0, 0, 0], ...options });
const home = (...blocks: readonly object[]) => ({ type: 'home', callback_id: 'home', blocks });
const unsubscribed = { ...manifest, settings: { ...manifest.settings, event_subscriptions: {} } };

describe('opening Home', () => {
  it('tells the app with a signed app_home_opened', async () => {
    const { slack, app, payload } = await startWithHome();
    expect(await slack.openHome({ as: alex })).toEqual({ ok: true });
    await expect.poll(() => app.received.length).toBe(1);
    expect(payload()).toMatchObject({
      type: 'event_callback',
      team_id: 'T0ACME00000',
      api_app_id: 'A0COBROWSE',
      authorizations: [{ team_id: 'T0ACME00000', user_id: 'U0COBROWSE', is_bot: true }],
      event: { type: 'app_home_opened', user: alex, channel: 'D0ALEX00001', tab: 'home' },
      event_id: expect.stringMatching(/^Ev/u),
    });
    expect(payload()['event']).not.toHaveProperty('view');
    const { headers, body } = app.last();
    expect(headers['content-type']).toBe('application/json');
    expect(headers).not.toHaveProperty('x-slack-retry-num');
    const signed = {
      'x-slack-signature': String(headers['x-slack-signature']),
      'x-slack-request-timestamp': Number(headers['x-slack-request-timestamp']),
    };
    expect(isValidSlackRequest({ signingSecret, body, headers: signed })).toBe(true);
  });

  it('tells nobody where the manifest does not subscribe', async () => {
    const { slack, app, trigger } = await startWithHome({ manifest: unsubscribed });
    expect(await slack.openHome({ as: alex })).toEqual({ ok: true });
    await trigger();
    expect(app.received.map(({ payload }) => payload['command'])).toEqual(['/cobrowse']);
  });
});

const numbers = ({ app }: Awaited<ReturnType<typeof startWithHome>>) =>
  app.received.map(({ headers }) => headers['x-slack-retry-num']);

describe('an event nobody acknowledges', () => {
  it('comes again three times, the same, and says why', async () => {
    const both = await startWithHome();
    const { slack, app } = both;
    app.acknowledgeWith((response) => response.writeHead(503).end());
    await slack.openHome({ as: alex });
    await expect.poll(() => numbers(both)).toEqual([undefined, '1', '2', '3']);
    expect(new Set(app.received.map(({ payload }) => payload['event_id'])).size).toBe(1);
    expect(app.last().headers['x-slack-retry-reason']).toBe('http_error');
    const failed = () => slack.calls.filter(({ error }) => error === 'dispatch_failed').length;
    await expect.poll(failed).toBe(4);
  });

  it('comes no more where the app asks for that', async () => {
    const both = await startWithHome();
    const { slack, app } = both;
    app.acknowledgeWith((response) => response.writeHead(500, { 'x-slack-no-retry': '1' }).end());
    await slack.openHome({ as: alex });
    await expect.poll(() => slack.calls.length).toBe(1);
    app.acknowledgeWith((response) => response.end());
    await slack.openHome({ as: sam });
    await expect.poll(() => slack.calls.length).toBe(2);
    expect(numbers(both)).toEqual([undefined, undefined]);
  });
});

describe('views.publish', () => {
  it('shows a Home to one person, for good', async () => {
    const { slack, call } = await startWithHome();
    await call('views.publish', { user_id: alex, view: home(section('Filled')) });
    slack.reload({ as: alex });
    expect(slack.snapshot(alex).home).toMatchObject({ view: { blocks: [section('Filled')] } });
    expect(slack.snapshot(sam).home).toEqual({ channel: 'D0SAM000002' });
  });

  it('refuses an old hash, a bad view and people who cannot have one', async () => {
    const { call, mismatches } = await startWithHome();
    const published = { user_id: alex, view: home() };
    expect(await mismatches(['views.publish', { ...published, hash: 'x' }, 'hash_conflict'])).toEqual([]);
    const { view } = await call('views.publish', published);
    const dividers = home(...Array.from({ length: 101 }, () => ({ type: 'divider' })));
    const messages = ['[ERROR] no more than 100 items allowed [json-pointer:/blocks]'];
    const refusal = { error: 'invalid_arguments', response_metadata: { messages } };
    expect(
      await mismatches(
        ['views.publish', { ...published, hash: view?.hash }, { ok: true }],
        ['views.publish', { ...published, hash: view?.hash }, 'hash_conflict'],
        ['views.publish', { ...published, view: dividers }, refusal],
        ['views.publish', { ...published, view: modal() }, 'invalid_arguments'],
        ['views.publish', { ...published, user_id: 'U404' }, 'user_not_found'],
        ['views.publish', { ...published, user_id: 'U0ERIN00006' }, 'user_not_found'],
      ),
    ).toEqual([]);
  });
});

import { WebClient } from '@slack/web-api';
import { describe, expect, it } from 'vitest';

import manifest from '../../../manifest.json' with { type: 'json' };
import { alex, appToken, botToken, sales, sam, section, startBoth, support } from './tiny-app.ts';

const withScopes = (...bot: readonly string[]) => ({ ...manifest, oauth_config: { scopes: { bot } } });

describe('the Web API', () => {
  it("serves Slack's own client", async () => {
    await using both = await startBoth();
    const client = new WebClient(botToken, { slackApiUrl: both.slack.apiUrl });
    expect(await client.auth.test()).toMatchObject({ ok: true, team: 'Acme', user_id: 'U0COBROWSE' });
    const posted = await client.chat.postMessage({
      channel: support,
      text: 'Hello',
      blocks: [{ type: 'divider' }],
      metadata: { event_type: 'greeting', event_payload: { id: '1' } },
    });
    expect(posted.message).toMatchObject({ text: 'Hello', metadata: { event_type: 'greeting' } });
    expect(both.slack.snapshot(alex).messages.at(-1)).toMatchObject({ ts: posted.ts, text: 'Hello' });
    expect(JSON.stringify(both.slack.snapshot(alex))).not.toContain('greeting');
    expect(both.slack.calls.at(-1)).toMatchObject({
      method: 'chat.postMessage',
      args: { blocks: [{ type: 'divider' }] },
    });
  });

  it('checks the token', async () => {
    await using both = await startBoth({ appToken });
    expect(await both.call('auth.test', {}, '')).toMatchObject({ ok: false, error: 'not_authed' });
    expect(await both.call('auth.test', {}, 'xoxb-other')).toMatchObject({ error: 'invalid_auth' });
    expect(await both.call('auth.test', {}, appToken)).toMatchObject({ error: 'not_allowed_token_type' });
    expect(await both.call('apps.connections.open', {})).toMatchObject({ error: 'not_allowed_token_type' });
  });

  it('knows no other methods', async () => {
    await using both = await startBoth();
    expect(await both.call('chat.scream', {})).toMatchObject({ ok: false, error: 'unknown_method' });
    expect(await both.call('toString', {})).toMatchObject({ ok: false, error: 'unknown_method' });
  });

  it('refuses what the manifest asks no scope for, and names the scope', async () => {
    await using both = await startBoth({ manifest: withScopes('commands', 'users:read') });
    expect(await both.call('chat.postMessage', { channel: support, text: 'x' })).toEqual({
      ok: false,
      error: 'missing_scope',
      needed: 'chat:write',
      provided: 'commands,users:read',
      ts: '',
    });
  });

  it('shows an email address only with users:read.email', async () => {
    await using full = await startBoth();
    expect(await full.call('users.info', { user: alex })).toMatchObject({
      user: { profile: { email: 'alex@acme.com' } },
    });
    expect(await full.call('users.lookupByEmail', { email: 'SAM@acme.com' })).toMatchObject({
      user: { id: sam },
    });
    expect(await full.call('users.lookupByEmail', { email: 'no@acme.com' })).toMatchObject({
      error: 'users_not_found',
    });
    expect(await full.call('users.info', { user: 'U404' })).toMatchObject({ error: 'user_not_found' });
    await using shy = await startBoth({ manifest: withScopes('users:read') });
    expect(JSON.stringify(await shy.call('users.info', { user: alex }))).not.toContain('alex@acme.com');
    expect(await shy.call('users.lookupByEmail', { email: 'sam@acme.com' })).toMatchObject({
      error: 'missing_scope',
    });
  });

  it('opens and describes conversations where the scopes allow', async () => {
    await using both = await startBoth({ manifest: withScopes('im:write', 'channels:read') });
    expect(await both.call('conversations.open', { users: alex })).toMatchObject({
      channel: { id: 'D0ALEX00001' },
    });
    expect(await both.call('conversations.info', { channel: sales })).toMatchObject({
      channel: { name: 'sales', is_member: false, is_archived: false },
    });
    expect(await both.call('conversations.info', { channel: 'C404' })).toMatchObject({
      error: 'channel_not_found',
    });
  });
});

describe('a method told to misbehave', () => {
  it('answers an error code, as often as told', async () => {
    await using both = await startBoth();
    both.slack.fail('auth.test', 'account_inactive', 2);
    expect(await both.call('auth.test', {})).toMatchObject({ ok: false, error: 'account_inactive' });
    expect(await both.call('auth.test', {})).toMatchObject({ ok: false });
    expect(await both.call('auth.test', {})).toMatchObject({ ok: true });
  });

  it('answers 429 with Retry-After, or any other status', async () => {
    await using both = await startBoth();
    const post = () => fetch(`${both.slack.apiUrl}auth.test`, { method: 'POST' });
    both.slack.fail('auth.test', { retryAfter: 7 });
    const limited = await post();
    expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '7']);
    both.slack.fail('auth.test', { status: 503 });
    expect((await post()).status).toBe(503);
  });

  it('hangs until the caller gives up', async () => {
    await using both = await startBoth();
    both.slack.fail('auth.test', 'hang');
    const signal = AbortSignal.timeout(100);
    await expect(fetch(`${both.slack.apiUrl}auth.test`, { method: 'POST', signal })).rejects.toThrow(
      'timeout',
    );
  });

  it('does its work and loses its answer', async () => {
    await using both = await startBoth();
    both.slack.fail('chat.postMessage', 'lose-answer');
    await expect(both.call('chat.postMessage', { channel: support, text: 'Twice?' })).rejects.toThrow(
      'fetch failed',
    );
    expect(both.slack.snapshot(alex).messages.at(-1)?.text).toBe('Twice?');
  });

  it('changes a message, too, and loses its answer, or hangs, or asks for patience', async () => {
    await using both = await startBoth();
    const { ts } = await both.call('chat.postMessage', { channel: support, text: 'One' });
    const update = (text: string) => both.call('chat.update', { channel: support, ts, text });
    both.slack.fail('chat.update', 'lose-answer');
    await expect(update('Two')).rejects.toThrow('fetch failed');
    both.slack.fail('chat.update', { status: 500 });
    await expect(update('Three')).rejects.toThrow('JSON');
    both.slack.fail('chat.update', { retryAfter: 3600 });
    expect(await update('Three')).toMatchObject({ error: 'ratelimited' });
    expect(both.slack.snapshot(alex).messages.at(-1)?.text).toBe('Two');
  });

  it('does so for a share of its calls', async () => {
    let number = 0;
    await using both = await startBoth({ chance: () => (number += 0.2) });
    both.slack.failShares('auth.test', [
      { how: 'internal_error', share: 0.3 },
      { how: { retryAfter: 1 }, share: 0.4 },
    ]);
    const errors: unknown[] = [];
    for (let call = 0; call < 4; call += 1) errors.push((await both.call('auth.test', {})).error);
    expect(errors).toEqual(['internal_error', 'ratelimited', 'ratelimited', undefined]);
    both.slack.failShares('auth.test', []);
    number = 0;
    expect(await both.call('auth.test', {})).toMatchObject({ ok: true });
  });

  it('is told so while the stand-in runs', async () => {
    await using both = await startBoth();
    const tell = async (body: object) => {
      const response = await fetch(`${both.slack.url}/page-api/misbehave`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      return response.json();
    };
    const method = 'auth.test';
    expect(await tell({ method, how: 'fatal_error', share: 1 })).toEqual({ ok: true });
    for (let call = 0; call < 3; call += 1) {
      expect(await both.call(method, {})).toMatchObject({ error: 'fatal_error' });
    }
    await tell({ method, how: { retryAfter: 2 } });
    expect(await both.call(method, {})).toMatchObject({ error: 'ratelimited' });
    expect(await both.call(method, {})).toMatchObject({ ok: true });
    await tell({ method, how: 'fatal_error', times: 5 });
    await tell({ method });
    expect(await both.call(method, {})).toMatchObject({ ok: true });
    expect(await tell({ method, how: { status: 200 } })).toMatchObject({ ok: false });
  });
});

describe('form-encoded calls', () => {
  it('carry their structured arguments as JSON', async () => {
    await using both = await startBoth();
    const blocks = JSON.stringify([section('From a form')]);
    const body = new URLSearchParams({ token: botToken, channel: support, text: 'x', blocks });
    const answer = await fetch(`${both.slack.apiUrl}chat.postMessage`, { method: 'POST', body });
    expect(await answer.json()).toMatchObject({ ok: true });
    const broken = new URLSearchParams({ token: botToken, channel: support, text: 'x', blocks: '[{' });
    const refused = await fetch(`${both.slack.apiUrl}chat.postMessage`, { method: 'POST', body: broken });
    expect(await refused.json()).toMatchObject({ error: 'invalid_blocks_format' });
  });
});

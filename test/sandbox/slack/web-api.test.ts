import { describe, expect, it } from 'vitest';

import manifest from '../../../manifest.json' with { type: 'json' };
import { alex, appToken, botToken, sam, section, startBoth, support } from './tiny-app.ts';

const withScopes = (...bot: readonly string[]) => ({ ...manifest, oauth_config: { scopes: { bot } } });

describe('the Web API', () => {
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

import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import manifest from '../../../manifest.json' with { type: 'json' };
import { startOAuth } from '../../../sandbox/slack/oauth.ts';
import { umbrella as umbrellaSeed } from '../../../sandbox/slack/umbrella.ts';
import { fieldsOf } from '../install.ts';
import { alex, appUser, sam, startBoth, support } from './tiny-app.ts';

const ACME = 'T0ACME00000';
const UMBRELLA = 'T0UMBRELLA0';
const client = { clientId: '1.2', clientSecret: 'the-secret' };
const redirectUrl = 'http://127.0.0.1:1/slack/oauth_redirect';
const asked = { client_id: '1.2', scope: 'commands,chat:write', redirect_uri: redirectUrl, state: '"<s>&' };
const proof = { client_id: '1.2', client_secret: 'the-secret' };

const Answer = z.looseObject({ ok: z.boolean(), access_token: z.string().optional() });

const events = ['app_uninstalled', 'tokens_revoked', 'member_joined_channel', 'user_change'];
const event_subscriptions = { ...manifest.settings.event_subscriptions, bot_events: events };
const many = { ...manifest, settings: { ...manifest.settings, event_subscriptions } };

/** Two workspaces that can install an app. */
async function stage() {
  const installing = { ...client, installUrl: () => '', workspaces: () => [] };
  const options = { botToken: undefined, manifest: many, oauth: installing };
  const acme = await startBoth(options);
  const umbrella = await startBoth({ ...options, seed: umbrellaSeed });
  const oauth = await startOAuth({
    client,
    redirectUrl: () => redirectUrl,
    workspaces: [acme.slack, umbrella.slack],
    pageFolder: new URL('../../../sandbox/page/', import.meta.url),
  });
  onTestFinished(() => oauth.close());
  const { apiUrl, authorizeUrl } = oauth;
  const call = async (method: string, args: Readonly<Record<string, string>>, token = '') => {
    const headers = { authorization: `Bearer ${token}` };
    const body = new URLSearchParams(args);
    const answer = await fetch(`${apiUrl}${method}`, { method: 'POST', headers, body });
    return Answer.parse(await answer.json());
  };
  const page = (more: Readonly<Record<string, string>>, headers = {}) =>
    fetch(`${authorizeUrl}?${new URLSearchParams({ ...asked, ...more }).toString()}`, { headers });
  const decide = (answer: string, more: Readonly<Record<string, string>>, headers = {}) => {
    const body = new URLSearchParams({ ...asked, ...more, answer });
    return fetch(authorizeUrl, { method: 'POST', redirect: 'manual', headers, body });
  };
  /** What somebody's Allow brings to the app. */
  const agree = async (team: string, headers = {}) => {
    const answer = await decide('allow', { team }, headers);
    return new URL(answer.headers.get('location') ?? '').searchParams.get('code') ?? '';
  };
  const exchange = async (code: string, more = {}) =>
    call('oauth.v2.access', { ...proof, code, redirect_uri: redirectUrl, ...more });
  /** @returns the bot token */
  const install = async (team: string) => (await exchange(await agree(team))).access_token ?? '';
  return {
    acme,
    umbrella,
    call,
    page,
    decide,
    agree,
    exchange,
    install,
  };
}

describe('the page on which somebody agrees', () => {
  it('names the workspace, the person and what is asked for, and repeats nothing unescaped', async () => {
    const { page } = await stage();
    const cookie = `a=b; signed-in=${UMBRELLA}.${sam}`;
    const answer = await page({ scope: 'commands,<b>' }, { cookie });
    const html = await answer.text();
    expect(html).toContain('<h1>Co-browse wants to access Umbrella</h1>');
    expect(html).toContain('signed in as Sam Lee');
    expect(html).toContain('<li>commands</li><li>&lt;b&gt;</li>');
    expect(html).not.toContain('<s>');
    expect(fieldsOf(html)).toMatchObject({ ...asked, scope: 'commands,<b>', team: UMBRELLA });
    expect(answer.headers.get('content-security-policy')).toContain("form-action 'self' http://127.0.0.1:1;");
    expect(html).toContain(`team=${ACME}`);
  });

  it.each([
    ['another client', { client_id: '3.4' }, 'invalid_client_id'],
    ['another address to lead back to', { redirect_uri: 'https://evil.example/' }, 'bad_redirect_uri'],
  ])('refuses %s, also when the form is sent', async (_, more, code) => {
    const { page, decide } = await stage();
    for (const answer of [await page(more), await decide('allow', more)]) {
      expect(answer.status).toBe(400);
      expect(await answer.text()).toContain(code);
    }
  });

  it('takes no form of another site', async () => {
    const { decide } = await stage();
    expect((await decide('allow', {}, { 'sec-fetch-site': 'cross-site' })).status).toBe(400);
  });
});

describe('oauth.v2.access', () => {
  it.each([
    ['another client', { client_id: '3.4' }, 'invalid_client_id'],
    ['another secret', { client_secret: 'x' }, 'bad_client_secret'],
    ['another code', { code: 'x' }, 'invalid_code'],
    ['another address', { redirect_uri: 'http://127.0.0.1:2/' }, 'bad_redirect_uri'],
  ])('refuses %s', async (_, more, error) => {
    const { agree, exchange, acme } = await stage();
    expect(await exchange(await agree(ACME), more)).toEqual({ ok: false, error });
    expect(acme.slack.snapshot(alex).installing?.installed).toBe(false);
  });
});

it('an app that was removed from a workspace hears that once, and nothing from there afterwards', async () => {
  const { acme, umbrella, install, call } = await stage();
  const [token, other] = [await install(ACME), await install(UMBRELLA)];
  acme.slack.join({ channel: support, user: appUser });
  const heard = () => acme.app.received.map(({ payload }) => payload['event'] ?? payload['command']);
  await expect.poll(heard).toMatchObject([{ type: 'member_joined_channel' }]);

  const refused = { error: 'bad_client_secret' };
  expect(await call('apps.uninstall', { ...proof, client_secret: 'x' }, token)).toMatchObject(refused);
  expect(await call('apps.uninstall', proof, token)).toEqual({ ok: true });
  expect(await call('auth.test', {}, token)).toEqual({ ok: false, error: 'account_inactive' });
  expect(await call('auth.test', {}, other)).toMatchObject({ team_id: UMBRELLA });
  acme.slack.changePerson(sam, { guest: true });
  for (const { slack } of [acme, umbrella])
    await slack.command({ as: alex, channel: support, text: '/cobrowse' });
  await expect.poll(() => umbrella.app.received.length).toBe(1);
  // Two requests at once come in any order.
  expect(heard()).toHaveLength(3);
  const revoked = { type: 'tokens_revoked', tokens: { oauth: [], bot: [appUser] } };
  for (const event of [revoked, { type: 'app_uninstalled' }])
    expect(heard()).toContainEqual(expect.objectContaining(event));
});

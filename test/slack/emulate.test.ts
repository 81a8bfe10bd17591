import { createEmulator } from 'emulate';
import { expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import manifest from '../../manifest.json' with { type: 'json' };
import { startApp } from '../../src/app.ts';
import { readConfig } from '../../src/config/config.ts';
import { startService } from '../../sandbox/service/service.ts';
import { startLocalService } from '../cobrowse/local-service.ts';
import { keptLog } from '../support/checked-sandbox.ts';
import { buttonsIn } from '../support/person.ts';
import { problemsIn } from '../support/shown.ts';
import { FORM, signedHeaders } from '../support/signed.ts';

const TEAM = 'T000000001';
const READER = 'xoxp-emulated-reader';
const SIGNING_SECRET = 'emulated-signing-secret';
/** The app's address, as others know it. */
const PUBLIC_URL = 'http://127.0.0.1:1';

const Named = z.array(z.looseObject({ id: z.string(), name: z.string().optional() })).default([]);
const Answer = z.looseObject({
  members: Named,
  channels: Named,
  messages: z.array(z.looseObject({ text: z.string(), blocks: z.unknown() })).default([]),
});

/** A third-party Slack emulator, with a bot that has only the manifest's scopes, until the test ends. */
async function startEmulatedSlack() {
  const app = {
    app_id: 'A0COBROWSE',
    bot_id: 'B0COBROWSE',
    bot_user_id: 'U0COBROWSE',
    bot_name: 'cobrowse',
    client_id: '1.2',
    client_secret: 's',
    name: 'Co-browse',
    redirect_uris: [`${PUBLIC_URL}/slack/oauth_redirect`],
    scopes: manifest.oauth_config.scopes.bot,
  };
  const emulator = await createEmulator({
    service: 'slack',
    port: 0,
    seed: {
      slack: {
        strict_scopes: true,
        users: [{ name: 'alex', real_name: 'Alex Rivera', email: 'alex@acme.com' }],
        channels: [{ name: 'support' }],
        oauth_apps: [app],
        tokens: [{ token: READER, user: 'alex' }],
      },
    },
  });
  onTestFinished(() => emulator.close());
  const url = emulator.url.replace('localhost', '127.0.0.1');

  async function call(method: string, args: object = {}) {
    const response = await fetch(`${url}/api/${method}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${READER}`, 'content-type': 'application/json' },
      body: JSON.stringify(args),
    });
    return Answer.parse(await response.json());
  }

  const { members } = await call('users.list');
  const { channels } = await call('conversations.list');
  return {
    url,
    alexId: members.find(({ name }) => name === 'alex')?.id ?? '',
    supportId: channels.find(({ name }) => name === 'support')?.id ?? '',
    history: async (channel: string) => (await call('conversations.history', { channel })).messages,
  };
}

/** The real app between the emulated Slack and the stand-in service, until the test ends. */
async function startEmulatedStage() {
  const slack = await startEmulatedSlack();
  const service = await startService({ apiKey: 'emulated-key' });
  const answers: string[] = [];
  const address = await startLocalService((request, response) => {
    request.on('data', (part: Buffer) => answers.push(part.toString('utf8')));
    request.on('end', () => response.end('ok'));
  });
  const responseUrl = `${address.url}/response`;
  const { log, lines } = keptLog();
  const config = readConfig({
    SLACK_CLIENT_ID: '1.2',
    SLACK_CLIENT_SECRET: 's',
    SLACK_AUTHORIZE_URL: `${slack.url}/oauth/v2/authorize`,
    ALLOWED_WORKSPACES: TEAM,
    SLACK_API_URL: `${slack.url}/api/`,
    SLACK_SIGNING_SECRET: SIGNING_SECRET,
    PUBLIC_URL,
    COBROWSE_BASE_URL: service.url,
    COBROWSE_API_KEY: service.apiKey,
    SECRET_KEYS: 'k'.repeat(32),
    STORE_URL: 'memory:',
    PORT: '0',
  });
  const app = await startApp(config, { log, paceMs: 0 });
  onTestFinished(async () => {
    await app.stop();
    await Promise.all([service.close(), address.close()]);
  });
  const origin = `http://127.0.0.1:${app.port}`;

  async function send(form: Readonly<Record<string, string>>): Promise<number> {
    const body = new URLSearchParams(form).toString();
    const headers = { 'content-type': FORM, ...signedHeaders(SIGNING_SECRET, body) };
    return (await fetch(`${origin}/slack/events`, { method: 'POST', headers, body })).status;
  }

  return {
    slack,
    service,
    logLines: lines,
    responseUrl,
    /** What came to the response address, once it says this. */
    answered: (words: string) =>
      vi.waitFor(
        () => answers.find((one) => one.includes(words)) ?? Promise.reject(new Error(answers.join())),
      ),
    /** Looks for Jane, as Alex types it. */
    command: {
      command: '/cobrowse',
      text: 'find jane@acme.com',
      trigger_id: 'x',
      response_url: responseUrl,
      team_id: TEAM,
      user_id: slack.alexId,
      channel_id: slack.supportId,
    },
    send,
    /** The same path at the address where the app really listens. */
    here: (url: string): string => {
      const { pathname, search } = new URL(url, origin);
      return `${origin}${pathname}${search}`;
    },
  };
}

const WatchUrlBody = z.looseObject({ agent: z.object({ id: z.string() }), webhook_url: z.string() });

/** The first button with an address in a message. */
function watchButtonIn(answer: string) {
  const found = buttonsIn(JSON.parse(answer).blocks).find(({ url = '' }) => url !== '');
  if (found?.url === undefined) throw new Error(`No button with an address in: ${answer}`);
  return { ...found, url: found.url };
}

const isSummary = ({ text = '' }: { readonly text?: string }) => text.includes('Co-browsing session ended');

/** Alex installs the app on the emulator's own page. */
async function install({ slack, here }: Awaited<ReturnType<typeof startEmulatedStage>>): Promise<string> {
  const begun = await fetch(here('/slack/install'), { redirect: 'manual' });
  const to = begun.headers.get('location') ?? '';
  expect(await (await fetch(to)).text()).toContain('Authorize <strong>Co-browse</strong>');
  const body = new URLSearchParams(new URL(to).search);
  body.set('user_id', slack.alexId);
  const agreed = await fetch(`${slack.url}/oauth/v2/authorize/callback`, {
    method: 'POST',
    redirect: 'manual',
    body,
  });
  const [cookie = ''] = (begun.headers.get('set-cookie') ?? '').split(';');
  return (await fetch(here(agreed.headers.get('location') ?? ''), { headers: { cookie } })).text();
}

it('is installed in a third-party Slack emulator on that one’s own page, finds the agent by the email of the profile, and posts the summary with blocks and an id as metadata, with the manifest’s scopes', async () => {
  const stage = await startEmulatedStage();
  const { slack, service } = stage;
  await stage.send(stage.command);
  await stage.answered('isn’t installed in your workspace');
  expect(await install(stage)).toContain('Co-browse is installed');

  expect(await stage.send({ ...stage.command, trigger_id: 'another' })).toBe(200);
  const button = watchButtonIn(await stage.answered('Jane Cooper'));
  const press = {
    type: 'block_actions',
    team: { id: TEAM },
    user: { id: slack.alexId },
    channel: { id: slack.supportId },
    trigger_id: 'x',
    response_url: stage.responseUrl,
    actions: [{ ...button, action_ts: `${Date.now() / 1_000}` }],
  };
  expect(await stage.send({ payload: JSON.stringify(press) })).toBe(200);
  const redirect = await fetch(stage.here(button.url), { redirect: 'manual' });
  const session = await service.openWatchLink(redirect.headers.get('location') ?? '');
  const ended = await service.endSession(session.id);
  const body = WatchUrlBody.parse(service.requests.findLast(({ method }) => method === 'POST')?.body);
  expect(body.agent.id).toBe('agent_alex');
  const webhook = await fetch(stage.here(body.webhook_url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(ended),
  });
  expect(webhook.status).toBe(200);
  const posted = async () => (await slack.history(slack.supportId)).find(isSummary);
  await expect.poll(posted).toMatchObject({
    user: 'U0COBROWSE',
    metadata: {
      event_type: 'cobrowse_delivery',
      event_payload: { delivery: expect.stringMatching(/^\w+$/) },
    },
  });
  const { text, blocks } = (await posted()) ?? {};
  // This Slack doesn't say whether a channel is shared, so the app treats it as shared.
  expect(text).toContain('jane4821 with Alex Rivera');
  expect(problemsIn({ surface: 'message', payload: { text, blocks } })).toEqual([]);
  expect(stage.logLines.join('')).not.toContain('missing_scope');
});

import { createEmulator } from 'emulate';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { startApp } from '../../src/app.ts';
import { readConfig } from '../../src/config/config.ts';
import { startService } from '../../sandbox/service/service.ts';
import { startLocalService } from '../cobrowse/local-service.ts';
import { keptLog } from '../support/checked-sandbox.ts';
import { FORM, signedHeaders } from '../support/signed.ts';

export const TEAM = 'T000000001';
const BOT = 'xoxb-emulated-bot';
const READER = 'xoxp-emulated-reader';
const SIGNING_SECRET = 'emulated-signing-secret';
/** The app's address, as others know it. */
const PUBLIC_URL = 'http://127.0.0.1:1';

const Message = z.looseObject({
  ts: z.string(),
  text: z.string(),
  user: z.string(),
  blocks: z.array(z.unknown()).optional(),
  metadata: z.unknown().optional(),
});
const Answer = z.looseObject({
  ok: z.boolean(),
  members: z.array(z.looseObject({ id: z.string(), name: z.string() })).default([]),
  channels: z.array(z.looseObject({ id: z.string(), name: z.string().optional() })).default([]),
  messages: z.array(Message).default([]),
});

/** A third-party Slack emulator, with a bot that has only these scopes, until the test ends. */
async function startEmulatedSlack(scopes: readonly string[]) {
  const bot = { app_id: 'A0COBROWSE', bot_id: 'B0COBROWSE', bot_user_id: 'U0COBROWSE' };
  const app = {
    client_id: '1.2',
    client_secret: 's',
    name: 'Co-browse',
    redirect_uris: [`${PUBLIC_URL}/slack/oauth_redirect`],
    bot_name: 'cobrowse',
  };
  const emulator = await createEmulator({
    service: 'slack',
    port: 0,
    seed: {
      slack: {
        strict_scopes: true,
        users: [{ name: 'alex', real_name: 'Alex Rivera', email: 'alex@acme.com' }],
        channels: [{ name: 'support' }],
        oauth_apps: [{ ...app, ...bot, scopes }],
        tokens: [
          { token: BOT, type: 'bot', user_id: 'U0COBROWSE', scopes, ...bot },
          { token: READER, user: 'alex' },
        ],
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
    apiUrl: `${url}/api/`,
    botToken: BOT,
    alexId: members.find(({ name }) => name === 'alex')?.id ?? '',
    supportId: channels.find(({ name }) => name === 'support')?.id ?? '',
    history: async (channel: string) => (await call('conversations.history', { channel })).messages,
  };
}

/**
 * The real app between the emulated Slack and the stand-in service, until the test ends.
 *
 * @param installing the workspace has yet to install it
 */
export async function startEmulatedStage(
  scopes: readonly string[],
  { installing = false }: { readonly installing?: boolean } = {},
) {
  const slack = await startEmulatedSlack(scopes);
  const service = await startService({ apiKey: 'emulated-key' });
  const answers: string[] = [];
  const address = await startLocalService((request, response) => {
    request.on('data', (part: Buffer) => answers.push(part.toString('utf8')));
    request.on('end', () => response.end('ok'));
  });
  const responseUrl = `${address.url}/response`;
  const { log, lines } = keptLog();
  const config = readConfig({
    ...(installing
      ? {
          SLACK_CLIENT_ID: '1.2',
          SLACK_CLIENT_SECRET: 's',
          SLACK_AUTHORIZE_URL: `${slack.url}/oauth/v2/authorize`,
          ALLOWED_WORKSPACES: TEAM,
        }
      : { SLACK_BOT_TOKEN: slack.botToken }),
    SLACK_API_URL: slack.apiUrl,
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
    /** Bodies that came to the response address. */
    answers,
    responseUrl,
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
    here(url: string): string {
      const { pathname, search } = new URL(url, origin);
      return `${origin}${pathname}${search}`;
    },
  };
}

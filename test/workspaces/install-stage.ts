import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { listen } from '../../sandbox/listen.ts';
import { startApp } from '../../src/app.ts';
import { readConfig } from '../../src/config/config.ts';
import { NEEDED_SCOPES } from '../../src/slack/setup-state.ts';
import { keptLog } from '../support/checked-sandbox.ts';
import { freePort } from '../support/free-port.ts';
import { forMany } from '../support/settings.ts';

/** A call of Slack's Web API. */
interface Called {
  readonly method: string;
  /** Of its Authorization header. */
  readonly token: string | undefined;
  readonly args: Readonly<Record<string, string>>;
  /** As it came. */
  readonly body: string;
}

export type Answers = Readonly<Record<string, (call: Called) => object | undefined | Promise<undefined>>>;

/** Slack's Web API on loopback: answers as the test says, and `unknown_method` to the rest. Undefined breaks off, at once or later. */
export async function slackFor(answers: Answers) {
  const calls: Called[] = [];
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const args = Object.fromEntries(new URLSearchParams(body));
    const [, token = args['token']] = /^Bearer (.+)$/.exec(request.headers.authorization ?? '') ?? [];
    const call = { method: (request.url ?? '').split('/').at(-1) ?? '', token, args, body };
    calls.push(call);
    const said = await (answers[call.method] ?? (() => ({ ok: false, error: 'unknown_method' })))(call);
    if (said === undefined) return void response.destroy();
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ ok: true, ...said }));
  }
  const server = createServer((request, response) => void answer(request, response));
  const url = await listen(server, 0);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    apiUrl: `${url}/api/`,
    calls,
    /** The methods that were called, in order. */
    called: () => calls.map(({ method }) => method),
  };
}

export const ACME = 'T0ACME00000';
export const TOKEN = ['xoxb', 'acme', 'topsecret'].join('-');

export const granted = {
  access_token: TOKEN,
  token_type: 'bot',
  scope: NEEDED_SCOPES.join(','),
  bot_user_id: 'U0BOT000001',
  app_id: 'A0COBROWSE1',
  team: { id: ACME, name: 'Acme <&> Sons' },
  enterprise: null,
  authed_user: { id: 'U0ADA000005' },
  is_enterprise_install: false,
};
export const known = {
  url: 'https://acme.slack.com/',
  team: 'Acme',
  team_id: ACME,
  user_id: 'U0BOT000001',
  bot_id: 'B0COBROWSE1',
};
const usual: Answers = {
  'oauth.v2.access': () => granted,
  'auth.test': ({ token }) => (token === TOKEN ? known : { ok: false, error: 'invalid_auth' }),
  'apps.uninstall': () => ({}),
};

/** The app for many workspaces, with a Slack that answers as the test says. */
export async function manyStage({
  answers = {},
  storeUrl = 'memory:',
  settings = {},
}: {
  readonly answers?: Answers;
  readonly storeUrl?: string;
  readonly settings?: Readonly<Record<string, string>>;
} = {}) {
  const slack = await slackFor({ ...usual, ...answers });
  const port = await freePort();
  const publicUrl = `http://127.0.0.1:${port}`;
  const config = readConfig({
    ...forMany,
    SLACK_API_URL: slack.apiUrl,
    SLACK_AUTHORIZE_URL: 'https://slack.example/oauth/v2/authorize',
    PUBLIC_URL: publicUrl,
    STORE_URL: storeUrl,
    PORT: String(port),
    ...settings,
  });
  const { log, lines } = keptLog();
  let time = Date.now();
  const start = () => startApp(config, { log, now: () => time });
  let app = await start();
  onTestFinished(() => app.stop());
  const get = (path: string, cookie = '', method = 'GET') =>
    fetch(`${publicUrl}${path}`, { method, redirect: 'manual', headers: { cookie } });

  /** What a browser gets that begins: the query for Slack, and its cookie. */
  async function begin() {
    const answer = await get('/slack/install');
    const [cookie = ''] = (answer.headers.get('set-cookie') ?? '').split(';');
    const to = new URL(answer.headers.get('location') ?? '');
    return { answer, cookie, to, state: to.searchParams.get('state') ?? '' };
  }
  const redirected = (state: string, cookie: string, more = 'code=the-code', method = 'GET') =>
    get(`/slack/oauth_redirect?${more}&state=${encodeURIComponent(state)}`, cookie, method);
  /** The whole way, in one browser. */
  async function install() {
    const { state, cookie } = await begin();
    const answer = await redirected(state, cookie);
    return { answer, text: await answer.text() };
  }
  return {
    slack,
    config,
    lines,
    get,
    begin,
    redirected,
    install,
    now: () => time,
    pass: (ms: number) => void (time += ms),
    /** The app is away for so long. */
    away: async (ms: number): Promise<void> => {
      await app.stop();
      time += ms;
      app = await start();
    },
  };
}

import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

import { z } from 'zod';

import { checkClient, ClientArguments, type OAuthClient } from './app-life.ts';
import { consentPage, sendPage, wrongPage } from './consent-page.ts';
import { isLoopbackHost, isOwnRequest } from '../service/live/origins.ts';
import { readBody, sendJson } from './http-exchange.ts';
import type { Granted } from './installation.ts';
import { listen, stop } from '../listen.ts';
import { SlackError } from './slack-error.ts';
import type { StandInSlack } from './slack.ts';
import { sendStaticFile } from './static-files.ts';

/** What several workspaces have in common: Slack's API, and the page on which an app is installed in one of them. */
export interface StandInOAuth {
  readonly url: string;
  readonly apiUrl: string;
  readonly authorizeUrl: string;
  close(): Promise<void>;
}

/** Source: docs.slack.dev/authentication/installing-with-oauth. */
const Asked = z.object({
  client_id: z.string(),
  scope: z.string(),
  redirect_uri: z.string(),
  state: z.string().default(''),
  /** The workspace to propose; otherwise the one in which the browser is. */
  team: z.string().default(''),
});
type Asked = z.output<typeof Asked>;

const Access = ClientArguments.extend({ code: z.string(), redirect_uri: z.string().optional() });
/** Source: docs.slack.dev/authentication/using-token-rotation. */
const Refresh = ClientArguments.extend({ grant_type: z.literal('refresh_token'), refresh_token: z.string() });

const tokens = ({ token, refreshToken, seconds }: Granted) => ({
  access_token: token,
  token_type: 'bot',
  ...(refreshToken !== undefined && { refresh_token: refreshToken, expires_in: seconds }),
});

/** How long a code is good for. */
const CODE_MS = 10 * 60 * 1_000;

interface Agreed {
  readonly slack: StandInSlack;
  readonly by: string;
  readonly asked: Asked;
  readonly until: number;
}

/**
 * Starts what the app sees of Slack before it knows a workspace, and leads each call to the workspace whose token it has.
 *
 * @param options.redirectUrl the only address that a code may be sent to
 */
export const startOAuth = async ({
  client,
  redirectUrl,
  workspaces,
  pageFolder,
  now = Date.now,
}: {
  readonly client: OAuthClient;
  readonly redirectUrl: () => string;
  readonly workspaces: readonly [StandInSlack, ...StandInSlack[]];
  readonly pageFolder: URL;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}): Promise<StandInOAuth> => {
  const [first] = workspaces;
  const codes = new Map<string, Agreed>();

  /** @throws {SlackError} */
  const refresh = ({ refresh_token, ...own }: z.output<typeof Refresh>) => {
    checkClient(client, own);
    for (const slack of workspaces) {
      const granted = slack.refresh(refresh_token);
      if (granted !== undefined) return tokens(granted);
    }
    throw new SlackError('invalid_refresh_token');
  };

  /** @throws {SlackError} */
  const access = (args: unknown) => {
    const again = Refresh.safeParse(args);
    if (again.success) return refresh(again.data);
    const { data } = Access.safeParse(args);
    if (data === undefined) throw new SlackError('invalid_arguments');
    checkClient(client, data);
    const agreed = codes.get(data.code);
    codes.delete(data.code);
    if (agreed === undefined || agreed.until < now()) throw new SlackError('invalid_code');
    const { slack, by, asked } = agreed;
    const { id, name, organization } = slack.workspace;
    if (data.redirect_uri !== asked.redirect_uri) throw new SlackError('bad_redirect_uri');
    return {
      ...tokens(slack.install()),
      scope: asked.scope,
      app_id: slack.bot.appId,
      bot_user_id: slack.bot.userId,
      team: organization === undefined ? { id, name } : null,
      authed_user: { id: by },
      enterprise: organization ?? null,
      is_enterprise_install: organization !== undefined,
    };
  };

  /** @throws {SlackError} */
  const readAsked = (fields: unknown): Asked => {
    const { data } = Asked.safeParse(fields);
    if (data?.client_id !== client.clientId) throw new SlackError('invalid_client_id');
    if (data.redirect_uri !== redirectUrl()) throw new SlackError('bad_redirect_uri');
    return data;
  };

  const withId = (id: string) => workspaces.find(({ workspace }) => workspace.id === id);

  /** The workspace that is asked for, or that of the cookie; and the person of the cookie. */
  const place = (asked: Asked, { headers }: IncomingMessage) => {
    const [, team = '', user = ''] = /(?:^|;\s*)signed-in=(\w+)\.(\w+)/u.exec(headers.cookie ?? '') ?? [];
    const slack = withId(asked.team) ?? withId(team) ?? first;
    return { slack, by: slack.member(user) };
  };

  const decide = (asked: Asked, request: IncomingMessage, isAllowed: boolean): string => {
    const to = new URL(asked.redirect_uri);
    to.searchParams.set('state', asked.state);
    if (isAllowed) {
      const code = randomBytes(16).toString('hex');
      const { slack, by } = place(asked, request);
      codes.set(code, { slack, by: by?.id ?? '', asked, until: now() + CODE_MS });
      to.searchParams.set('code', code);
    } else to.searchParams.set('error', 'access_denied');
    return to.href;
  };

  const authorize = async (request: IncomingMessage, response: ServerResponse, query: URLSearchParams) => {
    try {
      if (request.method !== 'POST') {
        const asked = readAsked(Object.fromEntries(query));
        const { slack, by } = place(asked, request);
        const others = workspaces.filter((one) => one !== slack).map(({ workspace }) => workspace);
        const page = { asked, workspace: slack.workspace, by: by?.realName ?? '', others };
        return sendPage(response, 200, consentPage(page), new URL(asked.redirect_uri).origin);
      }
      // A form of another site would agree for somebody.
      if (!isOwnRequest(request.headers)) throw new SlackError('invalid_request');
      const fields = Object.fromEntries(new URLSearchParams((await readBody(request)) ?? ''));
      const to = decide(readAsked(fields), request, fields['answer'] === 'allow');
      return void response.writeHead(302, { location: to, 'cache-control': 'no-store' }).end();
    } catch (error) {
      if (!(error instanceof SlackError)) throw error;
      return sendPage(response, 400, wrongPage(error.code));
    }
  };

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://slack');
    if (!isLoopbackHost(request.headers.host)) return void response.writeHead(403).end();
    if (pathname === '/oauth/v2/authorize') return authorize(request, response, searchParams);
    if (!pathname.startsWith('/api/')) return sendStaticFile(response, { '/page/': pageFolder }, pathname);
    if (pathname !== '/api/oauth.v2.access') {
      const [, token = ''] = /^Bearer (.+)$/iu.exec(request.headers.authorization ?? '') ?? [];
      const slack = workspaces.find(({ tokenState }) => tokenState(token) !== 'unknown') ?? first;
      return slack.answer(request, response);
    }
    try {
      const args = Object.fromEntries(new URLSearchParams((await readBody(request)) ?? ''));
      sendJson(response, { ok: true, ...access(args) });
    } catch (error) {
      if (!(error instanceof SlackError)) throw error;
      sendJson(response, { ok: false, error: error.code });
    }
  };

  const server = createServer((request, response) => {
    void answer(request, response).catch(() => response.writeHead(500).end());
  });
  const url = await listen(server, 0);
  return {
    url,
    apiUrl: `${url}/api/`,
    authorizeUrl: `${url}/oauth/v2/authorize`,
    close: () => stop(server),
  };
};

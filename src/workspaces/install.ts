import { randomBytes } from 'node:crypto';
import { WebClient, type WebClientOptions } from '@slack/web-api';
import { z } from 'zod';
import { passes } from '../messages/slack-codes.ts';
import type { CobrowseSettings } from '../cobrowse/client.ts';
import type { NamedClaims } from '../database/named-claims.ts';
import { page } from '../http/page.ts';
import type { Reply, Route } from '../http/server.ts';
import type { Log } from '../logging/log.ts';
import type { createTickets } from '../http/tickets.ts';
import type { Installs, NewInstall } from './installs.ts';
import { TokensGiven, tokensIn } from './rotation.ts';
import { AuthTested, slackErrorCode } from './web-client.ts';

export interface OAuthApp {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Slack's page on which somebody agrees. */
  readonly authorizeUrl: string;
  /** The workspaces that may install it; empty: any. */
  readonly allowed: readonly string[];
  /** Without a slash at the end. */
  readonly publicUrl: string;
}

const REDIRECT_PATH = '/slack/oauth_redirect';
const LIFETIME_MS = 10 * 60 * 1_000;
/** Two installations at once, in two tabs, have a cookie each. */
const cookieOf = (id: string) => `install-${id.slice(0, 8)}`;

/** What is needed of an installation to take the app out again. */
const TokenOnly = z.object({
  access_token: z.string(),
  team: z.object({ id: z.string(), name: z.string().catch('your workspace') }).nullish(),
  enterprise: z.object({ id: z.string(), name: z.string().catch('your organization') }).nullish(),
  is_enterprise_install: z.boolean().default(false),
});
/** Source: oauth.v2.access. */
const Access = z.object({
  ...TokenOnly.shape,
  ...TokensGiven.shape,
  scope: z.string(),
  bot_user_id: z.string(),
  app_id: z.string(),
  authed_user: z.object({ id: z.string() }),
});

/** The workspace, or the organization where it's installed for all of one. */
const placeOf = ({ is_enterprise_install, enterprise, team }: z.infer<typeof TokenOnly>) =>
  is_enterprise_install ? enterprise : team;

/** Status, title, what happened, and what to do next. */
const REFUSALS = {
  denied: [
    403,
    'Nothing was installed',
    'You or Slack canceled the installation.',
    'If your workspace only allows approved apps, ask an admin to approve it.',
  ],
  'not-allowed': [
    403,
    'This workspace can’t install the app',
    'The app is only for workspaces that its operator has named, and yours isn’t one of them.',
    'Ask whoever runs the app to add your workspace.',
  ],
  'begin-again': [
    400,
    'This page works once',
    'It works within ten minutes, in the browser that came from our install page.',
    'If the app isn’t in Slack, install it again.',
  ],
  'code-refused': [400, 'Nothing was installed', 'Slack didn’t accept the installation.', 'Try again.'],
  away: [
    503,
    'Nothing was installed',
    'Slack or the app’s database doesn’t answer now.',
    'Try again in a minute.',
  ],
} as const;
type InstallRefusal = keyof typeof REFUSALS;

function refusalPage(why: InstallRefusal): Reply {
  const [status, title, text, next] = REFUSALS[why];
  // Another try would end the same way.
  const link = why === 'not-allowed' ? undefined : { text: 'Install again', to: 'install' };
  return page(status, { title, text, next, link });
}

/** @param isServed whether it has the operator's account */
function installedPage({ workspaceId, isOrganization, appId, name }: NewInstall, isServed: boolean): Reply {
  const [place, app] = [encodeURIComponent(workspaceId), encodeURIComponent(appId)];
  if (isOrganization === true) {
    // Source: api.slack.com/enterprise/apps/reference, `oauth.v2.access`.
    const to = `https://app.slack.com/manage/${place}/integrations/profile/${app}/workspaces/add`;
    return page(200, {
      title: 'Co-browse is installed',
      text: `It’s now in the organization ${name}, and in none of its workspaces yet.`,
      next: 'Add it to those that need it. In each, an admin finds the next step in its Home tab.',
      link: { text: 'Add it to workspaces', to },
    });
  }
  // Source: docs.slack.dev/interactivity/deep-linking.
  const to = `slack://app?team=${place}&id=${app}&tab=home`;
  return page(200, {
    title: 'Co-browse is installed',
    text: `It’s now in ${name}.`,
    next: isServed
      ? 'Invite it to your support channel, then type /cobrowse there.'
      : 'Next, an admin connects your co-browsing account in its Home tab.',
    link: { text: 'Open Co-browse in Slack', to },
  });
}

class Refused extends Error {
  override readonly name = 'Refused';
  readonly why: InstallRefusal;
  constructor(why: InstallRefusal) {
    super(why);
    this.why = why;
  }
}

function whyRefused(error: unknown): InstallRefusal {
  if (error instanceof Refused) return error.why;
  const code = slackErrorCode(error);
  return code === undefined || passes(code) ? 'away' : 'code-refused';
}

const cookiesIn = (header = '') => new URLSearchParams(header.replaceAll(/;\s*/g, '&'));

export interface Installing {
  readonly oauth: OAuthApp;
  readonly scopes: readonly string[];
  readonly clientOptions: WebClientOptions;
  /** The operator's account. */
  readonly cobrowse: CobrowseSettings;
  readonly ticketKind: ReturnType<typeof createTickets>;
  readonly claims: NamedClaims;
  readonly installs: Installs;
  /** Also called when it's installed again. */
  readonly installed: (workspaceId: string) => void;
  readonly log: Log;
  readonly now: () => number;
}

function createInstalling({ oauth, clientOptions, installs, log, now }: Installing) {
  const { clientId, clientSecret, allowed, publicUrl } = oauth;
  const credentials = { client_id: clientId, client_secret: clientSecret };
  const slack = new WebClient(undefined, clientOptions);

  /** Takes the app out of a workspace that has just installed it and can't have it. An earlier installation stays. */
  async function takeOut(answer: unknown): Promise<void> {
    const { data } = TokenOnly.safeParse(answer);
    if (data === undefined) return;
    const before = await installs.of(placeOf(data)?.id ?? '');
    if (before?.hasToken === true && before.organizationId === undefined) return;
    await new WebClient(data.access_token, clientOptions).apps.uninstall(credentials);
  }

  /** @throws Refused, or web-api's error */
  async function installFrom(access: z.infer<typeof Access>, askedAt: number): Promise<NewInstall> {
    const isOrganization = access.is_enterprise_install;
    const place = placeOf(access);
    if (!place) throw new Refused('code-refused');
    if (allowed.length > 0 && !allowed.includes(place.id)) throw new Refused('not-allowed');
    const known = AuthTested.parse(await new WebClient(access.access_token, clientOptions).auth.test());
    const isRight = (isOrganization ? known.enterprise_id : known.team_id) === place.id;
    if (!isRight || known.bot_id === undefined) throw new Refused('code-refused');
    return {
      workspaceId: place.id,
      isOrganization,
      name: place.name,
      url: known.url ?? '',
      appId: access.app_id,
      botId: known.bot_id,
      botUserId: access.bot_user_id,
      scopes: access.scope.split(','),
      installedBy: access.authed_user.id,
      ...tokensIn(access, askedAt),
    };
  }

  /** @throws Refused, or web-api's error, or a DatabaseError */
  return async function install(code: string): Promise<NewInstall> {
    const askedAt = now();
    const redirect_uri = `${publicUrl}${REDIRECT_PATH}`;
    const answer: unknown = await slack.oauth.v2.access({ ...credentials, code, redirect_uri });
    try {
      const access = Access.safeParse(answer);
      if (!access.success) throw new Refused('code-refused');
      const made = await installFrom(access.data, askedAt);
      await installs.record(made);
      return made;
    } catch (error) {
      await takeOut(answer).catch((cause: unknown) =>
        log.warn({ err: cause }, 'an installation was refused, and the app couldn’t be taken out again'),
      );
      throw error;
    }
  };
}

/**
 * `GET /slack/install` leads to Slack, and back to `GET /slack/oauth_redirect` with a code. The state in between is sealed, and
 * only the browser that began has its cookie. Source: docs.slack.dev/authentication/installing-with-oauth.
 */
export function createInstallRoutes(own: Installing): readonly Route[] {
  const { oauth, scopes, cobrowse, ticketKind, claims, installed, log } = own;
  const { clientId, authorizeUrl, publicUrl } = oauth;
  const isServed = cobrowse.cloud !== undefined || cobrowse.onPremise !== undefined;
  const states = ticketKind('install', z.string());
  const install = createInstalling(own);
  const secure = publicUrl.startsWith('https:') ? '; Secure' : '';
  const { pathname } = new URL(`${publicUrl}${REDIRECT_PATH}`);

  const cookie = (id: string, seconds: number) =>
    `${cookieOf(id)}=${seconds === 0 ? '' : id}; Path=${pathname}; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`;

  function begin(): Reply {
    const id = randomBytes(24).toString('base64url');
    const query = new URLSearchParams({
      client_id: clientId,
      scope: scopes.join(','),
      redirect_uri: `${publicUrl}${REDIRECT_PATH}`,
      state: states.issue(id, LIFETIME_MS),
    });
    return {
      status: 302,
      headers: {
        location: `${authorizeUrl}?${query.toString()}`,
        'set-cookie': cookie(id, LIFETIME_MS / 1_000),
        'cache-control': 'no-store',
      },
    };
  }

  /** The id of an installation that this browser began. Spends it. @throws Refused */
  async function spend(state: string | null, cookies: URLSearchParams): Promise<string> {
    const reading = states.read(state ?? '');
    const id = 'content' in reading ? reading.content : '';
    const isBegun = id !== '' && cookies.get(cookieOf(id)) === id;
    if (!isBegun || !(await claims.claim('', `install ${id}`, LIFETIME_MS))) throw new Refused('begin-again');
    return id;
  }

  async function finish(query: URLSearchParams, cookies: URLSearchParams): Promise<Reply> {
    if (query.has('error')) throw new Refused('denied');
    const id = await spend(query.get('state'), cookies);
    const code = query.get('code');
    if (code === null) throw new Refused('code-refused');
    const made = await install(code);
    const { workspaceId, installedBy: userId } = made;
    log.info({ workspaceId, userId }, 'installed');
    installed(workspaceId);
    const { status, headers, body = '' } = installedPage(made, isServed);
    return { status, headers: { ...headers, 'set-cookie': cookie(id, 0) }, body };
  }

  return [
    { method: 'GET', path: '/slack/install', handle: begin },
    {
      method: 'GET',
      path: REDIRECT_PATH,
      async handle({ method, query, headers }) {
        // A look at the address spends nothing.
        if (method === 'HEAD') return refusalPage('begin-again');
        try {
          return await finish(new URLSearchParams(query), cookiesIn(headers.cookie));
        } catch (error) {
          const why = whyRefused(error);
          // Anybody can come without having begun, as often as they like.
          if (why !== 'begin-again')
            log.warn({ why, ...(error instanceof Refused ? {} : { err: error }) }, 'not installed');
          return refusalPage(why);
        }
      },
    },
  ];
}

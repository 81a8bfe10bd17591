import type { Installation } from './installation.ts';
import { SlackError } from './slack-error.ts';
import type { Answer, WebMethod } from './web-method.ts';

/** Something the app sent: a Web API call by its method, otherwise `response_url` or `ack`. */
export interface Sent {
  readonly method: string;
  readonly args: unknown;
  /** Slack's code, if it refused. */
  readonly error?: string;
  /** Set if it was made to refuse: see misbehaviors.ts. */
  readonly isPlanned?: true;
}

interface WebApiCall {
  readonly method: string;
  readonly token: string | undefined;
  readonly args: Readonly<Record<string, unknown>>;
}

export type WebApi = (call: WebApiCall) => Answer & { readonly ok: boolean };

/**
 * The Web API without its transport: token, scopes, then the method itself. Methods that real Slack also accepts as GET
 * must be POSTed here.
 */
export const createWebApi = (options: {
  readonly methods: Readonly<Record<string, WebMethod>>;
  readonly installation: Installation;
  readonly appToken: string | undefined;
  readonly scopes: readonly string[];
  /** Where an organization installed the app: the workspace, and whether it has been given it. */
  readonly access?: { readonly teamId: string; readonly isGiven: () => boolean } | undefined;
}): WebApi => {
  return ({ method: name, token, args }) => {
    try {
      const method = Object.hasOwn(options.methods, name) ? options.methods[name] : undefined;
      if (method === undefined) throw new SlackError('unknown_method', { req_method: name });
      checkToken(method, token, options);
      checkScopes(method, options.scopes);
      if (options.access !== undefined) checkAccess(name, args, options.access);
      return { ok: true, ...method.run(args) };
    } catch (error) {
      if (!(error instanceof SlackError)) throw error;
      return { ok: false, error: error.code, ...error.details };
    }
  };
};

const checkToken = (
  method: WebMethod,
  token: string | undefined,
  known: { readonly installation: Installation; readonly appToken: string | undefined },
): void => {
  if (token === undefined || token === '') throw new SlackError('not_authed');
  const isOfApp = token === known.appToken;
  const state = known.installation.stateOf(token);
  if (state === 'unknown' && !isOfApp) throw new SlackError('invalid_auth');
  // What Slack says of a bot token whose app was removed; of a user's it says `token_revoked`.
  if (state === 'revoked') throw new SlackError('account_inactive');
  if (state === 'expired') throw new SlackError('token_expired');
  if (state === 'replaced') throw new SlackError('token_revoked');
  if (isOfApp !== (method.token === 'app')) throw new SlackError('not_allowed_token_type');
};

/** What an organization's token has to say which workspace it's for. Source: each method, `team_id`. */
const ASKED_OF_A_TEAM: ReadonlySet<string> = new Set([
  'users.list',
  'usergroups.list',
  'usergroups.users.list',
]);

const checkAccess = (
  method: string,
  args: Readonly<Record<string, unknown>>,
  { teamId, isGiven }: { readonly teamId: string; readonly isGiven: () => boolean },
): void => {
  if (/^(?:auth|apps)\./u.test(method)) return;
  if (!isGiven()) throw new SlackError('team_access_not_granted');
  if (!ASKED_OF_A_TEAM.has(method)) return;
  if (args['team_id'] === undefined) throw new SlackError('missing_argument');
  if (args['team_id'] !== teamId) throw new SlackError('team_access_not_granted');
};

/** An app-level token has a separate scope, `connections:write`, which it's assumed to have. */
const checkScopes = (method: WebMethod, provided: readonly string[]): void => {
  if (method.token === 'app' || method.scopes.length === 0) return;
  if (method.scopes.some((scope) => provided.includes(scope))) return;
  throw new SlackError('missing_scope', { needed: method.scopes.join(','), provided: provided.join(',') });
};

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
}): WebApi => {
  return ({ method: name, token, args }) => {
    try {
      const method = Object.hasOwn(options.methods, name) ? options.methods[name] : undefined;
      if (method === undefined) throw new SlackError('unknown_method', { req_method: name });
      checkToken(method, token, options);
      checkScopes(method, options.scopes);
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

/** An app-level token has a separate scope, `connections:write`, which it's assumed to have. */
const checkScopes = (method: WebMethod, provided: readonly string[]): void => {
  if (method.token === 'app' || method.scopes.length === 0) return;
  if (method.scopes.some((scope) => provided.includes(scope))) return;
  throw new SlackError('missing_scope', { needed: method.scopes.join(','), provided: provided.join(',') });
};

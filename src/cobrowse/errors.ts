export type CobrowseErrorKind =
  | 'not-found' // The visitor or agent doesn't exist.
  | 'limit-reached' // The plan has no room for another session.
  | 'not-in-plan' // The plan doesn't include this.
  | 'visitor-online' // A visitor that is online can't be deleted.
  | 'not-authorized' // The service didn't authorize an on-premise session.
  | 'refused-key' // The service refused our key: `code` says why.
  | 'busy' // The service is overloaded or failing right now.
  | 'unreachable' // No connection, or one that broke.
  | 'timed-out'
  | 'called-off' // The caller canceled it, as a stop of the app does.
  | 'not-understood' // An answer that isn't in the service document.
  | 'not-offered' // The account or the settings don't have this.
  | 'not-connected'; // The workspace has no account of the service.

/** With many workspaces: the one that connected the service, or whoever runs the app. */
export type KeyHolder = 'workspace' | 'operator';

/** Code: we don't know which agent somebody is, so nothing was requested in their name. */
export const AGENT_UNKNOWN = 'agent-unknown';

/** Code: the address of a workspace's service isn't public, or isn't https. */
export const NOT_PUBLIC = 'not-public';

export interface CobrowseErrorDetails {
  readonly status?: number;
  readonly code?: string;
  /** Of a visitor that wasn't found. Shown to people, never logged: somebody may have typed it. */
  readonly visitorId?: string;
  readonly keyHolder?: KeyHolder;
  readonly cause?: unknown;
  /** Kept out of message, stack and cause, like tokens and links. */
  readonly secrets?: readonly string[];
}

/** The only error the client rejects with. Safe to log: message, stack and cause are redacted. */
export class CobrowseError extends Error {
  override readonly name = 'CobrowseError';
  readonly kind: CobrowseErrorKind;
  readonly status: number | undefined;
  /** Why, in a word: the service's for a refused key, like `no_subscription`; otherwise ours. */
  readonly code: string | undefined;
  readonly keyHolder: KeyHolder | undefined;
  // Private, so that no log line has it.
  readonly #visitorId: string | undefined;

  constructor(kind: CobrowseErrorKind, message: string, details: CobrowseErrorDetails = {}) {
    const secrets = details.secrets ?? [];
    super(redact(message, secrets));
    this.kind = kind;
    this.status = details.status;
    this.code = details.code === undefined ? undefined : cleanCode(details.code, secrets);
    this.keyHolder = details.keyHolder;
    this.#visitorId = details.visitorId;
    if (details.cause !== undefined) this.cause = redactedCause(details.cause, secrets);
  }

  get visitorId(): string | undefined {
    return this.#visitorId;
  }
}

/** A code is shown to people and logged, so it has to be one short word and may not repeat a secret. */
function cleanCode(code: string, secrets: readonly string[]): string | undefined {
  if (redact(code, secrets) !== code) return undefined;
  const cleaned = code.replaceAll(/[^\w.-]+/g, '_').slice(0, 64);
  return cleaned === '' ? undefined : cleaned;
}

function redact(text: string, secrets: readonly string[]): string {
  return secrets
    .filter((secret) => secret !== '')
    .reduce((rest, secret) => rest.replaceAll(secret, '[secret]'), text)
    .replaceAll(/\bBearer\s+\S+/gi, 'Bearer [secret]')
    .replaceAll(/\bhttps?:\/\/\S+/gi, '[link]');
}

/** A redacted copy. What else the cause carries (request headers, an address) is left out. */
function redactedCause(cause: unknown, secrets: readonly string[], depth = 4): Error {
  if (!(cause instanceof Error)) return new Error('Something that is not an Error was thrown.');
  const copy = new Error(redact(messageOf(cause), secrets));
  copy.name = cause.name;
  copy.stack = redact(cause.stack ?? '', secrets);
  const code = codeOf(cause);
  if (code !== undefined) Object.assign(copy, { code });
  if (cause.cause instanceof Error && depth > 1) copy.cause = redactedCause(cause.cause, secrets, depth - 1);
  return copy;
}

/** Node's or undici's name for a failure, for example ECONNRESET. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** A host with several addresses fails with an AggregateError, whose message is empty. */
function messageOf(error: Error): string {
  if (error.message !== '' || !(error instanceof AggregateError)) return error.message;
  return error.errors.map((one) => (one instanceof Error ? one.message : '')).join('; ');
}

/** For `catch`: undefined where there is nothing of that id. @throws any other error */
export function ifFound(error: unknown): undefined {
  if (!(error instanceof CobrowseError) || error.kind !== 'not-found') throw error;
}

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
  /** Kept out of the message, like tokens and links. */
  readonly secrets?: readonly string[];
}

/** The only error the client rejects with. Safe to log: its message is redacted, and it has no cause. */
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

/** Node's or undici's name for a failure, for example ECONNRESET. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** For `catch`: undefined where there is nothing of that id. @throws any other error */
export function ifFound(error: unknown): undefined {
  if (!(error instanceof CobrowseError) || error.kind !== 'not-found') throw error;
}

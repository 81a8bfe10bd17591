import type { Dispatcher } from 'undici';
import { CalledOffError, TimeLimitError, UnreadableAnswerError, ask } from './ask.ts';
import type { Answer, BodyReader } from './ask.ts';
import type { CobrowseError, CobrowseErrorKind } from './errors.ts';
import { isReset, kindOfNetworkFailure, kindOfStatus, retryPauseMs } from './failures.ts';
import { codeOf } from './redact.ts';
import { readErrorCode } from './replies.ts';
import { failureOf, pathOf } from './service-call.ts';
import type { ServiceCall } from './service-call.ts';

/** Reading an answer holds everybody up: of one thing it is small, with all pages that a visitor ever saw. */
const MOST_BYTES = 2 * 1024 * 1024;
const MOST_BYTES_OF_LIST = 8 * 1024 * 1024;
/** Read bit by bit: only the time limits it otherwise. */
const MOST_BYTES_OF_STREAM = 256 * 1024 * 1024;

export interface ExchangeOptions {
  /** The service's address; it may have a path of its own. */
  readonly baseUrl: string;
  /** What stands before every path of the API, for example `/v1.3`. */
  readonly pathPrefix: string;
  readonly authHeader: { readonly name: string; readonly value: string };
  /** The field of a 401's body that tells why. */
  readonly errorCodeField: string;
  /** What no error may show. */
  readonly secrets: readonly string[];
  readonly dispatcher: Dispatcher;
  readonly now: () => Date;
}

/** A 200. */
export interface Answered {
  readonly text: string;
  /** By the service's own clock, where it is told. */
  readonly servedAt: Date | undefined;
}

/** A 200, or what else happened and when it is worth another try. */
export type Outcome = Answered | { readonly failure: CobrowseError; readonly retryInMs: number | undefined };

/** Sends one request once and waits `limitMs` for the answer. Never rejects. */
export type Exchange = (call: ServiceCall, limitMs: number, reader?: BodyReader<unknown>) => Promise<Outcome>;

/** @throws TypeError where the address or the key can never work; neither is in the message */
export function createExchange(options: ExchangeOptions): Exchange {
  const base = readBaseUrl(options.baseUrl);
  const headers = {
    accept: 'application/json',
    'user-agent': 'cobrowse-for-slack',
    [options.authHeader.name]: readHeaderValue(options.authHeader.value),
  };

  return async (call, limitMs, reader) => {
    try {
      const request = {
        origin: base.origin,
        path: base.path + options.pathPrefix + pathOf(call),
        method: call.method,
        headers: call.body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
        body: call.body === undefined ? null : JSON.stringify(call.body),
      };
      const whole = call.isList === true ? MOST_BYTES_OF_LIST : MOST_BYTES;
      const bytes = reader === undefined ? whole : MOST_BYTES_OF_STREAM;
      const { signal } = call;
      const answer = await ask(options.dispatcher, request, { ms: limitMs, bytes, reader, signal });
      if (answer.status !== 200) return readRefusal(call, answer, options);
      return { text: answer.text, servedAt: readDate(answer.headers['date']) };
    } catch (cause) {
      if (cause instanceof UnreadableAnswerError) {
        const details = { what: cause.message, status: 200, secrets: options.secrets };
        return { failure: failureOf(call, 'not-understood', details), retryInMs: undefined };
      }
      const kind = kindOfBreak(cause);
      const what = `no whole answer (${codeOf(cause) ?? kind})`;
      const failure = failureOf(call, kind, { what, cause, secrets: options.secrets });
      return { failure, retryInMs: isReset(cause) ? 0 : undefined };
    }
  };
}

function readDate(header: string | string[] | undefined): Date | undefined {
  const date = new Date([header].flat()[0] ?? '');
  return Number.isNaN(date.getTime()) ? undefined : date;
}

function kindOfBreak(cause: unknown): CobrowseErrorKind {
  if (cause instanceof TimeLimitError) return 'timed-out';
  return cause instanceof CalledOffError ? 'called-off' : kindOfNetworkFailure(cause);
}

function readRefusal(
  call: ServiceCall,
  { status, headers, text }: Answer,
  { errorCodeField, secrets, now }: ExchangeOptions,
): Outcome {
  const kind = kindOfStatus(status, call.meanings ?? {});
  const details = { what: `answered ${status}`, status, secrets };
  if (kind === 'refused-key') {
    const code = readErrorCode(text, errorCodeField);
    const meaning = code === undefined || status !== 403 ? undefined : call.meaningOfCode?.(code);
    return { failure: failureOf(call, meaning ?? kind, { ...details, code }), retryInMs: undefined };
  }
  const retryAfter = [headers['retry-after']].flat()[0];
  return { failure: failureOf(call, kind, details), retryInMs: retryPauseMs(status, retryAfter, now()) };
}

function readBaseUrl(baseUrl: string): { readonly origin: string; readonly path: string } {
  const url = URL.parse(baseUrl);
  if (
    url === null ||
    !/^https?:$/.test(url.protocol) ||
    `${url.username}${url.password}${url.search}` !== ''
  ) {
    throw new TypeError('The service address must be http or https, without user name, password or query.');
  }
  return { origin: url.origin, path: url.pathname.replace(/\/+$/, '') };
}

function readHeaderValue(value: string): string {
  if (/^[\x21-\x7e]+( [\x21-\x7e]+)*$/.test(value)) return value;
  throw new TypeError('The service key must be visible ASCII characters.');
}

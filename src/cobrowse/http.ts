import { z } from 'zod';
import { setTimeout as pause } from 'node:timers/promises';
import type { Histogram } from 'prom-client';
import { errors, type Agent, type Dispatcher } from 'undici';
import { createDispatcher, type Proxy } from '../http/dispatcher.ts';
import {
  CobrowseError,
  codeOf,
  NOT_PUBLIC,
  type CobrowseErrorDetails,
  type CobrowseErrorKind,
  type KeyHolder,
} from './errors.ts';
import { bareAddress } from './watch-link.ts';

/*
 * JSON.parse blocks everything else, and bytes don't say for how long: a megabyte of braces takes a second. So an answer is
 * looked through as it arrives, and what's over a limit is never parsed.
 */

const MIB = 1024 * 1024;
const MOST_NESTED = 64;
/** A list's entries are cut, not what's in an entry: the deepest list of ours is `agent.sessions`. */
const DEEPEST_LIST = 3;

const [QUOTE, BACKSLASH] = [0x22, 0x5c] as const;
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [0x7b, 0x7d, 0x5b, 0x5d] as const;

/** An answer that can't be right, or is too much to read. The message never quotes it. */
export class UnreadableAnswerError extends Error {
  override readonly name = 'UnreadableAnswerError';
  /** The limit that it's over, as `over-1-MiB`. */
  readonly code: string | undefined;

  constructor(message: string, code?: string) {
    super(message);
    this.code = code;
  }
}

/** @throws UnreadableAnswerError where the answer isn't of this shape */
export function readAs<Value>(schema: z.ZodType<Value>, json: unknown): Value {
  const read = schema.safeParse(json);
  if (read.success) return read.data;
  const places = read.error.issues.map((issue) => `${issue.path.join('.') || 'answer'} (${issue.code})`);
  throw new UnreadableAnswerError(`the answer cannot be read at ${places.join(', ')}`);
}

/** How much of an answer is read. */
export interface JsonLimits {
  readonly mebibytes: number;
  /** Objects and lists. */
  readonly things: number;
  /** A list that's too large is read as far as it arrived. */
  readonly canBeCut?: boolean;
}

/** A text in JSON that arrives in parts. */
export interface JsonText {
  /** @returns whether the rest can be left unread @throws UnreadableAnswerError if it's over a limit */
  write(part: Uint8Array): boolean;
  text(): string;
  /** Whether the end of a list is missing. */
  isCut(): boolean;
  /** @throws UnreadableAnswerError */
  value(): unknown;
}

function createJsonText({ mebibytes, things: mostThings, canBeCut = false }: JsonLimits): JsonText {
  // What isn't UTF-8 is replaced, as everywhere else, instead of refused.
  const decoder = new TextDecoder();
  /** What closes each object and list that is open. */
  const open: string[] = [];
  let text = '';
  let bytes = 0;
  let things = 0;
  let isQuoted = false;
  let isEscaped = false;
  /** Up to the end of a list's last whole entry, and what closes the text there. */
  let whole = { length: 0, ending: '' };

  function enter(end: string): void {
    open.push(end);
    things += 1;
    if (open.length > MOST_NESTED)
      throw new UnreadableAnswerError('the answer is nested too deeply', `over-${MOST_NESTED}-levels`);
    if (things > mostThings)
      throw new UnreadableAnswerError('the answer holds too much', `over-${mostThings}-things`);
  }

  function leave(length: number): void {
    open.pop();
    if (canBeCut && open.length <= DEEPEST_LIST && open.at(-1) === ']')
      whole = { length, ending: open.toReversed().join('') };
  }

  function add(part: string): void {
    for (let at = 0; at < part.length; at += 1) {
      const letter = part.charCodeAt(at);
      if (isEscaped) isEscaped = false;
      else if (letter === QUOTE) isQuoted = !isQuoted;
      else if (isQuoted) isEscaped = letter === BACKSLASH;
      else if (letter === OPEN_BRACE) enter('}');
      else if (letter === OPEN_BRACKET) enter(']');
      else if (letter === CLOSE_BRACE || letter === CLOSE_BRACKET) leave(text.length + at + 1);
    }
    text += part;
  }

  const isCut = () => bytes > mebibytes * MIB;

  return {
    write(part) {
      const room = mebibytes * MIB - bytes;
      bytes += part.length;
      if (part.length > room && !canBeCut) throw tooLarge(mebibytes);
      add(decoder.decode(part.subarray(0, room), { stream: true }));
      return isCut();
    },
    text: () => text,
    isCut,
    value() {
      if (!isCut()) return parsed(text);
      if (whole.length === 0) throw tooLarge(mebibytes);
      return parsed(text.slice(0, whole.length) + whole.ending);
    },
  };
}

const tooLarge = (mebibytes: number) =>
  new UnreadableAnswerError('the answer is too large', `over-${mebibytes}-MiB`);

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    // The parser's own message quotes the answer, which may hold anything.
    throw new UnreadableAnswerError('the answer is no JSON');
  }
}

/*
 * One request to a service of either kind: its time limit, the one repetition a GET may have, and what a failure means.
 */

/**
 * How much of an answer is read: about one thing, even with every page a visitor has seen; a list of the account's
 * visitors; an agent with all their sessions. With many workspaces a service that one of them connected may not keep the
 * others waiting.
 */
const MOST = {
  one: { mebibytes: 2, things: 50_000 },
  list: { mebibytes: 8, things: 200_000, canBeCut: true },
  /** An agent without their sessions, which come last as a rule. */
  start: { mebibytes: 1, things: 50_000, canBeCut: true },
  history: { mebibytes: 64, things: 600_000 },
} as const;
const MOST_OF_TENANTS = {
  one: { mebibytes: 1, things: 50_000 },
  list: { mebibytes: 1, things: 50_000, canBeCut: true },
  start: { mebibytes: 1, things: 50_000, canBeCut: true },
  history: { mebibytes: 32, things: 300_000 },
} as const;

/** Without Retry-After: long enough for a balancer to notice that one of its servers restarts. */
const USUAL_PAUSE_MS = 250;
/** A person is waiting, so anything longer fails and they're told. */
const LONGEST_PAUSE_MS = 2_000;

/** The body matters only for these. A refused key has a code in it, if it arrives. */
const READ: ReadonlySet<number> = new Set([200, 401, 403]);
const BUSY: ReadonlySet<number> = new Set([429, 500, 502, 503, 504]);
const PASSING: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** One request, as the service document writes it. */
export interface ServiceCall {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** The path in the document's words. Errors name it, so they contain no id and no search text. */
  readonly endpoint: string;
  /** Replaces `{visitor_id}`. */
  readonly visitorId?: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: object;
  /** What this endpoint's refusals mean. Source: the table of errors in the service document. */
  readonly meanings?: Readonly<Partial<Record<number, CobrowseErrorKind>>>;
  /** What else the code of a 403 can mean, besides a refused key. */
  readonly meaningOfCode?: (code: string) => CobrowseErrorKind | undefined;
  /** Instead of the usual time limit. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** Never repeated, even if it could be. */
  readonly once?: boolean;
  /** Secrets in the body, which no error may show. */
  readonly secrets?: readonly string[];
}

type Size = keyof typeof MOST;

/** The content of a 200. */
export interface Answer<Value> {
  readonly value: Value;
  /** By the service's clock, if it says so. */
  readonly servedAt: Date | undefined;
}

/** How to reach a service, and with which key. */
export interface HttpOptions {
  /** The service's address; it may have a path. */
  readonly baseUrl: string;
  /** What precedes every path of the API, for example `/v1.3`. */
  readonly pathPrefix: string;
  readonly authHeader: { readonly name: string; readonly value: string };
  /** The field of a 401's body that says why. */
  readonly errorCodeField: string;
  /** What no error may show. */
  readonly secrets: readonly string[];
  /** Who holds the key, with many workspaces. */
  readonly keyHolder?: KeyHolder;
  /** Shared connections, closed by whoever made them. Without it this client makes its own. */
  readonly dispatcher?: Dispatcher;
  /** Time limit for one call, including its repetition. Default 8 s. */
  readonly timeoutMs?: number;
  readonly now?: () => Date;
  /** Milliseconds from any moment on: nobody sets this clock. */
  readonly elapsed?: () => number;
  /** How long each request took, and what it came to: `answered`, or the kind of the error. */
  readonly answered?: Pick<Histogram<'outcome'>, 'startTimer'>;
}

/** Calls to one service; all functions except `close` reject only with a CobrowseError. */
export interface Http {
  /** Reads the answer as JSON of this shape. */
  read<Value>(call: ServiceCall, schema: z.ZodType<Value>): Promise<Answer<Value>>;
  /**
   * Reads what may be large.
   *
   * @param understand may throw an UnreadableAnswerError; `cutAtMiB` where a list was longer than that
   */
  readLarge<Value>(
    call: ServiceCall,
    size: Exclude<Size, 'one'>,
    understand: (json: unknown, cutAtMiB: number | undefined) => Value,
  ): Promise<Value>;
  /** For a call that is answered with a plain `ok`. */
  confirm(call: ServiceCall): Promise<void>;
  /** Ends the connections that aren't shared. */
  close(): Promise<void>;
}

interface ServiceAgentOptions extends Pick<Agent.Options, 'connect' | 'factory'> {
  readonly keptMs?: number;
  readonly proxy?: Proxy;
}

/**
 * Connections to the service, for sharing. Kept for ten idle minutes, so that a click after a quiet while needs no TLS
 * handshake, and not limited, so that a burst of clicks doesn't queue. Each request sets its own limit for the answer's size.
 */
export const createServiceAgent = ({
  keptMs = 600_000,
  proxy,
  ...how
}: ServiceAgentOptions = {}): Dispatcher =>
  createDispatcher(proxy, { keepAliveTimeout: keptMs, keepAliveMaxTimeout: keptMs, ...how });

/**
 * A GET is repeated once if that may help; nothing else is ever sent twice.
 *
 * @throws TypeError if the address or the key can never work; neither is in the message
 */
export function createHttp(options: HttpOptions): Http {
  const { secrets, timeoutMs: usualMs = 8_000, now = () => new Date() } = options;
  const { elapsed = () => performance.now() } = options;
  const dispatcher = options.dispatcher ?? createServiceAgent();
  const base = readBaseUrl(options.baseUrl);
  const most = options.keyHolder === 'workspace' ? MOST_OF_TENANTS : MOST;
  const headers = {
    accept: 'application/json',
    'user-agent': 'cobrowse-for-slack',
    [options.authHeader.name]: readHeaderValue(options.authHeader.value),
  };

  async function exchange(...asked: Parameters<typeof exchangeUntimed>): Promise<Outcome> {
    const took = options.answered?.startTimer();
    const outcome = await exchangeUntimed(...asked);
    took?.({ outcome: 'failure' in outcome ? outcome.failure.kind : 'answered' });
    return outcome;
  }

  /** Sends one request once. Never rejects. */
  async function exchangeUntimed(call: ServiceCall, ms: number, size: Size): Promise<Outcome> {
    const request = {
      origin: base.origin,
      path: base.path + options.pathPrefix + pathOf(call),
      method: call.method,
      headers: call.body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
      body: call.body === undefined ? null : JSON.stringify(call.body),
    };
    try {
      const answer = await ask(dispatcher, request, { ms, most: most[size], signal: call.signal });
      if (answer.status !== 200) return refused(call, answer);
      return { body: answer.body, servedAt: dateIn(answer.headers['date']) };
    } catch (cause) {
      const kind = kindOfBreak(cause);
      if (cause instanceof UnreadableAnswerError) return { failure: unreadable(call, cause) };
      const what = `no whole answer (${codeOf(cause) ?? kind})`;
      const code = codeOf(cause) === NOT_PUBLIC ? NOT_PUBLIC : undefined;
      return {
        failure: failureOf(call, kind, { what, cause, secrets, code }),
        retryInMs: isReset(cause) ? 0 : undefined,
      };
    }
  }

  function refused(call: ServiceCall, { status, headers: { 'retry-after': after }, body }: Reply): Outcome {
    const kind = kindOfStatus(status, call.meanings);
    const details = { what: `answered ${status}`, status, secrets };
    if (kind !== 'refused-key')
      return { failure: failureOf(call, kind, details), retryInMs: retryPauseMs(status, after, now()) };
    const code = errorCodeIn(body, options.errorCodeField);
    const meaning = code === undefined || status !== 403 ? undefined : call.meaningOfCode?.(code);
    const { keyHolder } = options;
    return { failure: failureOf(call, meaning ?? kind, { ...details, code, keyHolder }) };
  }

  function unreadable(call: ServiceCall, { message: what, code }: UnreadableAnswerError): CobrowseError {
    return failureOf(call, 'not-understood', { what, code, status: 200, secrets });
  }

  async function send(call: ServiceCall, size: Size) {
    if (call.visitorId !== undefined && !isUsableId(call.visitorId)) {
      throw failureOf(call, 'not-found', { what: 'not sent, no visitor can have this id' });
    }
    const { timeoutMs = usualMs } = call;
    const endsAt = elapsed() + timeoutMs;
    let outcome = await exchange(call, timeoutMs, size);
    if ('failure' in outcome && outcome.retryInMs !== undefined && call.method === 'GET' && !call.once) {
      const leftMs = endsAt - elapsed() - outcome.retryInMs;
      if (leftMs <= 0) throw outcome.failure;
      await pause(outcome.retryInMs);
      outcome = await exchange(call, leftMs, size);
    }
    if ('failure' in outcome) throw outcome.failure;
    return outcome;
  }

  function understood<Value>(call: ServiceCall, understand: () => Value): Value {
    try {
      return understand();
    } catch (error) {
      throw error instanceof UnreadableAnswerError ? unreadable(call, error) : error;
    }
  }

  return {
    async read(call, schema) {
      const { body, servedAt } = await send(call, 'one');
      return { value: understood(call, () => readAs(schema, body.value())), servedAt };
    },
    async readLarge(call, size, understand) {
      const { body } = await send(call, size);
      const cutAtMiB = body.isCut() ? most[size].mebibytes : undefined;
      return understood(call, () => understand(body.value(), cutAtMiB));
    },
    async confirm(call) {
      if (!isOk((await send(call, 'one')).body))
        throw unreadable(call, new UnreadableAnswerError('the answer is not "ok"'));
    },
    async close() {
      if (options.dispatcher === undefined) await dispatcher.close();
    },
  };
}

/** A 200, or what else happened and when it's worth another try. */
type Outcome =
  | { readonly body: JsonText; readonly servedAt: Date | undefined }
  | { readonly failure: CobrowseError; readonly retryInMs?: number | undefined };

/** An error that names the call it happened in. */
export function failureOf(
  call: ServiceCall,
  kind: CobrowseErrorKind,
  details: CobrowseErrorDetails & { readonly what: string },
): CobrowseError {
  const secrets = [...(details.secrets ?? []), ...(call.secrets ?? [])];
  const { visitorId } = call;
  return new CobrowseError(kind, `${call.method} ${call.endpoint}: ${details.what}`, {
    ...details,
    visitorId,
    secrets,
  });
}

/**
 * Whether the id can be one segment of a path. If empty or dots it would make another endpoint's path, and so would a
 * slash, even escaped, on a server that decodes paths first.
 */
export function isUsableId(visitorId: string): boolean {
  return visitorId.isWellFormed() && !['', '.', '..'].includes(visitorId) && !/[/\\\p{Cc}]/u.test(visitorId);
}

/** The path and query to request, below the API's prefix. */
export function pathOf({ endpoint, visitorId = '', query = {} }: ServiceCall): string {
  const path = endpoint.replace('{visitor_id}', () => encodeURIComponent(visitorId));
  const search = new URLSearchParams(query).toString();
  return search === '' ? path : `${path}?${search}`;
}

function readBaseUrl(baseUrl: string): { readonly origin: string; readonly path: string } {
  const bare = bareAddress(baseUrl);
  if (bare === undefined || !/^https?:$/.test(bare.url.protocol))
    throw new TypeError('The service address must be http or https, without user name, password or query.');
  return { origin: bare.url.origin, path: bare.path };
}

function readHeaderValue(value: string): string {
  if (/^[\x21-\x7e]+( [\x21-\x7e]+)*$/.test(value)) return value;
  throw new TypeError('The service key must be visible ASCII characters.');
}

/** What a status other than 200 means. The document has no redirects, and none is followed. */
function kindOfStatus(status: number, meanings: ServiceCall['meanings'] = {}): CobrowseErrorKind {
  if (status === 401 || status === 403) return 'refused-key';
  const usual = status === 402 ? 'not-in-plan' : BUSY.has(status) ? 'busy' : 'not-understood';
  return meanings[status] ?? usual;
}

/** What a failure without a complete answer means. */
function kindOfBreak(error: unknown): CobrowseErrorKind {
  if (error instanceof TimeLimitError) return 'timed-out';
  if (error instanceof CalledOffError) return 'called-off';
  const code = codeOf(error) ?? '';
  if (code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT') return 'timed-out';
  const isUnreadable = code.startsWith('UND_ERR_RES_') || code === 'UND_ERR_HEADERS_OVERFLOW';
  return isUnreadable || error instanceof errors.HTTPParserError ? 'not-understood' : 'unreachable';
}

/** Whether the connection broke off, as kept connections do when the other side restarts. */
function isReset(error: unknown): boolean {
  return ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'].includes(codeOf(error) ?? '');
}

type Header = string | string[] | undefined;

const firstOf = (header: Header) => [header].flat()[0];

/**
 * How long to wait before trying again, in milliseconds; undefined if that's useless or would take too long.
 *
 * @param retryAfter the Retry-After header
 */
function retryPauseMs(status: number, retryAfter: Header, now: Date): number | undefined {
  if (!PASSING.has(status)) return undefined;
  const askedMs = askedPauseMs(firstOf(retryAfter), now);
  if (askedMs === undefined) return USUAL_PAUSE_MS;
  return askedMs <= LONGEST_PAUSE_MS ? Math.max(0, askedMs) : undefined;
}

/** How long a Retry-After header asks us to wait, in milliseconds; undefined if it doesn't say. Source: RFC 9110, 10.2.3. */
export function askedPauseMs(retryAfter: string | undefined, now: Date): number | undefined {
  if (retryAfter === undefined) return undefined;
  if (/^\s*\d+\s*$/.test(retryAfter)) return Number(retryAfter) * 1_000;
  const at = dateIn(retryAfter);
  return at && at.getTime() - now.getTime();
}

function dateIn(header: Header): Date | undefined {
  const date = new Date(firstOf(header) ?? '');
  return Number.isNaN(date.getTime()) ? undefined : date;
}

function jsonIn(body: JsonText): unknown {
  try {
    return body.value();
  } catch {
    return undefined;
  }
}

const Ok = z.looseObject({ status: z.literal('ok') });
const JsonObject = z.record(z.string(), z.unknown());

/** Whether the text is the plain `ok` of a deletion. The same as JSON is accepted too. */
function isOk(body: JsonText): boolean {
  if (body.text().trim() === 'ok') return true;
  const json = jsonIn(body);
  return json === 'ok' || Ok.safeParse(json).success;
}

/** Why a key was refused, if the body is JSON and says so in this field. */
function errorCodeIn(body: JsonText, field: string): string | undefined {
  const code = JsonObject.safeParse(jsonIn(body)).data?.[field];
  return typeof code === 'string' ? code : undefined;
}

/** A raw answer. `body` is empty if it isn't needed. */
interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: JsonText;
}

/** The limits of an answer. */
interface AskOptions {
  /** How long the whole answer may take. */
  readonly ms: number;
  readonly most: JsonLimits;
  /** Cancels the request. */
  readonly signal?: AbortSignal;
}

/** The time for an answer is over. */
class TimeLimitError extends Error {
  override readonly name = 'TimeLimitError';
}

/** The caller no longer needs the answer. */
class CalledOffError extends Error {
  override readonly name = 'CalledOffError';
}

/**
 * Sends one request and collects its answer. Uses undici below its `request`, whose streams and signals cost a click a
 * third of its processor time and memory.
 *
 * Resolves with the head alone if the body isn't needed: that is still read to its end, so that the connection can be
 * reused. Rejects with undici's error, an UnreadableAnswerError or a TimeLimitError if no complete 200 arrives.
 */
function ask(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  { ms, most, signal }: AskOptions,
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const body = createJsonText(most);
    /** Whether to ignore the rest of the body. */
    let isOver = false;
    let head: Omit<Reply, 'body'> | undefined;
    let controller: Dispatcher.DispatchController | undefined;
    let ended: Error | undefined;
    const end = (error: Error): void => {
      settle();
      ended = error;
      if (controller === undefined) reject(error);
      else controller.abort(error);
    };
    const timer = setTimeout(() => end(new TimeLimitError(`No whole answer in ${ms} ms.`)), ms);
    const callOff = (): void => end(new CalledOffError('Called off.'));
    function settle(): void {
      clearTimeout(timer);
      signal?.removeEventListener('abort', callOff);
    }
    const fail = (error: Error): void => {
      // For a refusal the head is enough.
      if (head === undefined || head.status === 200) reject(error);
      else resolve({ ...head, body });
    };
    /** Leaves the rest of the body unread. Not synchronously: undici may be handling the end of it. */
    const leave = (answering: Dispatcher.DispatchController, error?: Error): void => {
      isOver = true;
      if (error !== undefined) fail(error);
      else if (head !== undefined) resolve({ ...head, body });
      setImmediate(() => answering.abort(error ?? new Error('Enough was read.')));
    };
    if (signal?.aborted === true) return callOff();
    signal?.addEventListener('abort', callOff);
    dispatcher.dispatch(request, {
      onRequestStart(started) {
        controller = started;
        // Connected too late.
        if (ended !== undefined) controller.abort(ended);
      },
      onResponseStart(_controller, status, headers) {
        // An informational status; the answer is still to come.
        if (status < 200) return;
        head = { status, headers };
        if (!READ.has(status)) resolve({ ...head, body });
      },
      onResponseData(answering, chunk) {
        if (isOver) return;
        try {
          if (body.write(chunk)) leave(answering);
        } catch (error) {
          leave(answering, error instanceof Error ? error : new Error('The answer could not be read.'));
        }
      },
      onResponseEnd() {
        settle();
        if (head !== undefined && !isOver) resolve({ ...head, body });
      },
      onResponseError(_controller, error) {
        settle();
        fail(error);
      },
    });
  });
}

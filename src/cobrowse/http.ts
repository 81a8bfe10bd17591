import { setTimeout as pause } from 'node:timers/promises';
import type { Histogram } from 'prom-client';
import { errors, type Dispatcher } from 'undici';
import { z } from 'zod';
import {
  CobrowseError,
  NOT_PUBLIC,
  codeOf,
  type CobrowseErrorDetails,
  type CobrowseErrorKind,
  type KeyHolder,
} from './errors.ts';
import { pathOf as pathIn, valueAt, type WireNames } from './wire-names.ts';

/** JSON.parse blocks everything else, and a megabyte of braces takes a second: what's over a limit is never parsed. */
interface JsonLimits {
  readonly mebibytes: number;
  /** How many objects and lists. */
  readonly things: number;
  /** A list that's too large is read as far as it arrived. */
  readonly canBeCut?: boolean;
}

const LIMITS = {
  one: { mebibytes: 2, things: 50_000 },
  list: { mebibytes: 8, things: 200_000, canBeCut: true },
  /** An agent without their sessions, which come last as a rule. */
  start: { mebibytes: 1, things: 50_000, canBeCut: true },
  history: { mebibytes: 64, things: 600_000 },
} as const satisfies Record<string, JsonLimits>;
type Size = keyof typeof LIMITS;
/** With many workspaces a service that one of them connected may not keep the others waiting. */
const LIMITS_OF_TENANTS = {
  one: { mebibytes: 1, things: 50_000 },
  list: LIMITS.start,
  start: LIMITS.start,
  history: { mebibytes: 32, things: 300_000 },
} as const satisfies Record<Size, JsonLimits>;

const MIB = 1024 * 1024;
const MOST_NESTED = 64;
/** A list's entries are cut, not what's in an entry: the deepest list of ours is `agent.sessions`. */
const DEEPEST_LIST = 3;

/** An answer that can't be right, or is too much to read. The message never quotes it. */
export class UnreadableAnswerError extends Error {
  override readonly name = 'UnreadableAnswerError';
  /** The limit that it's over, like `over-1-MiB`. */
  readonly code: string | undefined;

  constructor(message: string, code?: string) {
    super(message);
    this.code = code;
  }
}

const over = (limit: string) => new UnreadableAnswerError('the answer is too much to read', `over-${limit}`);

/** @throws UnreadableAnswerError */
export function readAs<Value>(schema: z.ZodType<Value>, json: unknown): Value {
  const read = schema.safeParse(json);
  if (read.success) return read.data;
  const places = read.error.issues.map((issue) => `${issue.path.join('.') || 'answer'} (${issue.code})`);
  throw new UnreadableAnswerError(`the answer cannot be read at ${places.join(', ')}`);
}

class JsonText {
  readonly #limits: JsonLimits;
  readonly #decoder = new TextDecoder();
  #bytes = 0;
  #things = 0;
  text = '';
  /** What closes the objects and lists that are open. */
  #ends: string[] = [];
  #isQuoted = false;
  /** The last part ended with a backslash. */
  #isEscaped = false;
  /** Up to a list's last whole entry, with all that's open closed. */
  #whole: (() => string) | undefined;

  constructor(limits: JsonLimits) {
    this.#limits = limits;
  }

  get cutAtMiB(): number | undefined {
    return this.#bytes > this.#limits.mebibytes * MIB ? this.#limits.mebibytes : undefined;
  }

  add(part: Uint8Array): void {
    const { mebibytes, canBeCut = false } = this.#limits;
    const room = mebibytes * MIB - this.#bytes;
    this.#bytes += part.length;
    if (part.length > room && !canBeCut) throw over(`${mebibytes}-MiB`);
    const added = this.#decoder.decode(part.subarray(0, room), { stream: true });
    if (added === '') return;
    const before = this.text.length;
    this.text += added;
    // What a backslash escapes says nothing.
    const unescaped = this.#isEscaped ? ` ${added.slice(1)}` : added;
    this.#isEscaped = false;
    for (const { 0: found, index } of unescaped.matchAll(/\\[^]?|["{}[\]]/g)) {
      if (found === '\\') this.#isEscaped = true;
      else if (found === '"') this.#isQuoted = !this.#isQuoted;
      else if (!this.#isQuoted) this.#look(found, before + index + 1);
    }
  }

  #look(letter: string, length: number): void {
    if (letter === '{' || letter === '[') {
      this.#things += 1;
      this.#ends.push(letter === '{' ? '}' : ']');
      if (this.#ends.length > MOST_NESTED) throw over(`${MOST_NESTED}-levels`);
      if (this.#things > this.#limits.things) throw over(`${this.#limits.things}-things`);
    } else {
      this.#ends.pop();
      if (this.#ends.length > DEEPEST_LIST || this.#ends.at(-1) !== ']') return;
      const ending = this.#ends.toReversed().join('');
      this.#whole = () => this.text.slice(0, length) + ending;
    }
  }

  value(): unknown {
    const { cutAtMiB } = this;
    const text = cutAtMiB === undefined ? this.text : this.#whole?.();
    if (text === undefined) throw over(`${cutAtMiB}-MiB`);
    try {
      return JSON.parse(text);
    } catch {
      // The parser's own message quotes the answer, which may hold anything.
      throw new UnreadableAnswerError('the answer is no JSON');
    }
  }
}

/** Without Retry-After: long enough for a balancer to notice that a server restarts. */
const USUAL_PAUSE_MS = 250;
/** A person is waiting. */
const LONGEST_PAUSE_MS = 2_000;

/** A refused key has its code in the body. */
const READ: ReadonlySet<number> = new Set([200, 401, 403]);
const BUSY: ReadonlySet<number> = new Set([429, 500, 502, 503, 504]);
const PASSING: ReadonlySet<number> = new Set([429, 502, 503, 504]);

export interface ServiceCall {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** As the document writes it. Errors name it, so it contains no id and no search text. */
  readonly endpoint: string;
  readonly visitorId?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: object;
  /** What this endpoint's refusals mean. Source: the table of errors in the service document. */
  readonly meanings?: Readonly<Partial<Record<number, CobrowseErrorKind>>>;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** In the body; no error shows them. */
  readonly secrets?: readonly string[];
}

export interface ServiceOptions {
  readonly wireNames: WireNames;
  readonly dispatcher: Dispatcher;
  readonly keyHolder?: KeyHolder;
  /** Hosts that links may lead to, at any port. If empty, any host over https. */
  readonly watchHosts?: readonly string[];
  /** Time limit for one call, including its repetition. Default 8 s. */
  readonly timeoutMs?: number;
  readonly now?: () => Date;
  /** Times each request. `outcome` is `answered`, or the error's kind. */
  readonly answered?: Pick<Histogram<'outcome'>, 'startTimer'>;
}

/** As the settings, or the form of whoever connected it, take them. */
export interface ServiceAddress {
  readonly baseUrl: string;
  readonly pathPrefix: string;
  readonly key: string;
  readonly authHeader: { readonly name: string; readonly value: string };
}

interface Reply {
  readonly status: number;
  readonly headers: Dispatcher.ResponseData['headers'];
  readonly body: JsonText;
}

interface Failed {
  readonly failure: CobrowseError;
  readonly retryInMs?: number;
}

function createFailures({ wireNames, keyHolder, now = () => new Date() }: ServiceOptions, key: string) {
  const secrets = [key];
  const unreadable = (call: ServiceCall, { message: what, code }: UnreadableAnswerError) =>
    failureOf(call, 'not-understood', { what, code, status: 200, secrets });

  function broken(call: ServiceCall, cause: unknown): Failed {
    if (cause instanceof UnreadableAnswerError) return { failure: unreadable(call, cause) };
    const [kind, code] = [kindOfBreak(cause), codeOf(cause)];
    const details = { secrets, code: code === NOT_PUBLIC ? code : undefined };
    const failure = failureOf(call, kind, { ...details, what: `no whole answer (${code ?? kind})` });
    return { failure, retryInMs: RESET.has(code) ? 0 : undefined };
  }

  function refused(call: ServiceCall, reply: Reply): Failed {
    const { status, body } = reply;
    const kind = kindOfStatus(status, call.meanings);
    const why = kind === 'refused-key' ? { code: errorCodeIn(body, wireNames.errorCode), keyHolder } : {};
    return {
      failure: failureOf(call, kind, { what: `answered ${status}`, status, secrets, ...why }),
      retryInMs: retryPauseMs(reply, now()),
    };
  }

  return { unreadable, broken, refused };
}

/** Plain text, as the document has it, or as JSON: what has been done must not be told as a failure. */
const OK = /^\s*(?:"?ok"?|\{\s*"status"\s*:\s*"ok"[^{}]*\})\s*$/;

/** Rejects only with a CobrowseError. Repeats a GET once if that may help, and nothing else. */
export function createHttp(
  options: ServiceOptions,
  { baseUrl, pathPrefix, key, authHeader }: ServiceAddress,
) {
  const { keyHolder, dispatcher, timeoutMs: usualMs = 8_000 } = options;
  const { unreadable, broken, refused } = createFailures(options, key);
  const { origin, pathname } = new URL(baseUrl);
  const below = pathname.replace(/\/+$/, '') + pathPrefix;
  const limits = keyHolder === 'workspace' ? LIMITS_OF_TENANTS : LIMITS;
  const usual = {
    accept: 'application/json',
    'user-agent': 'cobrowse-for-slack',
    [authHeader.name]: authHeader.value,
  };

  async function exchange(call: ServiceCall, size: Size, signal: AbortSignal): Promise<Reply | Failed> {
    const took = options.answered?.startTimer();
    const request = {
      origin,
      path: below + pathOf(call),
      method: call.method,
      headers: call.body === undefined ? usual : { ...usual, 'content-type': 'application/json' },
      body: call.body === undefined ? null : JSON.stringify(call.body),
      signal,
    };
    const outcome = await ask(dispatcher, request, limits[size]).then(
      (reply) => (reply.status === 200 ? reply : refused(call, reply)),
      (cause: unknown) => broken(call, cause),
    );
    took?.({ outcome: 'failure' in outcome ? outcome.failure.kind : 'answered' });
    return outcome;
  }

  async function send(call: ServiceCall, size: Size): Promise<Reply> {
    if (call.visitorId !== undefined && !isUsableId(call.visitorId))
      throw failureOf(call, 'not-found', { what: 'not sent, no visitor can have this id' });
    const ending = new AbortController();
    const { signal } = ending;
    const end = (kind: CobrowseErrorKind) => ending.abort(new CobrowseError(kind, kind));
    const callOff = () => end('called-off');
    const timer = setTimeout(() => end('timed-out'), call.timeoutMs ?? usualMs);
    call.signal?.addEventListener('abort', callOff);
    if (call.signal?.aborted === true) callOff();
    try {
      let outcome = await exchange(call, size, signal);
      if ('failure' in outcome && outcome.retryInMs !== undefined && call.method === 'GET') {
        await pause(outcome.retryInMs, undefined, { signal }).catch(() => undefined);
        if (!signal.aborted) outcome = await exchange(call, size, signal);
      }
      if ('failure' in outcome) throw outcome.failure;
      return outcome;
    } finally {
      clearTimeout(timer);
      call.signal?.removeEventListener('abort', callOff);
    }
  }

  return {
    /** @param understand may throw an UnreadableAnswerError */
    async read<Value>(
      call: ServiceCall,
      understand: (json: unknown, cutAtMiB: number | undefined) => Value,
      size: Size = 'one',
    ): Promise<Value> {
      const { body } = await send(call, size);
      try {
        return understand(body.value(), body.cutAtMiB);
      } catch (error) {
        throw error instanceof UnreadableAnswerError ? unreadable(call, error) : error;
      }
    },
    async confirm(call: ServiceCall): Promise<void> {
      const { body } = await send(call, 'one');
      if (!OK.test(body.text)) throw unreadable(call, new UnreadableAnswerError('the answer is not "ok"'));
    },
  };
}

export function failureOf(
  call: ServiceCall,
  kind: CobrowseErrorKind,
  { what, ...details }: CobrowseErrorDetails & { readonly what: string },
): CobrowseError {
  const secrets = [...(details.secrets ?? []), ...(call.secrets ?? [])];
  const { method, endpoint, visitorId } = call;
  return new CobrowseError(kind, `${method} ${endpoint}: ${what}`, { ...details, visitorId, secrets });
}

/** Empty, dots or a slash (even escaped, where a server decodes first) would lead to another endpoint. */
export function isUsableId(visitorId: string): boolean {
  return visitorId.isWellFormed() && !['', '.', '..'].includes(visitorId) && !/[/\\\p{Cc}]/u.test(visitorId);
}

export function pathOf({ endpoint, visitorId = '', query = {} }: ServiceCall): string {
  const path = endpoint.replace('{visitor_id}', () => encodeURIComponent(visitorId));
  const search = new URLSearchParams(query).toString();
  return search === '' ? path : `${path}?${search}`;
}

/** The document has no redirects, and none is followed. */
function kindOfStatus(status: number, meanings: ServiceCall['meanings'] = {}): CobrowseErrorKind {
  if (status === 401 || status === 403) return 'refused-key';
  const usual = status === 402 ? 'not-in-plan' : BUSY.has(status) ? 'busy' : 'not-understood';
  return meanings[status] ?? usual;
}

function kindOfBreak(error: unknown): CobrowseErrorKind {
  if (error instanceof CobrowseError) return error.kind;
  return error instanceof errors.HTTPParserError ? 'not-understood' : 'unreachable';
}

/** As kept connections break off when the other side restarts. */
const RESET: ReadonlySet<string | undefined> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

/** Undefined if trying again is useless or takes too long. */
function retryPauseMs({ status, headers }: Reply, now: Date): number | undefined {
  const [retryAfter] = [headers['retry-after']].flat();
  const pauseMs = Math.max(0, askedPauseMs(retryAfter, now) ?? USUAL_PAUSE_MS);
  return PASSING.has(status) && pauseMs <= LONGEST_PAUSE_MS ? pauseMs : undefined;
}

/** In milliseconds; undefined if the header doesn't say. Source: RFC 9110, 10.2.3. */
export function askedPauseMs(retryAfter: string | undefined, now: Date): number | undefined {
  if (retryAfter === undefined) return undefined;
  if (/^\s*\d+\s*$/.test(retryAfter)) return Number(retryAfter) * 1_000;
  const ms = Date.parse(retryAfter) - now.getTime();
  return Number.isNaN(ms) ? undefined : ms;
}

function errorCodeIn(body: JsonText, field: string): string | undefined {
  try {
    const code = valueAt(body.value(), pathIn(field));
    return typeof code === 'string' ? code : undefined;
  } catch {
    return undefined;
  }
}

/** Rejects with undici's error, an UnreadableAnswerError or the signal's reason if no complete 200 arrives. */
async function ask(
  dispatcher: Dispatcher,
  request: Dispatcher.RequestOptions & { readonly signal: AbortSignal },
  limits: JsonLimits,
): Promise<Reply> {
  const { signal } = request;
  signal.throwIfAborted();
  const ended = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
  });
  // undici itself waits for a connection before it gives up.
  const answer = await Promise.race([dispatcher.request(request), ended]);
  const { statusCode: status, headers } = answer;
  const body = new JsonText(limits);
  if (!READ.has(status)) {
    // The connection can be used again after that.
    void answer.body.dump({ limit: MIB }).catch(() => undefined);
    return { status, headers, body };
  }
  try {
    for await (const part of answer.body) {
      body.add(part);
      if (body.cutAtMiB !== undefined) break;
    }
  } catch (error) {
    // For a refusal the head is enough.
    if (status === 200) throw error;
  }
  return { status, headers, body };
}

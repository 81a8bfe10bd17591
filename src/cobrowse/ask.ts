import { errors } from 'undici';
import type { Dispatcher } from 'undici';

/** An answer of the service. `text` is empty where nothing is learned from it. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** An answer that can't be right. The message never quotes it. */
export class UnreadableAnswerError extends Error {
  override readonly name = 'UnreadableAnswerError';
}

/** Takes a body in as it comes, in place of collecting it. */
export interface BodyReader<Value> {
  /** @throws UnreadableAnswerError */
  write(part: Uint8Array): void;
  /** Whether the rest may be left unread. */
  hasEnough(): boolean;
  /** What was read, after the last part. Rejects with an UnreadableAnswerError, also where the answer isn't whole. */
  result(): Promise<Value>;
}

/** What an answer may cost, and how it is taken in. */
export interface AskOptions {
  /** How long the whole answer may take. */
  readonly ms: number;
  /** How large a body may be. */
  readonly bytes: number;
  /** Of a 200; without it the body becomes the answer's text. */
  readonly reader?: Pick<BodyReader<unknown>, 'write' | 'hasEnough'> | undefined;
  /** Calls the request off. */
  readonly signal?: AbortSignal | undefined;
}

/** Read in one go, then everything else has its turn: a few milliseconds. */
const BYTES_A_TURN = 64 * 1024;

/** Of these the body matters; every other status tells all. A refused key's body has a code, if it arrives. */
const READ: ReadonlySet<number> = new Set([200, 401, 403]);

/** The time for an answer is over. */
export class TimeLimitError extends Error {
  override readonly name = 'TimeLimitError';
}

/** Whoever asked has no use for the answer any more. */
export class CalledOffError extends Error {
  override readonly name = 'CalledOffError';
}

/**
 * Sends one request and collects its answer. Below undici's `request`: its streams and signals cost a click a third of
 * its processor time and of its memory.
 *
 * Resolves with the head alone where the body is of no use: that is read to its end meanwhile, so that the connection
 * can serve again. Rejects with undici's error or a TimeLimitError where no whole 200 arrives.
 *
 * @param options see {@link AskOptions}; a reader that throws ends the request with its error
 */
export function ask(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  { ms, bytes: mostBytes, reader, signal }: AskOptions,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    let bytesThisTurn = 0;
    /** Whether the rest of the body is not looked at. */
    let isOver = false;
    let head: Omit<Answer, 'text'> | undefined;
    let controller: Dispatcher.DispatchController | undefined;
    let ended: Error | undefined;
    const end = (error: Error): void => {
      ended = error;
      if (controller === undefined) reject(error);
      else controller.abort(error);
    };
    const timer = setTimeout(() => end(new TimeLimitError(`No whole answer in ${ms} ms.`)), ms);
    const callOff = (): void => end(new CalledOffError('Called off.'));
    const settle = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', callOff);
    };
    const fail = (error: Error): void => {
      // Of a refusal the head tells enough.
      if (head === undefined || head.status === 200) reject(error);
      else resolve({ ...head, text: '' });
    };
    /** Leaves the rest of the body unread. Not at once: undici may have the end of it in its hands. */
    const leave = (answering: Dispatcher.DispatchController, error?: Error): void => {
      isOver = true;
      if (error !== undefined) fail(error);
      else if (head !== undefined) resolve({ ...head, text: '' });
      setImmediate(() => answering.abort(error ?? new Error('Enough was read.')));
    };
    if (signal?.aborted === true) {
      clearTimeout(timer);
      reject(new CalledOffError('Called off before it was sent.'));
      return;
    }
    signal?.addEventListener('abort', callOff);
    dispatcher.dispatch(request, {
      onRequestStart(started) {
        controller = started;
        // Connected too late.
        if (ended !== undefined) controller.abort(ended);
      },
      onResponseStart(_controller, status, headers) {
        // Below 200 is only news on the way to the answer.
        if (status < 200) return;
        head = { status, headers };
        if (!READ.has(status)) resolve({ ...head, text: '' });
      },
      onResponseData(answering, chunk) {
        if (isOver) return;
        bytes += chunk.length;
        if (bytes > mostBytes) return leave(answering, new errors.ResponseExceededMaxSizeError());
        if (head === undefined || !READ.has(head.status)) return;
        if (reader === undefined || head.status !== 200) {
          chunks.push(chunk);
          return;
        }
        try {
          reader.write(chunk);
        } catch (error) {
          return leave(answering, error instanceof Error ? error : new Error('The reader failed.'));
        }
        if (reader.hasEnough()) return leave(answering);
        bytesThisTurn += chunk.length;
        if (bytesThisTurn < BYTES_A_TURN) return;
        bytesThisTurn = 0;
        answering.pause();
        setImmediate(() => answering.resume());
      },
      onResponseEnd() {
        settle();
        if (isOver) return;
        if (head !== undefined) resolve({ ...head, text: new TextDecoder().decode(Buffer.concat(chunks)) });
      },
      onResponseError(_controller, error) {
        settle();
        fail(error);
      },
    });
  });
}

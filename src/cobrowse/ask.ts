import { errors } from 'undici';
import type { Dispatcher } from 'undici';

/** An answer of the service. `text` is empty where nothing is learned from it. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** Of these the body matters; every other status tells all. A refused key's body has a code, if it arrives. */
const READ: ReadonlySet<number> = new Set([200, 401, 403]);

/** The time for an answer is over. */
export class TimeLimitError extends Error {
  override readonly name = 'TimeLimitError';
}

/**
 * Sends one request and collects its answer. Below undici's `request`: its streams and signals cost a click a third of
 * its processor time and of its memory.
 *
 * Resolves with the head alone where the body is of no use: that is read to its end meanwhile, so that the connection
 * can serve again. Rejects with undici's error or a TimeLimitError where no whole 200 arrives.
 *
 * @param most.ms how long the whole answer may take
 * @param most.bytes how large a body that is read may be
 */
export function ask(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  most: { readonly ms: number; readonly bytes: number },
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    let head: Omit<Answer, 'text'> | undefined;
    let controller: Dispatcher.DispatchController | undefined;
    let late: TimeLimitError | undefined;
    const timer = setTimeout(() => {
      late = new TimeLimitError(`No whole answer in ${most.ms} ms.`);
      if (controller === undefined) reject(late);
      else controller.abort(late);
    }, most.ms);
    dispatcher.dispatch(request, {
      onRequestStart(started) {
        controller = started;
        // Connected too late.
        if (late !== undefined) controller.abort(late);
      },
      onResponseStart(_controller, status, headers) {
        // Below 200 is only news on the way to the answer.
        if (status < 200) return;
        head = { status, headers };
        if (!READ.has(status)) resolve({ ...head, text: '' });
      },
      onResponseData(answering, chunk) {
        if (head === undefined || !READ.has(head.status)) return;
        chunks.push(chunk);
        bytes += chunk.length;
        if (bytes > most.bytes) answering.abort(new errors.ResponseExceededMaxSizeError());
      },
      onResponseEnd() {
        clearTimeout(timer);
        if (head !== undefined) resolve({ ...head, text: new TextDecoder().decode(Buffer.concat(chunks)) });
      },
      onResponseError(_controller, error) {
        clearTimeout(timer);
        if (head === undefined || head.status === 200) reject(error);
        else resolve({ ...head, text: '' });
      },
    });
  });
}

/** A limit is counted in parts, each begun when the one before is over: many for a short one, and no more for a long one. */
const PART_MS = 20;
const MOST_PARTS = 150;

/**
 * Calls back after this time, without keeping the process alive. While the process gets no processor time, no more than
 * a part of it passes: what has arrived in the meantime is read before the limit is over.
 *
 * @returns how to cancel it.
 */
export function afterTime(ms: number, run: () => void): () => void {
  const parts = Math.min(Math.ceil(ms / PART_MS) || 1, MOST_PARTS);
  let timer: NodeJS.Timeout | undefined;
  const wait = (left: number): void => {
    timer = setTimeout(() => (left > 1 ? wait(left - 1) : run()), ms / parts).unref();
  };
  wait(parts);
  return () => clearTimeout(timer);
}

/** Does something that such a limit breaks off, with a `TimeoutError`. */
export async function withinTime<T>(ms: number, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const limit = new AbortController();
  const cancel = afterTime(ms, () => limit.abort(new DOMException('It took too long.', 'TimeoutError')));
  try {
    return await run(limit.signal);
  } finally {
    cancel();
  }
}

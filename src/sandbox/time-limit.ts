/** A limit is counted in so many parts, each begun when the one before is over. */
const PARTS = 10;

/**
 * Calls back after this time, without keeping the process alive. While the process gets no processor time at all, no
 * more than a part of it passes: what has arrived in the meantime is read before the limit is over.
 *
 * @returns how to cancel it.
 */
export function afterTime(ms: number, run: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  const wait = (parts: number): void => {
    timer = setTimeout(() => (parts === 1 ? run() : wait(parts - 1)), ms / PARTS).unref();
  };
  wait(PARTS);
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

/** How much of what was there instead a failure says, in characters. */
const MOST_SHOWN = 10_000;

/** What a successful look returns. */
export type Sighting<T> = Exclude<T, undefined | null | false>;

const isSighting = <T>(value: T): value is T & Sighting<T> =>
  value !== undefined && value !== null && value !== false;

/**
 * Looks at something that changes until there is something to see.
 *
 * @throws {Error} after `timeoutMs`, with what was there instead.
 */
export const watchUntil = async <S, T>(
  watched: { readonly read: () => S; readonly onChange: (listener: () => void) => () => void },
  look: (state: S) => T,
  timeoutMs: number,
): Promise<Sighting<T>> => {
  const { promise, resolve, reject } = Promise.withResolvers<Sighting<T>>();
  const check = (): void => {
    try {
      const value = look(watched.read());
      if (isSighting(value)) resolve(value);
    } catch (error) {
      reject(error);
    }
  };
  const forget = watched.onChange(check);
  // Made here for its stack: a timer's says nothing about who waited.
  const late = new Error(`Not seen within ${timeoutMs} ms.`);
  const limit = setTimeout(() => {
    late.message += ` Instead: ${JSON.stringify(watched.read()).slice(-MOST_SHOWN)}`;
    reject(late);
  }, timeoutMs);
  check();
  try {
    return await promise;
  } finally {
    forget();
    clearTimeout(limit);
  }
};

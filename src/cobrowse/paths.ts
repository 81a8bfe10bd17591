/** A name on the wire as the way to a value: `branding.retry_url` is in `branding`. Empty for no name. */
export const pathOf = (name: string): readonly string[] => name.split('.').filter((key) => key !== '');

/** What an object of the service's has at a path; undefined if it has nothing there, or there's no path. */
export function valueAt(value: unknown, path: readonly string[]): unknown {
  const [key, ...rest] = path;
  if (key === undefined || typeof value !== 'object' || value === null || !Object.hasOwn(value, key))
    return undefined;
  const inner: unknown = Reflect.get(value, key);
  return rest.length === 0 ? inner : valueAt(inner, rest);
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A copy of the object with the value at that path. */
export function withValueAt(
  object: Readonly<Record<string, unknown>>,
  path: readonly string[],
  value: unknown,
): Readonly<Record<string, unknown>> {
  const [key, ...rest] = path;
  if (key === undefined || value === undefined) return object;
  const inner = Object.hasOwn(object, key) ? object[key] : undefined;
  return {
    ...object,
    [key]: rest.length === 0 ? value : withValueAt(isObject(inner) ? inner : {}, rest, value),
  };
}

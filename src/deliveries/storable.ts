import type { Session } from '../cobrowse/schemas.ts';

/** A session is a few levels deep. JSON of 1 MiB can be too deep to be stringified again. */
const MOST_LEVELS = 64;

/** Whether a value parsed from JSON is nested too deeply to be stored. */
export function isTooDeep(value: unknown, levels = MOST_LEVELS): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isTooDeep(inner, levels - 1));
}

/** The id becomes a key in the database, which accepts only well-formed text. */
export function hasUsableId({ id }: Pick<Session, 'id'>): boolean {
  return id.isWellFormed();
}

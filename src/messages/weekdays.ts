/** Monday is 1, as in ISO 8601. */
const NAMES = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const;

export const weekdayName = (weekday: number): string => NAMES[weekday - 1] ?? '';

/** Undefined for a word that isn't a day; three letters are enough. */
export function weekdayNamed(word: string): number | undefined {
  const wanted = word.toLowerCase();
  if (wanted.length < 3) return undefined;
  const index = NAMES.findIndex((name) => name.toLowerCase().startsWith(wanted));
  return index === -1 ? undefined : index + 1;
}

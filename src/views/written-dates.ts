/** A reader's time zone (an IANA name) and locale (BCP 47), each if Slack says it. */
export interface Reader {
  readonly timeZone?: string | undefined;
  readonly locale?: string | undefined;
}

/** Slack's date, as `spokenLine` writes it. Everything else in angle brackets is escaped. */
const DATE = /<!date\^(\d{1,12})\^([^|<>]*)\|([^<>]*)>/g;

function written(at: Date, format: string, { timeZone, locale }: Reader): string | undefined {
  if (timeZone === undefined) return undefined;
  try {
    return new Intl.DateTimeFormat(locale ?? 'en-US', {
      timeZone,
      ...(format === '{time}' ? {} : { dateStyle: 'medium' }),
      ...(format.includes('{time}') ? { timeStyle: 'short' } : {}),
    }).format(at);
  } catch {
    // A zone or locale that this machine doesn't know: UTC says so itself.
    return undefined;
  }
}

/**
 * A message's text with its dates written out, for places where Slack doesn't: in the reader's zone and locale, else in UTC.
 *
 * @param text with Slack's date tokens
 */
export function writtenDates(text: string, reader: Reader): string {
  return text.replaceAll(DATE, (_token, seconds: string, format: string, inUtc: string) => {
    const at = new Date(Number(seconds) * 1_000);
    return written(at, format, reader) ?? inUtc;
  });
}

import type { AuditEntry } from './audit.ts';

/** Which records of the audit are wanted: those that fit every list; an empty list fits all. */
export interface AuditFilter {
  readonly userIds: readonly string[];
  readonly channelIds: readonly string[];
  readonly visitorIds: readonly string[];
  readonly actions: readonly AuditEntry['action'][];
  readonly since: Date | undefined;
}

const fits = (wanted: readonly string[], value: string | undefined) =>
  wanted.length === 0 || (value !== undefined && wanted.includes(value));

/** The records that fit, of a audit that is read newest first; reads no further than the filter reaches back. */
export async function* filtered(
  records: AsyncIterable<AuditEntry>,
  filter: AuditFilter,
): AsyncGenerator<AuditEntry> {
  const since = filter.since?.toISOString() ?? '';
  for await (const record of records) {
    if (record.at < since) return;
    const isWanted =
      fits(filter.userIds, record.userId) &&
      fits(filter.channelIds, record.channelId) &&
      fits(filter.visitorIds, record.visitorId) &&
      fits(filter.actions, record.action);
    if (isWanted) yield record;
  }
}

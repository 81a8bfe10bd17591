import type { TrailRecord } from './trail.ts';

/** Which records of the trail are wanted: those that fit every list; an empty list fits all. */
export interface TrailFilter {
  readonly userIds: readonly string[];
  readonly channelIds: readonly string[];
  readonly visitorIds: readonly string[];
  readonly deeds: readonly TrailRecord['deed'][];
  readonly since: Date | undefined;
}

const fits = (wanted: readonly string[], value: string | undefined) =>
  wanted.length === 0 || (value !== undefined && wanted.includes(value));

/** The records that fit, of a trail that is read newest first; reads no further than the filter reaches back. */
export async function* filtered(
  records: AsyncIterable<TrailRecord>,
  filter: TrailFilter,
): AsyncGenerator<TrailRecord> {
  const since = filter.since?.toISOString() ?? '';
  for await (const record of records) {
    if (record.at < since) return;
    const isWanted =
      fits(filter.userIds, record.userId) &&
      fits(filter.channelIds, record.channelId) &&
      fits(filter.visitorIds, record.visitorId) &&
      fits(filter.deeds, record.deed);
    if (isWanted) yield record;
  }
}

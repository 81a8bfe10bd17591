import type { z } from 'zod';
import { UnreadableAnswerError, readAs } from './json-text.ts';
import { VisitorsReplySchema, hasId, type Visitor } from './schemas.ts';

/** Visitors, as the service lists them. */
export interface Visitors extends ReadonlyArray<Visitor> {
  /** How many MiB of them were read, where the service sent more. */
  readonly cutAtMiB?: number;
}

/** Says of visitors where others were cut. */
export const cutLike = (visitors: readonly Visitor[], ...others: readonly Visitors[]): Visitors =>
  Object.assign([...visitors], { cutAtMiB: others.find(({ cutAtMiB }) => cutAtMiB !== undefined)?.cutAtMiB });

/**
 * Reads the first few of a list. Entries without a usable id are skipped. A list with nothing but those is an answer we
 * don't understand, not an empty one.
 *
 * @param cutAtMiB where the rest of the list wasn't read
 * @throws UnreadableAnswerError
 */
export function readVisitors(
  reply: unknown,
  schema: z.ZodType<Visitor>,
  limit: number,
  cutAtMiB: number | undefined,
): Visitors {
  const entries = readAs(VisitorsReplySchema, reply).visitors ?? [];
  const visitors: Visitor[] = [];
  for (const entry of entries) {
    if (visitors.length >= limit) break;
    const read = hasId(entry, 'short_id') ? schema.safeParse(entry) : undefined;
    if (read?.success === true) visitors.push(read.data);
  }
  if (entries.length > 0 && visitors.length === 0)
    throw new UnreadableAnswerError('no usable short_id in the list');
  return visitors.length < limit ? Object.assign(visitors, { cutAtMiB }) : visitors;
}

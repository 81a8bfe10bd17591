import type { z } from 'zod';
import { complaintAbout, type BodyReader } from './http.ts';
import { UnreadableAnswerError, createJsonParts, tooLarge } from './json-parts.ts';
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
 * Reads the first few of a list, and of a list that's too large those that came in time. Entries without a usable id are
 * skipped. A list with nothing but those is an answer we don't understand, not an empty one.
 */
export function createVisitorsReader(
  schema: z.ZodType<Visitor>,
  limit: number,
  mostBytes: number,
): BodyReader<Visitors> {
  const visitors: Visitor[] = [];
  let bytes = 0;
  let isEmpty = true;
  const parts = createJsonParts(['visitors'], (entry) => {
    isEmpty = false;
    if (visitors.length >= limit) return true;
    const read = hasId(entry, 'short_id') ? schema.safeParse(entry) : undefined;
    if (read?.success === true) visitors.push(read.data);
    return read?.success === true;
  });

  return {
    hasEnough: () => bytes > mostBytes,
    write(part) {
      parts.write(part.subarray(0, Math.max(0, mostBytes - bytes)));
      bytes += part.length;
    },
    async result() {
      const isCut = bytes > mostBytes && visitors.length < limit;
      if (isCut && visitors.length === 0) throw tooLarge(mostBytes);
      const reply = VisitorsReplySchema.safeParse(bytes > mostBytes ? parts.restSoFar() : parts.rest());
      if (!reply.success) throw new UnreadableAnswerError(complaintAbout(reply.error));
      if (!isEmpty && visitors.length === 0)
        throw new UnreadableAnswerError('no usable short_id in the list');
      return isCut ? Object.assign(visitors, { cutAtMiB: mostBytes / 1024 ** 2 }) : visitors;
    },
  };
}

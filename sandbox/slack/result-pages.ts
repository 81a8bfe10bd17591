import { z } from 'zod';

import { SlackError } from './slack-error.ts';

/** Paging of long answers, after https://docs.slack.dev/apis/web-api/pagination. */

/** The arguments of a method with paging; a form has numbers as text. */
export const pageArgs = { cursor: z.string().optional(), limit: z.coerce.number().optional() };

/** A larger limit is reduced to this. */
const longestPage = 999;

export interface ResultPage<T> {
  readonly items: readonly T[];
  readonly more: boolean;
  /** Empty on the last page, as in Slack. */
  readonly nextCursor: string;
}

/**
 * @param keyOf what the cursor remembers: the next page starts after the item with that key.
 * @throws {SlackError} invalid_limit, invalid_cursor.
 */
export const pageOf = <T>(
  all: readonly T[],
  keyOf: (item: T) => string,
  args: {
    readonly cursor?: string;
    readonly limit?: number;
    readonly usual?: number;
  },
): ResultPage<T> => {
  const limit = Math.min(args.limit ?? args.usual ?? 100, longestPage);
  if (!Number.isInteger(limit) || limit < 1) throw new SlackError('invalid_limit');
  const from = startOf(all, keyOf, args.cursor);
  const items = all.slice(from, from + limit);
  const last = items.at(-1);
  const more = from + limit < all.length;
  return { items, more, nextCursor: more && last !== undefined ? cursorOf(keyOf(last)) : '' };
};

const startOf = <T>(all: readonly T[], keyOf: (item: T) => string, cursor = ''): number => {
  if (cursor === '') return 0;
  const at = all.findIndex((item) => cursorOf(keyOf(item)) === cursor);
  if (at === -1) throw new SlackError('invalid_cursor');
  return at + 1;
};

const cursorOf = (key: string): string => Buffer.from(`next:${key}`).toString('base64');

import { z } from 'zod';
import type { RecordFilter } from '../commands/record-filter.ts';
import { join, sql, type Database, type Sql } from '../database/database.ts';
import { createNewestFirst, isOneOf, type Position } from '../database/newest-first.ts';
import type { SessionOutcome } from '../messages/session-words.ts';
import { SessionEndRow, sessionEndColumns } from '../sessions/session-ends.ts';

/** `none`: nobody has said yet how it went. */
export type SessionFilter = RecordFilter<SessionOutcome | 'none'>;

export type Scope =
  | 'all'
  /** Their own, and those whose summary was posted in these channels. */
  | { readonly userId: string; readonly channelIds: readonly string[] };

export const endedBefore = (at: number): Position<string> => ({ at, id: '' });

function hasOutcome(words: SessionFilter['words']): Sql | undefined {
  const isIt = isOneOf(
    sql`COALESCE(outcome, '')`,
    words.map((word) => (word === 'none' ? '' : word)),
  );
  // What the customer never accepted has no outcome to be set.
  return isIt && sql`${isIt} AND (COALESCE(outcome, '') <> '' OR accepted IS DISTINCT FROM 0)`;
}

/** Finds ended sessions, newest first. All reject with a DatabaseError. */
export function createSessionSearch(database: Pick<Database, 'read' | 'inBackground'>) {
  const newestFirst = createNewestFirst(database, {
    table: sql`session_ends`,
    at: sql`received_at`,
    columns: sql`${sessionEndColumns}, accepted`,
    every: sql`1 = 1`,
    id: z.string(),
    row: SessionEndRow,
  });

  /** The ids that these channels have and ever had: a summary has the one from when it was posted. */
  async function allIdsOf(workspaceId: string, channelIds: readonly string[]): Promise<readonly string[]> {
    if (channelIds.length === 0) return [];
    const known = await database.read(
      sql`SELECT channel_id FROM channels WHERE workspace_id = ${workspaceId}
        AND COALESCE(moved_to, channel_id) IN (SELECT COALESCE(moved_to, channel_id) FROM channels
          WHERE workspace_id = ${workspaceId} AND channel_id IN (${join(channelIds)}))`,
      z.object({ channel_id: z.string() }),
    );
    return [...new Set([...channelIds, ...known.map(({ channel_id: id }) => id)])];
  }

  async function inScope(workspaceId: string, scope: Scope): Promise<Sql | undefined> {
    if (scope === 'all') return undefined;
    const { userId } = scope;
    const channelIds = await allIdsOf(workspaceId, scope.channelIds);
    const here = isOneOf(sql`summary_channel_id`, channelIds);
    return here ? sql`(user_id = ${userId} OR ${here})` : sql`user_id = ${userId}`;
  }

  return {
    /** Those that a filter keeps, of those that somebody sees. */
    async matching(workspaceId: string, filter: SessionFilter, scope: Scope) {
      const { userIds, channelIds, visitorIds, words, since, until } = filter;
      const conditions = [
        await inScope(workspaceId, scope),
        isOneOf(sql`visitor_id`, visitorIds),
        isOneOf(sql`user_id`, userIds),
        isOneOf(sql`summary_channel_id`, await allIdsOf(workspaceId, channelIds)),
        hasOutcome(words),
      ];
      const search = { workspaceId, conditions, since: since?.getTime() ?? 0, until };
      type From = Position<string>;
      return {
        /** At most `limit` of them, and where the older ones start, if there are any. */
        page: (limit: number, from: From) => newestFirst.page({ ...search, from }, limit),
        read: (from: From) => newestFirst.read({ ...search, from }),
        /** How many there are, counting apart those that the customer never accepted; at least so many unless `isAll`. */
        count: (from: From) => newestFirst.count({ ...search, from }, sql`accepted = 0`),
      };
    },
  };
}

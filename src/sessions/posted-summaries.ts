import { z } from 'zod';
import { join, jsonOf, rowOf, sql, type Database, type Sql } from '../database/database.ts';
import { messageAddress } from '../messages/message.ts';
import { agentNames } from '../messages/session-words.ts';
import { given } from '../messages/text.ts';
import { channelNow, queuedAll } from '../outbox/channels.ts';
import type { App } from '../parts.ts';
import { isChannel } from '../permissions/permissions.ts';
import type { Installation } from '../workspaces/workspaces.ts';
import { SessionEndRow, endedAt, sessionEndColumns, type SessionEnd } from './session-ends.ts';

/* Posted summaries, their changes, and links between those of sessions at the same time. All reject with a DatabaseError. */

const Copy = rowOf({
  id: z.string(),
  channelId: z.string(),
  /** What a direct message says beside the summary. */
  payload: jsonOf(z.unknown()).optional(),
});
export type Copy = z.infer<typeof Copy>;

/** The session's summaries, and the direct messages that hold one because a channel doesn't. */
function isCopy(workspaceId: string, endId: string): Sql {
  // The semicolon is the character after the colon, and no id contains it.
  const isSummary = sql`dedupe_key >= ${`summary:${endId}:`} AND dedupe_key < ${`summary:${endId};`}`;
  const following = ['notice', 'elsewhere'].map(
    (word) =>
      sql`SELECT CAST(${`${word} of `} AS TEXT) || id FROM deliveries WHERE workspace_id = ${workspaceId} AND ${isSummary}`,
  );
  return sql`workspace_id = ${workspaceId} AND (${isSummary} OR dedupe_key IN (${join(following, ' UNION ALL ')}))`;
}

/** All that were accepted when the session ended, posted or not: one being posted may have been drawn earlier. */
export const summariesOf = (database: Pick<Database, 'read'>, workspaceId: string, endId: string) =>
  database.read(
    sql`SELECT id, channel_id, payload FROM deliveries WHERE ${isCopy(workspaceId, endId)}
      AND state NOT IN ('skipped', 'dropped')`,
    Copy,
  );

/** Redraw summaries once they're posted, in the write that changes their content. */
export const redrawStatements = (
  { outbox, now }: Pick<App, 'outbox' | 'now'>,
  { id: sessionEndId, link: { workspaceId } }: Pick<SessionEnd, 'id' | 'link'>,
  copies: readonly Copy[],
): readonly Sql[] =>
  queuedAll(
    copies.map(({ id: summaryId, channelId, payload }) => {
      const id = outbox.newId();
      const about = { workspaceId, sessionEndId, channelId, payload, acceptedAt: now() };
      const replaces = sql`CAST(${summaryId} AS TEXT)`;
      return { ...about, id, key: `update:${sessionEndId}:${id}`, kind: 'update', replaces };
    }),
  );

/** Where the app is installed: a test can't say all of it. */
export interface Installed {
  readonly installedAs: (workspaceId: string) => Promise<Pick<Installation, 'url'>>;
}

/** Undefined where a session's own summary isn't posted, isn't known, or is in direct messages, which nobody else can open. */
export function createSummaryAddress({ database, installedAs }: Installed & Pick<App, 'database'>) {
  return async ({ summary, link: { workspaceId } }: SessionEnd): Promise<string | undefined> => {
    if (summary === undefined || !isChannel(summary.channelId)) return undefined;
    const [{ url }, channelId] = await Promise.all([
      installedAs(workspaceId).catch(() => ({ url: undefined })),
      channelNow(database, { workspaceId, channelId: summary.channelId }),
    ]);
    return messageAddress(url, channelId, summary.ts);
  };
}

const MOST_OVERLAPPING = 5;

/** By the service's clock; NaN where it isn't known. */
function timesOf(end: SessionEnd) {
  const until = endedAt(end);
  const started = Date.parse(end.session.started_at ?? '');
  return { from: Number.isNaN(started) ? until - (end.seconds ?? Number.NaN) * 1_000 : started, until };
}

function overlap(one: SessionEnd, other: SessionEnd): boolean {
  const [first, second] = [timesOf(one), timesOf(other)];
  // Services may say whole seconds.
  return first.from <= second.until && second.from <= first.until;
}

export function createOverlappingSessions(app: Installed & Pick<App, 'database' | 'outbox' | 'now'>) {
  const { database } = app;
  const summaryAddress = createSummaryAddress(app);

  /** The same visitor's sessions at the same time, where the agent of one was asked to look at the other. */
  async function besideIt(end: SessionEnd): Promise<readonly SessionEnd[]> {
    const { workspaceId, linkId, visitorId } = end.link;
    const own = sql`watch_links AS own WHERE own.workspace_id = ${workspaceId} AND own.id = ${linkId}`;
    const ends = await database.read(
      sql`SELECT id, ${sessionEndColumns} FROM session_ends
        WHERE workspace_id = ${workspaceId} AND visitor_id = ${visitorId} AND session_id <> ${end.sessionId}
          AND link_id IN (SELECT id FROM watch_links WHERE card_id = (SELECT own.asked_card_id FROM ${own})
            UNION SELECT id FROM watch_links WHERE asked_card_id = (SELECT own.card_id FROM ${own}))
        ORDER BY received_at, id LIMIT ${MOST_OVERLAPPING}`,
      SessionEndRow,
    );
    return ends.filter((other) => overlap(end, other));
  }

  return {
    async linksTo(end: SessionEnd): Promise<readonly { readonly url: string; readonly agents: string }[]> {
      const links = (await besideIt(end)).map(async (other) => {
        const url = await summaryAddress(other);
        return url !== undefined && { url, agents: agentNames(other.session).join(', ') || 'a colleague' };
      });
      return given(await Promise.all(links));
    },

    /** Statements that add the link to their summaries, which were drawn before this session ended. */
    async linkBack(end: SessionEnd): Promise<readonly Sql[]> {
      const updates = (await besideIt(end)).map(async (other) =>
        redrawStatements(app, other, await summariesOf(database, end.link.workspaceId, other.id)),
      );
      return (await Promise.all(updates)).flat();
    },
  };
}

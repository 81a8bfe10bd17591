import { sql, type Database, type Sql } from '../database/database.ts';
import { agentNames } from '../messages/session-words.ts';
import type { NewId } from '../outbox/delivery.ts';
import { SessionEndRow, endedSessionOf, sessionEndColumns, type SessionEnd } from './session-ends.ts';
import { summariesOf, updateStatements } from './summary-updates.ts';
import type { SummaryAddress } from './summary-address.ts';

/** More than a summary has room for. */
const MOST_BESIDE = 5;

/** From when to when it ran, both by the service's clock; NaN where that isn't known. */
function timesOf(end: SessionEnd) {
  const { endedAt: until } = endedSessionOf(end);
  const started = Date.parse(end.session?.started_at ?? '');
  return { from: Number.isNaN(started) ? until - (end.seconds ?? Number.NaN) * 1_000 : started, until };
}

function overlap(one: SessionEnd, other: SessionEnd): boolean {
  const [first, second] = [timesOf(one), timesOf(other)];
  // Services may say whole seconds.
  return first.from <= second.until && second.from <= first.until;
}

/** The links between summaries of sessions that ran beside each other because somebody was asked. */
export type SessionsBeside = ReturnType<typeof createSessionsBeside>;

export function createSessionsBeside({
  database,
  summaryAddress,
  newId,
  now,
}: {
  readonly database: Pick<Database, 'read'>;
  readonly summaryAddress: SummaryAddress;
  readonly newId: NewId;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}) {
  /**
   * The sessions with the same visitor that ran at the same time, and whose agent was asked to look at this one, or this
   * one's at theirs.
   */
  async function besideIt(end: SessionEnd): Promise<readonly SessionEnd[]> {
    const { workspaceId, linkId, visitorId } = end.link;
    const own = sql`watch_links AS own WHERE own.workspace_id = ${workspaceId} AND own.id = ${linkId}`;
    const ends = await database.read(
      sql`SELECT id, ${sessionEndColumns} FROM session_ends
        WHERE workspace_id = ${workspaceId} AND visitor_id = ${visitorId} AND session_id <> ${end.sessionId}
          AND link_id IN (SELECT id FROM watch_links WHERE card_id = (SELECT own.asked_card_id FROM ${own})
            UNION SELECT id FROM watch_links WHERE asked_card_id = (SELECT own.card_id FROM ${own}))
        ORDER BY received_at, id LIMIT ${MOST_BESIDE}`,
      SessionEndRow,
    );
    return ends.filter((other) => overlap(end, other));
  }

  return {
    /** To their summaries, as far as they're posted. Rejects with a DatabaseError. */
    async linksTo(end: SessionEnd): Promise<readonly { readonly url: string; readonly agents: string }[]> {
      const links = (await besideIt(end)).map(async (other) => {
        const url = await summaryAddress(other);
        const names = other.session === undefined ? [] : agentNames(other.session);
        return url === undefined ? [] : [{ url, agents: names.join(', ') || 'a colleague' }];
      });
      return (await Promise.all(links)).flat();
    },

    /** Statements that have their summaries, which didn't know it yet, link it. Rejects with a DatabaseError. */
    async linkBack(end: SessionEnd): Promise<readonly Sql[]> {
      const { workspaceId } = end.link;
      const copies = (await besideIt(end)).map(async ({ id: sessionEndId }) => {
        const summaries = await summariesOf(database, workspaceId, sessionEndId);
        return summaries.map(({ id: summaryId, channel_id: channelId, payload }) => ({
          sessionEndId,
          summaryId,
          channelId,
          payload,
        }));
      });
      return (
        (await Promise.all(copies))
          .flat()
          // Always in the same order, so that no two wait for each other's channels.
          .toSorted((one, other) => (one.channelId < other.channelId ? -1 : 1))
          .flatMap((copy) => updateStatements({ ...copy, workspaceId, acceptedAt: now() }, newId()))
      );
    },
  };
}

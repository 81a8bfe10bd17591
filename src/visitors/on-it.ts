import { z } from 'zod';
import type { Visitor } from '../cobrowse/schemas.ts';
import { definePress } from '../commands/command.ts';
import { join, rowsOf, sql, type Database, type Sql } from '../database/database.ts';
import { rowOf } from '../database/row.ts';
import { ACTION } from '../messages/action-ids.ts';
import { buttons, lines, message, status, type Message } from '../messages/message.ts';
import { bold, time, user } from '../messages/text.ts';
import {
  isWaiting,
  onItButton,
  presence,
  visitorName,
  watchElements,
  type VisitorTools,
} from '../messages/visitor-pieces.ts';
import type { App } from '../parts.ts';
import type { Showing } from './visitor.ts';

/** The caller took it; the next step is to watch. */
function youAreOnIt(visitor: Visitor, until: Date, tools: VisitorTools): Message {
  return message(
    status('done', [
      ['You’re on it: ', bold(visitorName(visitor))],
      ['Colleagues see your name in lists and in the Home tab until ', time(until), '.'],
    ]),
    buttons(...watchElements(visitor, tools), onItButton(visitor, 'you')),
  );
}

function notOnIt(visitor: Visitor): Message {
  return message(
    status('done', [
      ['You’re no longer on it: ', bold(visitorName(visitor)), ' is waiting for someone else.'],
    ]),
    buttons(onItButton(visitor)),
  );
}

/** Someone else was faster. */
function alreadyOnIt(visitor: Visitor, by: string, until: Date): Message {
  return message(
    lines(
      [user(by), ' is already on it: ', bold(visitorName(visitor)), '.'],
      ['If they haven’t opened the screen by ', time(until), ', you can take over.'],
    ),
  );
}

/** They were helped, or left. */
function notWaiting(visitor: Visitor, tools: VisitorTools): Message {
  const partner = tools.partners?.get(visitor.short_id);
  return message(
    lines([bold(visitorName(visitor)), ' isn’t waiting any more · ', ...presence(visitor, partner)]),
    buttons(...watchElements(visitor, tools)),
  );
}

/** As long as somebody may take to open the customer's screen. */
const HELD_MS = 10 * 60 * 1_000;
/** The second press of a double click takes nothing back. */
const SAME_CLICK_MS = 3_000;

const Claim = rowOf({ visitorId: z.string(), userId: z.string(), claimedUntil: z.number() });

/** Removes what is over. */
export const removeOldVisitorClaims = (until: number, limit: number): Sql =>
  sql`DELETE FROM visitor_claims WHERE (workspace_id, visitor_id) IN (
    SELECT workspace_id, visitor_id FROM visitor_claims WHERE claimed_until <= ${until} LIMIT ${limit})`;

export type OnIt = ReturnType<typeof createOnIt>;

/**
 * Who is on it, of visitors who wait for help. One person for each, for ten minutes. All reject with a DatabaseError.
 *
 * @param now milliseconds since 1970
 */
export function createOnIt(database: Pick<Database, 'read' | 'write'>, now: () => number) {
  const liveOf = (workspaceId: string, visitorIds: readonly string[], at: number) =>
    database.read(
      sql`SELECT visitor_id, user_id, claimed_until FROM visitor_claims
        WHERE workspace_id = ${workspaceId} AND claimed_until > ${at} AND visitor_id IN (${join(visitorIds)})`,
      Claim,
    );

  /** What the table says after the press; undefined where it is somebody else's. */
  async function press(workspaceId: string, visitorId: string, userId: string, at: number) {
    const isOver = sql`visitor_claims.claimed_until <= ${at}`;
    const [written] = await database.write(
      sql`INSERT INTO visitor_claims (workspace_id, visitor_id, user_id, claimed_at, claimed_until)
        VALUES (${workspaceId}, ${visitorId}, ${userId}, ${at}, ${at + HELD_MS})
        ON CONFLICT (workspace_id, visitor_id) DO UPDATE SET user_id = excluded.user_id,
          claimed_at = CASE WHEN ${isOver} THEN excluded.claimed_at ELSE visitor_claims.claimed_at END,
          claimed_until = CASE WHEN ${isOver} THEN excluded.claimed_until
            WHEN visitor_claims.claimed_at > excluded.claimed_at - ${SAME_CLICK_MS} THEN visitor_claims.claimed_until
            ELSE 0 END
        WHERE visitor_claims.user_id = excluded.user_id OR ${isOver}
        RETURNING visitor_id, user_id, claimed_until`,
    );
    return rowsOf(written, Claim)[0];
  }

  return {
    /** Takes a visitor, or releases one that the same user took before. `held`: somebody else was first. */
    async toggle(workspaceId: string, visitorId: string, userId: string) {
      // Again only where what stood in the way has ended since.
      for (;;) {
        const at = Math.round(now());
        const own = await press(workspaceId, visitorId, userId, at);
        if (own?.claimedUntil === 0) return { is: 'released' } as const;
        if (own !== undefined) return { is: 'taken', until: new Date(own.claimedUntil) } as const;
        const [held] = await liveOf(workspaceId, [visitorId], at);
        if (held !== undefined)
          return { is: 'held', by: held.userId, until: new Date(held.claimedUntil) } as const;
      }
    },
    /** The users who are on it, by the visitor's id. */
    async holders(workspaceId: string, visitorIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
      if (visitorIds.length === 0) return new Map();
      const rows = await liveOf(workspaceId, visitorIds, Math.round(now()));
      return new Map(rows.map(({ visitorId, userId }) => [visitorId, userId]));
    },
  };
}

/** The press of "I'm on it", and of "I'm not on it". */
export const createOnItPress = (
  onIt: Pick<OnIt, 'toggle'>,
  { visitorTools, partnersOf }: Pick<Showing, 'visitorTools' | 'partnersOf'>,
  record: App['record'],
) =>
  definePress({
    actionId: ACTION.onIt,
    answer: 'add',
    right: 'watch',
    value: z.string().min(1),
    async run(visitorId, caller) {
      const { workspaceId, userId, channelId } = caller;
      const visitor = await caller.workspace.cobrowse.visitor(visitorId);
      const tools = { ...(await visitorTools(caller)), partners: await partnersOf(caller, [visitor]) };
      if (!isWaiting(visitor)) return notWaiting(visitor, tools);
      const outcome = await onIt.toggle(workspaceId, visitorId, userId);
      await record({ workspaceId, userId, visitorId, action: 'on-it', outcome: outcome.is, channelId });
      if (outcome.is === 'taken') return youAreOnIt(visitor, outcome.until, tools);
      return outcome.is === 'held' ? alreadyOnIt(visitor, outcome.by, outcome.until) : notOnIt(visitor);
    },
  });

import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { CobrowseClient } from '../cobrowse/client.ts';
import type { Viewer } from '../commands/rights.ts';
import {
  AnyRow,
  hasChanged,
  isOver,
  keptUntil,
  rowOf,
  rowsOf,
  sql,
  type Sql,
  type SteadyTime,
} from '../database/database.ts';
import { valueOf, type LinkPress, type LinkRequest, type Place } from '../messages/link-request.ts';
import type { Message } from '../messages/message.ts';
import { bold } from '../messages/text.ts';
import { whoLine } from '../messages/visitor-pieces.ts';
import type { App } from '../parts.ts';
import { linkHereOffer } from './link-here.ts';
import { proxyLine } from './proxy.ts';

/* Where a button's address is opened and Slack reports no press, as on some phones. */

const MOST_FAILED = 3;
/** As long as the button whose press was lost. */
const SUSPECTED_MS = 30 * 60 * 1_000;
/** Then a button with an address is tried again: people change their phones. */
const REMEMBERED_MS = 30 * 24 * 60 * 60 * 1_000;

/** A button's address, and when it expires, milliseconds since 1970. */
interface UsedTicket {
  readonly workspaceId: string;
  readonly ticket: string;
  readonly expiresAt: number;
}
type NamedTicket = Omit<UsedTicket, 'expiresAt'>;

/** A hash, since the ticket itself is a secret. */
const idOf = ({ ticket }: NamedTicket) => createHash('sha256').update(ticket).digest('base64url');

const thatTicket = (used: NamedTicket): Sql =>
  sql`workspace_id = ${used.workspaceId} AND ticket_id = ${idOf(used)}`;

const thatPerson = ({ workspaceId, userId }: Viewer) =>
  sql`workspace_id = ${workspaceId} AND user_id = ${userId}`;

export const isBlocked = (used: NamedTicket): Sql =>
  sql`EXISTS (SELECT 1 FROM ticket_uses WHERE ${thatTicket(used)} AND failed_openings >= ${MOST_FAILED})`;

export const isNoticed = (person: Viewer): Sql =>
  sql`EXISTS (SELECT 1 FROM lost_presses WHERE ${thatPerson(person)})`;

const Failed = rowOf({ failedOpenings: z.number() });

export const removeOldTicketUses = (steady: SteadyTime, until: number, limit: number): Sql =>
  sql`DELETE FROM ticket_uses WHERE (workspace_id, ticket_id) IN (
    SELECT workspace_id, ticket_id FROM ticket_uses WHERE ${isOver(steady, until)} LIMIT ${limit})`;

export const removeOldUnconfirmedPresses = (until: number, limit: number): Sql =>
  sql`DELETE FROM lost_presses WHERE (workspace_id, user_id) IN (
    SELECT workspace_id, user_id FROM lost_presses WHERE expires_at <= ${until} LIMIT ${limit})`;

export type TicketUses = ReturnType<typeof createTicketUses>;

export function createTicketUses({ database, now }: Pick<App, 'database' | 'now'>) {
  return {
    /** Without a limit, whoever copied the address could wait there for its owner's next press, and be there first. */
    async isBlocked(used: NamedTicket): Promise<boolean> {
      const blocked = sql`SELECT 1 AS one WHERE ${isBlocked(used)}`;
      return (await database.read(blocked, AnyRow)).length > 0;
    },
    /** For an opening that no press came for: `now-blocked` once, then `blocked`. */
    async countFailed(used: UsedTicket): Promise<'counted' | 'now-blocked' | 'blocked'> {
      const [counted] = await database.write(
        sql`INSERT INTO ticket_uses (workspace_id, ticket_id, failed_openings, good_until, expires_at)
          VALUES (${used.workspaceId}, ${idOf(used)}, 1, ${used.expiresAt}, ${keptUntil(database)})
          ON CONFLICT (workspace_id, ticket_id) DO UPDATE SET failed_openings = ticket_uses.failed_openings + 1
          WHERE ticket_uses.failed_openings < ${MOST_FAILED}
          RETURNING failed_openings`,
      );
      const [row] = rowsOf(counted, Failed);
      if (row === undefined) return 'blocked';
      return row.failedOpenings === MOST_FAILED ? 'now-blocked' : 'counted';
    },
    /** True for whoever may write to the address's owner now: once in the time given. */
    async claimSending(used: UsedTicket, onceInMs: number): Promise<boolean> {
      const time = now();
      const [claimed] = await database.write(
        sql`INSERT INTO ticket_uses (workspace_id, ticket_id, failed_openings, sent_until, good_until, expires_at)
          VALUES (${used.workspaceId}, ${idOf(used)}, 0, ${time + onceInMs}, ${used.expiresAt}, ${keptUntil(database)})
          ON CONFLICT (workspace_id, ticket_id) DO UPDATE SET sent_until = excluded.sent_until
          WHERE ticket_uses.sent_until IS NULL OR ticket_uses.sent_until <= ${time}`,
      );
      return hasChanged(claimed);
    },
  };
}

export type UnconfirmedPresses = ReturnType<typeof createUnconfirmedPresses>;

/** People whose Slack doesn't report the press of a button with an address. */
export function createUnconfirmedPresses({ database, now }: Pick<App, 'database' | 'now'>) {
  return {
    /** A page of theirs waited in vain, and they get a message. */
    async suspect({ workspaceId, userId }: Viewer): Promise<void> {
      const until = now() + SUSPECTED_MS;
      await database.write(
        sql`INSERT INTO lost_presses (workspace_id, user_id, suspected_until, remembered_until, expires_at)
          VALUES (${workspaceId}, ${userId}, ${until}, 0, ${until})
          ON CONFLICT (workspace_id, user_id) DO UPDATE SET suspected_until = excluded.suspected_until,
            expires_at = CASE WHEN lost_presses.expires_at > excluded.expires_at
              THEN lost_presses.expires_at ELSE excluded.expires_at END`,
      );
    },
    /** They pressed a button that answers in Slack: a page that waited in vain a while ago was theirs. */
    async confirm(person: Viewer): Promise<void> {
      const until = now() + REMEMBERED_MS;
      await database.write(
        sql`UPDATE lost_presses SET suspected_until = 0, remembered_until = ${until}, expires_at = ${until}
          WHERE ${thatPerson(person)} AND suspected_until > ${now()}`,
      );
    },
    async isRemembered(person: Viewer): Promise<boolean> {
      const found = await database.read(
        sql`SELECT user_id FROM lost_presses WHERE ${thatPerson(person)} AND remembered_until > ${now()}`,
        AnyRow,
      );
      return found.length > 0;
    },
    /** Slack reported the press of a button with an address. */
    async forget(person: Viewer): Promise<void> {
      await database.write(sql`DELETE FROM lost_presses WHERE ${thatPerson(person)}`);
    },
  };
}

/** Shows a message to one person only, in the channel or by direct message; false where it can't. Never rejects. */
export type ShowPrivately = (
  to: Viewer & Pick<Place, 'channelId' | 'threadTs'>,
  message: Message,
) => Promise<boolean>;

type Serving = { readonly cobrowse: Pick<CobrowseClient, 'visitor'> };

async function messageFor({ cobrowse }: Serving, request: LinkRequest, value: string): Promise<Message> {
  if ('proxy' in request) return linkHereOffer(proxyLine(request.proxy), 'proxy', value);
  const visitor = await cobrowse.visitor(request.visitorId).catch(() => undefined);
  const about = visitor === undefined ? ['visitor ', bold(request.visitorId)] : whoLine(visitor);
  return linkHereOffer(about, 'watch', value);
}

export type SendButton = ReturnType<typeof createSendButton>;

export function createSendButton(
  { showPrivately }: Pick<App, 'showPrivately'>,
  report: (outcome: 'sent-to-slack' | 'not-sent', request: LinkRequest) => void,
) {
  /** Sends the first button's owner another, whose press brings the link in Slack. Never rejects because of Slack. */
  return async function sendButton(workspace: Serving, request: LinkRequest): Promise<boolean> {
    const { workspaceId, userId, channelId, threadTs } = request;
    const { notes, ticketUrl, isAsked } = 'proxy' in request ? {} : request;
    const place = { channelId, threadTs, notes, ticketUrl, isAsked };
    const press: LinkPress =
      'proxy' in request
        ? { proxy: request.proxy }
        : { visitorId: request.visitorId, access: request.access };
    const message = await messageFor(workspace, request, valueOf({ press, for: userId, place }));
    const isShown = await showPrivately({ workspaceId, userId, channelId, threadTs }, message);
    report(isShown ? 'sent-to-slack' : 'not-sent', request);
    return isShown;
  };
}

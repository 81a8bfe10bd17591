import { z } from 'zod';
import type { Database } from '../database/database.ts';
import { DatabaseError } from '../database/errors.ts';
import { sql } from '../database/sql.ts';
import { idNow } from '../outbox/channels.ts';
import type { LinkRequest } from '../messages/link-request.ts';
import { IN_USE_MS, linkUnderWay } from '../sessions/watch-links.ts';
import type { Access } from '../permissions/access.ts';
import type { Rule, Rules } from '../permissions/acts.ts';
import { settingsFrom, settingText } from '../workspaces/settings.ts';
import { rulesIn, settingOf } from '../workspaces/settings.ts';
import { KnownAgentRow, selectAgent } from './agent-records.ts';
import type { KnownAgent } from './agent-records.ts';
import { isNoticed } from './lost-presses.ts';
import { isWorn } from './ticket-uses.ts';

/** For this long after a link went out, the next person is asked whether to join. */
const RECENT_MS = 30 * 60 * 1_000;
const MAY_WATCH = settingOf('watch');
const MAX_ACCESS = 'maxAccess';

/** What the tables say when somebody asks for a link: everything that it depends on, in one read. */
export interface OrderFacts {
  /** Who can watch. */
  readonly rule: Rule;
  /** No link may do more, whatever the button said when it was drawn. */
  readonly maxAccess: Access;
  /** The id that the order's channel has now. */
  readonly channelId: string | undefined;
  /** Who asks, as the service knows them; undefined where that hasn't been looked up yet. */
  readonly agent: KnownAgent | undefined;
  /**
   * A link to the same screen whose session may still run: one of their own, or the latest that somebody else was given a
   * short while ago.
   */
  readonly underWay: { readonly userId: string; readonly at: number } | undefined;
  /** Whether their Slack may not report presses. */
  readonly losesPresses: boolean;
  /** Whether the button's address was opened too often. */
  readonly isWorn: boolean;
}

/** Rejects with a DatabaseError. @param ticket of the address that was opened, where one was */
export type ReadFacts = (order: LinkRequest, ticket?: string) => Promise<OrderFacts>;

interface FactsParts {
  readonly database: Pick<Database, 'read'>;
  readonly workspaceOf: (
    workspaceId: string,
  ) => Promise<{ readonly accountId: string; readonly defaults: { readonly rules: Rules } }>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Loose: whoever isn't known, or isn't there, has columns without values, which their own schemas don't take. */
const Row = z.looseObject({
  rule: z.string().nullable(),
  max_access: z.string().nullable(),
  channel_id: z.string().nullable(),
  loses_presses: z.number(),
  is_worn: z.number(),
});
const UnderWayRow = z
  .object({ holder_id: z.string(), opened_at: z.number() })
  .transform(({ holder_id: userId, opened_at: at }) => ({ userId, at }));

export function createReadFacts({ database, workspaceOf, now }: FactsParts): ReadFacts {
  return async function readFacts(order, ticket = '') {
    const { workspaceId, userId, channelId } = order;
    const { accountId, defaults } = await workspaceOf(workspaceId);
    const channelNow = channelId === undefined ? sql`CAST(NULL AS TEXT)` : idNow({ workspaceId, channelId });
    // A proxy session shows no visitor's screen.
    const visitorId = 'visitorId' in order ? order.visitorId : '';
    const since = { own: now() - IN_USE_MS, others: now() - RECENT_MS };
    const [row] = await database.read(
      sql`SELECT ${settingText(workspaceId, MAY_WATCH)} AS rule, ${settingText(workspaceId, MAX_ACCESS)} AS max_access,
          ${channelNow} AS channel_id, CASE WHEN ${isNoticed({ workspaceId, userId })} THEN 1 ELSE 0 END AS loses_presses,
          CASE WHEN ${isWorn({ workspaceId, ticket })} THEN 1 ELSE 0 END AS is_worn,
          agent.agent_id, agent.name, agent.email, agent.checked_at,
          link.user_id AS holder_id, link.issued_at AS opened_at
        FROM (SELECT 1 AS one) AS asked
          LEFT JOIN (${selectAgent({ accountId, workspaceId, userId })}) AS agent ON 1 = 1
          LEFT JOIN (${linkUnderWay({ workspaceId, visitorId, userId }, since)}) AS link ON 1 = 1`,
      Row,
    );
    if (row === undefined) throw new DatabaseError('corrupt');
    const settings = settingsFrom(
      new Map([
        [MAY_WATCH, row.rule],
        [MAX_ACCESS, row.max_access],
      ]),
    );
    return {
      rule: rulesIn(settings, defaults.rules).watch,
      maxAccess: settings.maxAccess,
      channelId: row.channel_id ?? undefined,
      agent: KnownAgentRow.safeParse(row).data,
      underWay: UnderWayRow.safeParse(row).data,
      losesPresses: row.loses_presses === 1,
      isWorn: row.is_worn === 1,
    };
  };
}

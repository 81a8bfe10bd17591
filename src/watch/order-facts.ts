import { z } from 'zod';
import type { Database } from '../database/database.ts';
import { DatabaseError } from '../database/errors.ts';
import { sql } from '../database/sql.ts';
import { idNow } from '../deliveries/channels.ts';
import type { LinkOrder } from '../links/order.ts';
import { latestOfOthers } from '../links/watch-links.ts';
import type { Access } from '../permissions/access.ts';
import type { Rule, Rules } from '../permissions/acts.ts';
import { settingsFrom, settingText } from '../permissions/settings-repository.ts';
import { rulesIn, settingOf } from '../permissions/settings.ts';
import { KnownAgentRow, selectAgent } from './agent-records.ts';
import type { KnownAgent } from './agent-records.ts';
import { isNoticed } from './lost-presses.ts';

/** For this long after a link went out, the next person is asked whether to join. */
const RECENT_MS = 30 * 60 * 1_000;
/**
 * For this long what was read counts. Then Slack is asked, which may take many seconds: meanwhile an admin may allow less,
 * or somebody else be given a link.
 */
const FRESH_MS = 2_000;
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
  /** The latest link to the same screen that somebody else was given a short while ago, and whose session may still run. */
  readonly other: { readonly userId: string; readonly at: number } | undefined;
  /** Whether their Slack may not report presses. */
  readonly losesPresses: boolean;
  /** By the clock that nobody sets. */
  readonly readAt: number;
}

/**
 * Rejects with a DatabaseError.
 *
 * @param before what was read for the same order before: it's given back where that was a moment ago
 */
export type ReadFacts = (order: LinkOrder, before?: OrderFacts) => Promise<OrderFacts>;

interface FactsParts {
  readonly database: Pick<Database, 'read'>;
  readonly workspaceOf: (
    workspaceId: string,
  ) => Promise<{ readonly accountId: string; readonly defaults: { readonly rules: Rules } }>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Milliseconds from any moment on: nobody sets this clock. */
  readonly elapsed: () => number;
}

/** Loose: whoever isn't known, or isn't there, has columns without values, which their own schemas don't take. */
const Row = z.looseObject({
  rule: z.string().nullable(),
  max_access: z.string().nullable(),
  channel_id: z.string().nullable(),
  loses_presses: z.number(),
});
const OtherRow = z
  .object({ other_id: z.string(), other_at: z.number() })
  .transform(({ other_id: userId, other_at: at }) => ({ userId, at }));

export function createReadFacts({ database, workspaceOf, now, elapsed }: FactsParts): ReadFacts {
  return async function readFacts(order, before) {
    if (before !== undefined && elapsed() - before.readAt < FRESH_MS) return before;
    const readAt = elapsed();
    const { workspaceId, userId, channelId } = order;
    const { accountId, defaults } = await workspaceOf(workspaceId);
    const channelNow = channelId === undefined ? sql`CAST(NULL AS TEXT)` : idNow({ workspaceId, channelId });
    // A proxy session shows no visitor's screen.
    const visitorId = 'visitorId' in order ? order.visitorId : '';
    const [row] = await database.read(
      sql`SELECT ${settingText(workspaceId, MAY_WATCH)} AS rule, ${settingText(workspaceId, MAX_ACCESS)} AS max_access,
          ${channelNow} AS channel_id, CASE WHEN ${isNoticed({ workspaceId, userId })} THEN 1 ELSE 0 END AS loses_presses,
          agent.agent_id, agent.name, agent.email, agent.checked_at,
          other.user_id AS other_id, other.issued_at AS other_at
        FROM (SELECT 1 AS one) AS asked
          LEFT JOIN (${selectAgent({ accountId, workspaceId, userId })}) AS agent ON 1 = 1
          LEFT JOIN (${latestOfOthers({ workspaceId, visitorId, userId }, now() - RECENT_MS)}) AS other ON 1 = 1`,
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
      other: OtherRow.safeParse(row).data,
      losesPresses: row.loses_presses === 1,
      readAt,
    };
  };
}

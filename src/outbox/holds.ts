import { z } from 'zod';
import { rowsOf, sql } from '../database/database.ts';
import type { Database, Sql } from '../database/database.ts';
import { hasComeIn } from '../database/row-times.ts';

/** The time between two questions whether Slack accepts a token again. */
const BETWEEN_QUESTIONS_MS = 60_000;

/** Puts everything of a workspace on hold because Slack refuses its token. */
export const holdWorkspace = (workspaceId: string, reason: string, time: number): Sql =>
  sql`INSERT INTO workspaces (id, installed_at, held_until, held_reason, version)
    VALUES (${workspaceId}, ${time}, ${time + BETWEEN_QUESTIONS_MS}, ${reason}, 1)
    ON CONFLICT (id) DO UPDATE SET held_until = excluded.held_until, held_reason = excluded.held_reason`;

/** Lifts the hold on a workspace's deliveries. */
export const liftHold = (workspaceId: string): Sql =>
  sql`UPDATE workspaces SET held_until = NULL WHERE id = ${workspaceId} AND held_until IS NOT NULL`;

/** Whether a workspace is on hold. @param workspaceId the column that names it */
export const isOnHold = (workspaceId: Sql): Sql =>
  sql`EXISTS (SELECT 1 FROM workspaces WHERE workspaces.id = ${workspaceId} AND held_until IS NOT NULL)`;

/** When a hold is next looked at. See `Job.due`. */
export const firstHeld: Sql = sql`SELECT MIN(held_until) AS at FROM workspaces HAVING MIN(held_until) IS NOT NULL`;

const WorkspaceId = z.object({ id: z.string() });

/** Asks Slack about the tokens of workspaces on hold, one process each, and lifts the holds of those it accepts again. */
export function createAskAboutHolds({
  database,
  acceptsToken,
  now,
}: {
  readonly database: Database;
  /** Whether Slack accepts a workspace's token; false if it can't be asked now, and it's asked again in a minute. */
  readonly acceptsToken: (workspaceId: string) => Promise<boolean>;
  readonly now: () => number;
}): () => Promise<void> {
  return async function askAboutHolds() {
    const time = now();
    const [asking] = await database.write(
      sql`UPDATE workspaces SET held_until = ${time + BETWEEN_QUESTIONS_MS}
        WHERE ${hasComeIn(sql`held_until`, time, BETWEEN_QUESTIONS_MS)} RETURNING id`,
    );
    await Promise.all(
      rowsOf(asking, WorkspaceId).map(async ({ id }) => {
        if (await acceptsToken(id)) await database.write(liftHold(id));
      }),
    );
  };
}

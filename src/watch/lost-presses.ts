import { AnyRow, sql } from '../database/database.ts';
import type { Database, Sql } from '../database/database.ts';
import { hasComeIn } from '../database/row-times.ts';

/** As long as the button lives whose press was lost. */
const SUSPECTED_MS = 30 * 60 * 1_000;
/** Then the press of a button with an address is tried again: people change their phones. */
const REMEMBERED_MS = 30 * 24 * 60 * 60 * 1_000;

/** Somebody in a workspace. */
interface Person {
  readonly workspaceId: string;
  /** Slack's user id. */
  readonly userId: string;
}

/** People whose Slack opens a button's address without reporting the press, as some phones do. All reject with a DatabaseError. */
export interface LostPresses {
  /** A page of theirs waited for a press that never came, and they get a message. */
  suspect(person: Person): Promise<void>;
  /** They pressed a button that answers in Slack: if a page waited without a press a while ago, it was theirs. */
  confirm(person: Person): Promise<void>;
  /** Whether the link should come in Slack's answer. */
  isRemembered(person: Person): Promise<boolean>;
  /** Slack reported the press of a button with an address. */
  forget(person: Person): Promise<void>;
}

/** Removes what is over. */
export const removeOldLostPresses = (until: number, limit: number): Sql =>
  sql`DELETE FROM lost_presses WHERE (workspace_id, user_id) IN (
    SELECT workspace_id, user_id FROM lost_presses WHERE expires_at <= ${until} LIMIT ${limit})`;

const one = ({ workspaceId, userId }: Person) => sql`workspace_id = ${workspaceId} AND user_id = ${userId}`;

/** Whether anything is suspected or remembered of somebody, as a condition. */
export const isNoticed = (person: Person): Sql =>
  sql`EXISTS (SELECT 1 FROM lost_presses WHERE ${one(person)})`;

/** @param now milliseconds since 1970 */
export function createLostPresses(
  database: Pick<Database, 'read' | 'write'>,
  now: () => number,
): LostPresses {
  return {
    async suspect({ workspaceId, userId }) {
      const until = now() + SUSPECTED_MS;
      await database.write(
        sql`INSERT INTO lost_presses (workspace_id, user_id, suspected_until, remembered_until, expires_at)
          VALUES (${workspaceId}, ${userId}, ${until}, 0, ${until})
          ON CONFLICT (workspace_id, user_id) DO UPDATE SET suspected_until = excluded.suspected_until,
            expires_at = CASE WHEN lost_presses.expires_at > excluded.expires_at
              THEN lost_presses.expires_at ELSE excluded.expires_at END`,
      );
    },
    async confirm(person) {
      const until = now() + REMEMBERED_MS;
      await database.write(
        sql`UPDATE lost_presses SET suspected_until = 0, remembered_until = ${until}, expires_at = ${until}
          WHERE ${one(person)} AND NOT ${hasComeIn(sql`suspected_until`, now(), SUSPECTED_MS)}`,
      );
    },
    async isRemembered(person) {
      const found = await database.read(
        sql`SELECT user_id FROM lost_presses
          WHERE ${one(person)} AND NOT ${hasComeIn(sql`remembered_until`, now(), REMEMBERED_MS)}`,
        AnyRow,
      );
      return found.length > 0;
    },
    async forget(person) {
      await database.write(sql`DELETE FROM lost_presses WHERE ${one(person)}`);
    },
  };
}

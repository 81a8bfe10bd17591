import { z } from 'zod';
import type { LinkEnd } from '../messages/link-result.ts';
import type { IssuedLink } from '../messages/link-request.ts';
import { endLink } from './watch-links.ts';
import { hasChanged } from '../database/database.ts';
import type { Database } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import type { Sql } from '../database/sql.ts';

const REMEMBERED_MS = 7 * 24 * 60 * 60 * 1_000;

/** Which session belongs to which link, and which links have ended. */
export interface LinkEnds {
  /** The link that a session belongs to; undefined if it has none yet. */
  ownerOf(workspaceId: string, sessionId: string): Promise<string | undefined>;
  /** Assigns a session to a link, unless it belongs to another one: the first to ask gets it. */
  assign(sessionId: string, link: IssuedLink): Promise<boolean>;
  /** Records that a link's session ended; it's no longer looked for. */
  end(link: IssuedLink, end: LinkEnd & { readonly sessionId: string }): Promise<void>;
}

interface LinkEndsParts {
  readonly database: Pick<Database, 'read' | 'write'>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

const Owner = z.object({ link_id: z.string() });

/** Removes what nobody asks about any more. */
export const removeOldOwners = (until: number, limit: number): Sql =>
  sql`DELETE FROM session_owners WHERE (workspace_id, session_id) IN (
    SELECT workspace_id, session_id FROM session_owners WHERE expires_at <= ${until} LIMIT ${limit})`;

export function createLinkEnds({ database, now }: LinkEndsParts): LinkEnds {
  /** A session from a webhook certainly belongs to the webhook's link, whoever else asked for it. */
  async function reportedOwner(workspaceId: string, sessionId: string): Promise<string | undefined> {
    const [reported] = await database.read(
      sql`SELECT link_id FROM session_ends
        WHERE workspace_id = ${workspaceId} AND session_id = ${sessionId} AND claimant = ''`,
      Owner,
    );
    return reported?.link_id;
  }

  return {
    async ownerOf(workspaceId, sessionId) {
      const reported = await reportedOwner(workspaceId, sessionId);
      if (reported !== undefined) return reported;
      const [owner] = await database.read(
        sql`SELECT link_id FROM session_owners
          WHERE workspace_id = ${workspaceId} AND session_id = ${sessionId} AND expires_at > ${now()}`,
        Owner,
      );
      return owner?.link_id;
    },
    async assign(sessionId, { workspaceId, linkId }) {
      const reported = await reportedOwner(workspaceId, sessionId);
      if (reported !== undefined) return reported === linkId;
      const [written] = await database.write(
        sql`INSERT INTO session_owners (workspace_id, session_id, link_id, expires_at)
          VALUES (${workspaceId}, ${sessionId}, ${linkId}, ${now() + REMEMBERED_MS})
          ON CONFLICT (workspace_id, session_id)
          DO UPDATE SET link_id = excluded.link_id, expires_at = excluded.expires_at
          WHERE session_owners.link_id = ${linkId} OR session_owners.expires_at <= ${now()}`,
      );
      return hasChanged(written);
    },
    async end(link, end) {
      await database.write(endLink(link, end));
    },
  };
}

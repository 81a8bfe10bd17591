import type { GrantEnd } from '../grants/fate.ts';
import type { SessionEndGrant } from '../grants/grant.ts';
import { endLink } from '../grants/watch-links.ts';
import type { Database } from '../database/database.ts';
import type { Store } from '../storage/store.ts';

const REMEMBERED_MS = 7 * 24 * 60 * 60 * 1_000;

/** A session that ended. */
export interface EndedSession extends GrantEnd {
  readonly sessionId: string;
}

/** Whose sessions are whose, and which grants have come to their end. */
export interface GrantEnds {
  /** The grant that a session belongs to; undefined where it belongs to none so far. */
  ownerOf(workspaceId: string, sessionId: string): Promise<string | undefined>;
  /** Gives a session to a grant, unless it is another's: one grant has it, whoever asks first. */
  give(sessionId: string, grant: SessionEndGrant): Promise<boolean>;
  /**
   * Writes down that a grant's session ended; nobody looks for it any more.
   *
   * @param isOwn whether the session is the grant's without doubt, so that no other grant may have it
   */
  end(grant: SessionEndGrant, end: EndedSession, isOwn: boolean): Promise<void>;
}

interface GrantEndsParts {
  readonly owners: Store;
  readonly database: Pick<Database, 'write'>;
}

const key = (workspaceId: string, sessionId: string) => `${workspaceId}:${sessionId}`;

export function createGrantEnds({ owners, database }: GrantEndsParts): GrantEnds {
  async function ownerOf(workspaceId: string, sessionId: string): Promise<string | undefined> {
    const owner = await owners.get(key(workspaceId, sessionId));
    return typeof owner === 'string' ? owner : undefined;
  }

  return {
    ownerOf,
    async give(sessionId, { workspaceId, grantId }) {
      const isNew = await owners.add(key(workspaceId, sessionId), grantId, REMEMBERED_MS);
      return isNew || (await ownerOf(workspaceId, sessionId)) === grantId;
    },
    async end(grant, end, isOwn) {
      // The last write first to be missed: killed in between, the link is found open again and ended once more.
      const owner = key(grant.workspaceId, end.sessionId);
      if (isOwn) await owners.set(owner, grant.grantId, REMEMBERED_MS);
      await database.write(endLink(grant, end));
    },
  };
}

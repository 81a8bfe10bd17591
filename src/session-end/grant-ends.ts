import type { GrantEnd } from '../grants/fate.ts';
import type { SessionEndGrant } from '../grants/grant.ts';
import type { OpenGrants } from '../grants/open-grants.ts';
import type { GrantRecords } from '../grants/records.ts';
import type { Store } from '../storage/store.ts';

const REMEMBERED_MS = 7 * 24 * 60 * 60 * 1_000;

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
  end(grant: SessionEndGrant, end: GrantEnd, isOwn: boolean): Promise<void>;
}

interface GrantEndsParts {
  readonly owners: Store;
  readonly grants: Pick<GrantRecords, 'ended'>;
  readonly open: Pick<OpenGrants, 'close'>;
}

const key = (workspaceId: string, sessionId: string) => `${workspaceId}:${sessionId}`;

export function createGrantEnds({ owners, grants, open }: GrantEndsParts): GrantEnds {
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
      // The last write first to be missed: killed in between, the grant is found open again and ended once more.
      const owner = key(grant.workspaceId, end.sessionId);
      await Promise.all([
        ...(isOwn ? [owners.set(owner, grant.grantId, REMEMBERED_MS)] : []),
        grants.ended(grant, end),
      ]);
      await open.close(grant);
    },
  };
}

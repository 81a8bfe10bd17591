import type { SessionEndGrant } from '../grants/grant.ts';
import type { Store } from '../storage/store.ts';

/** No ticket is good for longer, so that nothing is told of a grant after that. */
const REMEMBERED_MS = 7 * 24 * 60 * 60 * 1_000;
/** A link that is opened once more begins another session; more than these are nobody's work. */
export const MOST_SESSIONS = 20;

/** Which sessions were told of with the ticket of each grant, durable. */
export interface ToldSessions {
  /**
   * Accepts a session beside writing down that it was told of: together, so that they cost one wait for the disk.
   * `too-many` where the grant has told of enough others: then nothing is accepted or written. Rejects where either
   * fails; the same session may be told of again.
   */
  within<Accepted>(
    grant: SessionEndGrant,
    sessionId: string,
    accept: () => Promise<Accepted>,
  ): Promise<Accepted | 'too-many'>;
}

export function createToldSessions(told: Store): ToldSessions {
  /** Keys that are being written: a read does not see them yet. */
  const underWay = new Set<string>();

  async function keysFrom(start: string): Promise<readonly string[]> {
    // Most links have one session: to see that none was told of yet costs half of reading them all.
    const [first] = await told.keys(start, 1);
    return first?.startsWith(start) === true ? told.keys(start, MOST_SESSIONS) : [];
  }

  return {
    async within({ workspaceId, grantId }, sessionId, accept) {
      const start = `${workspaceId}:${grantId}:`;
      const own = start + sessionId;
      const keys = await keysFrom(start);
      // No wait from here to the mark below, so that of two that come at once each sees the other.
      const known = new Set([...keys, ...underWay].filter((key) => key.startsWith(start)));
      if (!known.has(own) && known.size >= MOST_SESSIONS) return 'too-many';
      underWay.add(own);
      try {
        const [accepted] = await Promise.all([accept(), told.add(own, true, REMEMBERED_MS)]);
        return accepted;
      } finally {
        underWay.delete(own);
      }
    },
  };
}

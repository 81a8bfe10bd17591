import type { Database } from '../database/database.ts';
import { hasChanged } from '../database/database.ts';
import type { NamedClaims } from '../database/named-claims.ts';
import { sql } from '../database/sql.ts';
import type { MayAct } from '../permissions/acts.ts';
import type { AccessNow } from '../views/default-access.ts';
import { addedToChannel, greeting } from '../views/first-run.ts';
import type { Message } from '../views/message.ts';
import type { Viewer } from './viewer.ts';

/** Slack repeats an event for five minutes; whoever adds the app again after that is told again. */
const CLAIM_MS = 10 * 60 * 1_000;

interface FirstRunParts {
  readonly database: Pick<Database, 'write'>;
  readonly claims: NamedClaims;
  /** Rejects if Slack can't be asked. */
  readonly mayAct: MayAct;
  /** For an admin what Watch gives; undefined for everyone else. Rejects if Slack can't be asked. */
  readonly accessFor: (viewer: Viewer) => Promise<AccessNow | undefined>;
  /** As an ephemeral message if a channel is given, else by direct message. Never rejects. */
  readonly show: (
    to: Viewer & { readonly channelId?: string },
    message: Message,
  ) => Promise<'channel' | 'direct' | 'nowhere'>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Greetings that nobody asked for. Both reject if the database fails or Slack can't be asked. */
export interface FirstRun {
  /** By direct message, once per person across all processes; not to people who can't see customers. */
  greet(viewer: Viewer): Promise<void>;
  /** Tells whoever added the app to a channel what it does there. */
  added(inviter: Viewer, channelId: string): Promise<void>;
}

export function createFirstRun(parts: FirstRunParts): FirstRun {
  const { database, claims, mayAct, accessFor, show, now } = parts;
  return {
    async greet(viewer) {
      const { workspaceId, userId } = viewer;
      const verdict = await mayAct('watch', viewer);
      if (!verdict.allowed && verdict.why !== 'not-named') return;
      const access = await accessFor(viewer);
      // A permanent row instead of a claim, which two processes with different clocks could both get.
      const [written] = await database.write(
        sql`INSERT INTO greetings (workspace_id, user_id, greeted_at) VALUES (${workspaceId}, ${userId}, ${now()})
          ON CONFLICT DO NOTHING`,
      );
      if (!hasChanged(written)) return;
      if ((await show(viewer, greeting(userId, verdict.allowed, access))) !== 'nowhere') return;
      await database.write(
        sql`DELETE FROM greetings WHERE workspace_id = ${workspaceId} AND user_id = ${userId}`,
      );
    },
    async added(inviter, channelId) {
      const name = `added to ${channelId}`;
      if (!(await claims.claim(inviter.workspaceId, name, CLAIM_MS))) return;
      const reached = await show({ ...inviter, channelId }, addedToChannel(channelId));
      if (reached === 'nowhere') await claims.release(inviter.workspaceId, name);
    },
  };
}

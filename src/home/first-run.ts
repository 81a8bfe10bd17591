import type { Database } from '../database/database.ts';
import { hasChanged } from '../database/database.ts';
import type { NamedClaims } from '../database/named-claims.ts';
import { sql } from '../database/sql.ts';
import type { MayAct } from '../permissions/acts.ts';
import { addedToChannel, greeting } from '../views/first-run.ts';
import type { Message } from '../views/message.ts';
import type { Viewer } from './viewer.ts';

/** Slack sends an event again for five minutes; who adds the app anew after that is told anew. */
const TOLD_MS = 10 * 60 * 1_000;

interface FirstRunParts {
  readonly database: Pick<Database, 'write'>;
  readonly claims: NamedClaims;
  /** Rejects where Slack cannot be asked. */
  readonly mayAct: MayAct;
  /** As an ephemeral message where a channel is given, else by direct message. Never rejects. */
  readonly show: (
    to: Viewer & { readonly channelId?: string },
    message: Message,
  ) => Promise<'channel' | 'direct' | 'nowhere'>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** What people are told unasked when they meet the app. Both reject where the database fails or Slack cannot be asked. */
export interface FirstRun {
  /** By direct message, once a person, whatever process they meet; not those who are shown no customers. */
  greet(viewer: Viewer): Promise<void>;
  /** Tells whoever added the app to a channel what it does there. */
  added(inviter: Viewer, channelId: string): Promise<void>;
}

export function createFirstRun({ database, claims, mayAct, show, now }: FirstRunParts): FirstRun {
  return {
    async greet(viewer) {
      const { workspaceId, userId } = viewer;
      const verdict = await mayAct('watch', viewer);
      if (!verdict.allowed && verdict.why !== 'not-named') return;
      // A row that stays, and not a claim: two processes whose clocks differ would each get that.
      const [written] = await database.write(
        sql`INSERT INTO greetings (workspace_id, user_id, greeted_at) VALUES (${workspaceId}, ${userId}, ${now()})
          ON CONFLICT DO NOTHING`,
      );
      if (!hasChanged(written)) return;
      if ((await show(viewer, greeting(userId, verdict.allowed))) !== 'nowhere') return;
      await database.write(
        sql`DELETE FROM greetings WHERE workspace_id = ${workspaceId} AND user_id = ${userId}`,
      );
    },
    async added(inviter, channelId) {
      const name = `added to ${channelId}`;
      if (!(await claims.claim(inviter.workspaceId, name, TOLD_MS))) return;
      const reached = await show({ ...inviter, channelId }, addedToChannel(channelId));
      if (reached === 'nowhere') await claims.release(inviter.workspaceId, name);
    },
  };
}

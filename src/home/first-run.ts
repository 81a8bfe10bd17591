import { accessNow, type AccessNow } from '../admin/access.ts';
import type { Viewer } from '../commands/rights.ts';
import { hasChanged, sql } from '../database/database.ts';
import { buttons, lines, message, notice, type Message } from '../messages/message.ts';
import { channel, code, say, user } from '../messages/text.ts';
import { startButton } from '../messages/visitor-pieces.ts';
import type { App } from '../parts.ts';
import { canLook } from '../permissions/permissions.ts';

function greeting(userId: string, mayWatch: boolean, access?: AccessNow): Message {
  return message(
    lines(
      say`Hi ${user(userId)}! Find a customer on your site, see their screen and help.`,
      say`Try it on yourself: open your own site in another tab, then find yourself with ${code('/cobrowse online')}.`,
    ),
    mayWatch && buttons(startButton('Start co-browsing')),
    ...(access === undefined ? [] : accessNow(access)),
  );
}

const addedToChannel = (channelId: string): Message =>
  notice(
    say`Thanks for adding me to ${channel(channelId)}.`,
    say`When someone here opens a customer’s screen, I post a card, and a summary when the session ends. To get the summaries of other sessions, too, type ${code('/cobrowse subscribe')}.`,
  );

/** Slack repeats an event for five minutes; whoever adds the app again after that is told again. */
const CLAIM_MS = 10 * 60 * 1_000;

/**
 * Greetings nobody asked for. Reject if the database fails; what Slack refuses is said at the next event.
 *
 * @param accessFor for admins, what Watch gives
 */
export function createFirstRun(
  app: Pick<App, 'database' | 'claims' | 'mayAct' | 'showPrivately' | 'now'>,
  accessFor: (viewer: Viewer) => Promise<AccessNow | undefined>,
) {
  const { database, claims, mayAct, showPrivately, now } = app;
  return {
    /** By direct message, once per person across all processes; not to people who can't see customers. */
    async greet(viewer: Viewer): Promise<void> {
      const { workspaceId, userId } = viewer;
      const verdict = await mayAct('watch', viewer);
      if (!canLook(verdict)) return;
      const access = await accessFor(viewer);
      // A permanent row instead of a claim, which two processes with different clocks could both get.
      const [written] = await database.write(
        sql`INSERT INTO greetings (workspace_id, user_id, greeted_at) VALUES (${workspaceId}, ${userId}, ${now()})
          ON CONFLICT DO NOTHING`,
      );
      if (!hasChanged(written)) return;
      if (await showPrivately(viewer, greeting(userId, verdict.allowed, access))) return;
      await database.write(
        sql`DELETE FROM greetings WHERE workspace_id = ${workspaceId} AND user_id = ${userId}`,
      );
    },
    async added(inviter: Viewer, channelId: string): Promise<void> {
      const name = `added to ${channelId}`;
      if (!(await claims.claim(inviter.workspaceId, name, CLAIM_MS))) return;
      if (await showPrivately({ ...inviter, channelId }, addedToChannel(channelId))) return;
      await claims.release(inviter.workspaceId, name);
    },
  };
}

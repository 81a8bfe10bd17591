import { accessNow, type AccessNow } from '../admin/access.ts';
import type { Viewer } from '../commands/rights.ts';
import { hasChanged, sql, type Database } from '../database/database.ts';
import type { NamedClaims } from '../database/named-claims.ts';
import { startButton } from '../messages/visitor-pieces.ts';
import { buttons, lines, message, notice, type Message } from '../messages/message.ts';
import { channel, code, user } from '../messages/text.ts';
import type { MayAct } from '../permissions/permissions.ts';

/**
 * The greeting for someone who opened the app.
 *
 * @param mayWatch whether they can watch, or only search
 * @param access for admins
 */
function greeting(userId: string, mayWatch: boolean, access?: AccessNow): Message {
  return message(
    lines(
      ['Hi ', user(userId), '! Find a customer on your site, see their screen and help.'],
      [
        'Try it on yourself: open your own site in another tab, then find yourself with ',
        code('/cobrowse online'),
        '.',
      ],
    ),
    ...(mayWatch ? [buttons(startButton('Start co-browsing'))] : []),
    ...(access === undefined ? [] : accessNow(access)),
  );
}

/** To whoever added the app to a channel. */
function addedToChannel(channelId: string): Message {
  return notice(
    ['Thanks for adding me to ', channel(channelId), '.'],
    [
      'When someone here opens a customer’s screen, I post a card, and a summary when the session ends. To get the summaries of other sessions, too, type ',
      code('/cobrowse subscribe'),
      '.',
    ],
  );
}

/** Slack repeats an event for five minutes; whoever adds the app again after that is told again. */
const CLAIM_MS = 10 * 60 * 1_000;

/** As an ephemeral message if a channel is given, else by direct message. Never rejects. */
export type Show = (
  to: Viewer & { readonly channelId?: string },
  message: Message,
) => Promise<'channel' | 'direct' | 'nowhere'>;

/** Greetings that nobody asked for. Both reject if the database fails or Slack can't be asked. */
export interface FirstRun {
  /** By direct message, once per person across all processes; not to people who can't see customers. */
  greet(viewer: Viewer): Promise<void>;
  /** Tells whoever added the app to a channel what it does there. */
  added(inviter: Viewer, channelId: string): Promise<void>;
}

export function createFirstRun({
  database,
  claims,
  mayAct,
  accessFor,
  show,
  now,
}: {
  readonly database: Pick<Database, 'write'>;
  readonly claims: NamedClaims;
  /** Rejects if Slack can't be asked. */
  readonly mayAct: MayAct;
  /** For an admin what Watch gives; undefined for everyone else. Rejects if Slack can't be asked. */
  readonly accessFor: (viewer: Viewer) => Promise<AccessNow | undefined>;
  readonly show: Show;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}): FirstRun {
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

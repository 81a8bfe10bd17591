import { randomUUID } from 'node:crypto';
import { hasChanged, sql, steadyTimeIn, type Database } from '../database/database.ts';
import { isChannel } from '../permissions/slack-ids.ts';
import { lockChannel, wakeWorkers, type ChannelName } from './channels.ts';
import type { Post } from './transport.ts';
import { LEASE_MS, releaseTurn } from './turns.ts';

/** Somebody waits for it. After that it's posted all the same: Slack lets short bursts pass, or says when it may come again. */
const PATIENCE_MS = 5_000;
const LOOK_EVERY_MS = 100;

/**
 * Posts what nothing stores, because somebody waits for its answer, in the channel's turn: a second from whatever else is posted
 * there, by this process or another. Direct messages and changes have no such pace.
 */
export function createPostInTurn({
  database,
  post,
  paceMs,
  now,
}: {
  readonly database: Pick<Database, 'write' | 'notify' | 'steadyTime'>;
  readonly post: Post;
  /** Pause between two posts in one place, milliseconds. */
  readonly paceMs: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}): Post {
  async function take({ workspaceId, channelId }: ChannelName, token: string): Promise<boolean> {
    for (let waitedMs = 0; ; waitedMs += LOOK_EVERY_MS) {
      const [, taken] = await database.write(
        lockChannel({ workspaceId, channelId }),
        sql`UPDATE channels SET claim = ${token}, claimed_until = ${steadyTimeIn(database, LEASE_MS)}
          WHERE workspace_id = ${workspaceId} AND channel_id = ${channelId} AND open_at <= ${now()}
            AND (claimed_until IS NULL OR claimed_until <= ${database.steadyTime()})`,
      );
      if (hasChanged(taken)) return true;
      if (waitedMs >= PATIENCE_MS) return false;
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
  }

  return async function postInTurn(to, message, messageId, ready) {
    const channel = { workspaceId: to.workspaceId, channelId: to.to };
    if (paceMs === 0 || to.replaces !== undefined || !isChannel(to.to))
      return post(to, message, messageId, ready);
    const token = randomUUID();
    // Where the database fails, nothing else is posted either.
    const isTaken = await take(channel, token).catch(() => false);
    const outcome = await post(to, message, messageId, ready);
    if (isTaken) {
      await database.write(...releaseTurn({ channel, token }, now() + paceMs)).catch(() => undefined);
      wakeWorkers(database);
    }
    return outcome;
  };
}

export type PostInTurn = ReturnType<typeof createPostInTurn>;

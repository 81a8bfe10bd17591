import type { NewEntry } from '../audit/audit.ts';
import type { CobrowseClient } from '../cobrowse/client.ts';
import { CobrowseError } from '../cobrowse/errors.ts';
import type { Visitor } from '../cobrowse/schemas.ts';
import type { NamedClaims } from '../database/named-claims.ts';
import { arrivalIn } from '../outbox/post.ts';
import type { FindPosts, Post } from '../outbox/post.ts';
import { OF_THE_APP, troubleKind } from '../outbox/trouble.ts';
import type { MayAct } from '../permissions/acts.ts';
import { cameOnline } from './online-notice.ts';
import type { OnlineRequests, OnlineNotice } from './online-requests.ts';

/** The service doesn't report visitors who come online: each is looked up once in this time, however many processes run. */
const EVERY_MS = 60_000;
/** So that many slow looks leave the service room for what people ask. */
const MOST_AT_ONCE = 5;

/** `not-sent` is tried again; so is `unclear`, but looked for first. */
type Result = { readonly done: string } | 'not-sent' | 'unclear';

interface OnlineWatchParts {
  readonly requests: Pick<OnlineRequests, 'watched' | 'take' | 'release' | 'finish'>;
  readonly claims: Pick<NamedClaims, 'claim'>;
  readonly cobrowseOf: (workspaceId: string) => Promise<Pick<CobrowseClient, 'visitor'>>;
  readonly mayAct: MayAct;
  readonly post: Post;
  readonly find: FindPosts;
  readonly record: (entry: NewEntry) => Promise<void>;
  /** Called with what failed; it's tried again a minute later. */
  readonly report: (error: unknown) => void;
}

/** One round: looks up the visitors somebody waits for, and notifies the people who asked about those who are online. Never rejects. */
export function createOnlineWatch(parts: OnlineWatchParts): (stopping?: AbortSignal) => Promise<void> {
  const { requests, claims, cobrowseOf, mayAct, post, find, record, report } = parts;

  /** Whether the message set out before and arrived. */
  const hasArrived = async ({ workspaceId, userId, messageId, askedAt }: OnlineNotice) =>
    arrivalIn(await find({ workspaceId, to: userId }, messageId, askedAt));

  /** What it came to: `done` says so for the audit. Whatever it rejects with, nothing was posted. */
  async function notify(notice: OnlineNotice, visitor: Visitor): Promise<Result> {
    const { workspaceId, userId, messageId } = notice;
    const verdict = await mayAct('watch', { workspaceId, userId });
    if (!verdict.allowed) return { done: verdict.why };
    const arrived = notice.isAgain ? await hasArrived(notice) : 'no';
    if (arrived === 'later') return 'not-sent';
    if (arrived === 'yes') return { done: 'sent' };
    const posted = await post({ workspaceId, to: userId }, cameOnline(visitor), messageId);
    if (posted.outcome === 'posted') return { done: 'sent' };
    if (posted.outcome === 'later') return posted.unclear === true ? 'unclear' : 'not-sent';
    return OF_THE_APP.has(troubleKind(posted.reason)) ? 'not-sent' : { done: posted.reason };
  }

  async function notifyAndRecord(notice: OnlineNotice, visitor: Visitor): Promise<void> {
    const result = await notify(notice, visitor).catch((error: unknown) => {
      report(error);
      return 'not-sent' as const;
    });
    if (result === 'unclear') return;
    if (result === 'not-sent') {
      await requests.release(notice);
      return;
    }
    await requests.finish(notice);
    const { workspaceId, userId, visitorId } = notice;
    await record({ workspaceId, userId, visitorId, action: 'online-notice', outcome: result.done });
  }

  async function lookAt(workspaceId: string, visitorId: string): Promise<void> {
    const cobrowse = await cobrowseOf(workspaceId);
    const visitor = await cobrowse.visitor(visitorId).catch((error: unknown) => {
      // Who was deleted can come back under the same id.
      if (error instanceof CobrowseError && error.kind === 'not-found') return undefined;
      throw error;
    });
    if (visitor?.is_online !== true) return;
    // One whose notice fails must not keep the others waiting, who are claimed as well.
    for (const notice of await requests.take(workspaceId, visitorId))
      await notifyAndRecord(notice, visitor).catch(report);
  }

  return async function round(stopping) {
    const watched = await requests.watched().catch((error: unknown) => {
      report(error);
      return [];
    });
    const left = watched.values();
    async function lookAtThoseLeft(): Promise<void> {
      for (const { workspaceId, visitorId } of left) {
        if (stopping?.aborted === true) return;
        try {
          if (await claims.claim(workspaceId, `online:${visitorId}`, EVERY_MS))
            await lookAt(workspaceId, visitorId);
        } catch (error) {
          report(error);
        }
      }
    }
    await Promise.all(Array.from({ length: MOST_AT_ONCE }, lookAtThoseLeft));
  };
}

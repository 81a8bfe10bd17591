import { z } from 'zod';
import type { NewEntry } from '../audit/audit.ts';
import type { CobrowseClient } from '../cobrowse/client.ts';
import { CobrowseError } from '../cobrowse/errors.ts';
import type { Visitor } from '../cobrowse/schemas.ts';
import type { NamedClaims } from '../database/named-claims.ts';
import { ComposeError, readPayload, unknownNow } from '../outbox/delivery.ts';
import type { Kind } from '../outbox/kind.ts';
import type { Outbox } from '../outbox/outbox.ts';
import type { MayAct } from '../permissions/acts.ts';
import { createSideBySide } from '../lifecycle/side-by-side.ts';
import { cameOnline } from './online-notice.ts';
import type { OnlineRequests, Watched } from './online-requests.ts';

/** The service doesn't report visitors who come online: each is looked up once in this time, however many processes run. */
const EVERY_MS = 60_000;
/** In a workspace, so that many slow looks leave its service room for what people ask. */
const MOST_AT_ONCE = 5;

const Payload = z.object({ visitorId: z.string() });

const visitorIn = (payload: unknown): string => readPayload(Payload, payload).visitorId;

/** Tells people that a visitor they asked about is online. */
export function createOnlineWatch({
  requests,
  claims,
  cobrowseOf,
  mayAct,
  outbox,
  record,
  report,
}: {
  readonly requests: Pick<OnlineRequests, 'watched' | 'queue'>;
  readonly claims: Pick<NamedClaims, 'claim'>;
  readonly cobrowseOf: (workspaceId: string) => Promise<Pick<CobrowseClient, 'visitor'>>;
  readonly mayAct: MayAct;
  readonly outbox: Pick<Outbox, 'register' | 'wake'>;
  readonly record: (entry: NewEntry) => Promise<void>;
  /** Called with what failed; it's tried again a minute later. */
  readonly report: (error: unknown) => void;
}) {
  const sideBySide = createSideBySide();

  /** Undefined where there is none: who was deleted can come back under the same id. */
  async function visitorOf(workspaceId: string, visitorId: string): Promise<Visitor | undefined> {
    const cobrowse = await cobrowseOf(workspaceId);
    return cobrowse.visitor(visitorId).catch((error: unknown) => {
      if (error instanceof CobrowseError && error.kind === 'not-found') return undefined;
      throw error;
    });
  }

  const kind: Kind = {
    name: 'online',
    isNoLoss: true,
    async compose({ workspaceId, channelId: userId, payload }) {
      const visitorId = visitorIn(payload);
      const verdict = await mayAct('watch', { workspaceId, userId }).catch(unknownNow);
      if (!verdict.allowed) return { unwanted: verdict.why };
      return {
        async message() {
          const visitor = await visitorOf(workspaceId, visitorId).catch(unknownNow);
          if (visitor === undefined) return { unwanted: 'visitor_gone' };
          // They have left while it waited: said once they're back, if that's in time.
          if (visitor.is_online !== true) throw new ComposeError('visitor_offline');
          return cameOnline(visitor);
        },
      };
    },
    async told({ workspaceId, channelId: userId, payload }, told) {
      if (told.outcome === 'later') return;
      const outcome = told.outcome === 'posted' ? 'sent' : told.reason;
      await record({ workspaceId, userId, visitorId: visitorIn(payload), action: 'online-notice', outcome });
    },
  };
  outbox.register(kind);

  async function lookAt(workspaceId: string, visitorId: string): Promise<void> {
    const visitor = await visitorOf(workspaceId, visitorId);
    if (visitor?.is_online !== true) return;
    await requests.queue(workspaceId, visitorId);
    outbox.wake();
  }

  /** One after the other, until all are looked at or the service isn't there for any. */
  async function lookAtThese(
    workspaceId: string,
    visitors: Iterable<Watched>,
    stopping: AbortSignal | undefined,
  ): Promise<void> {
    for (const { visitorId } of visitors) {
      if (stopping?.aborted === true) return;
      try {
        if (await claims.claim(workspaceId, `online:${visitorId}`, EVERY_MS))
          await lookAt(workspaceId, visitorId);
      } catch (error) {
        // Home says so to whoever can connect it.
        if (error instanceof CobrowseError && error.kind === 'not-connected') return;
        report(error);
      }
    }
  }

  return {
    /** Begins to look in each workspace. Never rejects. */
    async round(stopping?: AbortSignal): Promise<void> {
      const watched = await requests.watched().catch((error: unknown) => {
        report(error);
        return [];
      });
      const busy = new Set(sideBySide.busy());
      for (const [workspaceId, own] of Map.groupBy(watched, (one) => one.workspaceId)) {
        if (busy.has(workspaceId)) continue;
        const left = own.values();
        void sideBySide.start(workspaceId, async () => {
          const looks = Array.from({ length: MOST_AT_ONCE }, () => lookAtThese(workspaceId, left, stopping));
          await Promise.all(looks);
        });
      }
    },
    /** Resolves when what a round began is done. */
    idle: () => sideBySide.idle(),
  };
}

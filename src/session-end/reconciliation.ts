import type { CobrowseClient } from '../cobrowse/client.ts';
import type { Database } from '../database/database.ts';
import type { Sql } from '../database/sql.ts';
import type { EndSource } from '../links/link-result.ts';
import type { IssuedLink } from '../links/order.ts';
import { recordLink } from '../links/watch-links.ts';
import type { WatchLinks } from '../links/watch-links.ts';
import { createLookRecords } from './agent-looks.ts';
import { longestLook, usualWaits } from './look-times.ts';
import type { LookWaits } from './look-times.ts';
import { createReconcile } from './reconcile.ts';
import type { ReconcileParts } from './reconcile.ts';
import { createReconciler } from './reconciler.ts';
import type { LookReport, Reconciler } from './reconciler.ts';
import { createSettle } from './settle.ts';
import type { SettleParts } from './settle.ts';

/** No person waits for it, and a history of ninety megabytes takes a while. */
const LOOK_UP_MS = 60_000;

/** A link that was just issued. */
interface RecordedLink {
  readonly link: IssuedLink;
  readonly agent: { readonly id: string };
  readonly expiresAt: Date | undefined;
  /** The press it was made for; undefined if a ticket is proof enough. */
  readonly proofId?: string | undefined;
}

interface ReconciliationParts extends Omit<SettleParts, 'links'>, Pick<ReconcileParts, 'emailOf'> {
  readonly database: Database;
  readonly links: WatchLinks;
  /** The workspace's account of the service, and how the app learns there that a session ended. */
  readonly serviceOf: (workspaceId: string) => Promise<{
    readonly cobrowse: Pick<CobrowseClient, 'lookupAgent' | 'offers'>;
    readonly endSource: EndSource;
  }>;
  /** Instead of the usual ones. */
  readonly waits: Partial<LookWaits> | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly reportLook: LookReport;
}

/** A link as a statement, for the write that hands it out. */
interface PreparedLink {
  readonly statement: Sql;
  /** Starts looking for its end; call it once the write is durable. */
  readonly planLook: () => void;
}

/** For each issued link, finds out what became of it if no webhook says so. */
export interface Reconciliation extends Reconciler {
  /** Records a link, so that its end is found whatever happens to this process. */
  prepareLink(issued: RecordedLink, cardId: Sql): Promise<PreparedLink>;
}

export function createReconciliation(parts: ReconciliationParts): Reconciliation {
  const { database, serviceOf, now, reportLook } = parts;
  const calledOff = new AbortController();
  const waitsFor = (endSource: EndSource): LookWaits => ({ ...usualWaits(endSource), ...parts.waits });
  const usual = waitsFor('webhook');
  const looks = createLookRecords(database, now, longestLook(usual));
  const look = createReconcile({
    ...parts,
    looks,
    settle: createSettle(parts),
    async serviceOf(workspaceId) {
      const { cobrowse, endSource } = await serviceOf(workspaceId);
      const { signal } = calledOff;
      return {
        waits: waitsFor(endSource),
        lookupAgent: cobrowse.offers.lookupAgent
          ? (key, sessions) =>
              cobrowse.lookupAgent(key, { sessions, once: true, timeoutMs: LOOK_UP_MS, signal })
          : undefined,
      };
    },
  });
  const reconciler = createReconciler({ looks, look, waits: usual, now, report: reportLook });
  return {
    ...reconciler,
    stop() {
      calledOff.abort();
      return reconciler.stop();
    },
    async prepareLink({ link, agent, expiresAt, proofId }, cardId) {
      const { firstMs } = waitsFor((await serviceOf(link.workspaceId)).endSource);
      const issuedAt = now();
      const recorded = { link, agentId: agent.id, issuedAt };
      const lookAt = issuedAt + firstMs;
      return {
        statement: recordLink(
          expiresAt === undefined ? recorded : { ...recorded, expiresAt: expiresAt.getTime() },
          { lookAt, cardId, proofId },
        ),
        planLook: () => reconciler.wakeBy(lookAt),
      };
    },
  };
}

import type { CobrowseClient } from '../cobrowse/client.ts';
import type { Database } from '../database/database.ts';
import type { Sql } from '../database/sql.ts';
import type { EndSource } from '../messages/link-result.ts';
import type { IssuedLink } from '../messages/link-request.ts';
import { recordLink } from './watch-links.ts';
import type { WatchLinks } from './watch-links.ts';
import { createLookRecords } from './agent-looks.ts';
import { longestLook, usualWaits } from './look-times.ts';
import type { LookWaits } from './look-times.ts';
import { createLookUp } from './look-up.ts';
import type { LookUpParts } from './look-up.ts';
import { createLookWorker } from './look-worker.ts';
import type { LookReport, LookWorker } from './look-worker.ts';
import { createRecordOutcomes } from './link-outcomes.ts';
import type { OutcomeParts } from './link-outcomes.ts';

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

interface ReconciliationParts extends Omit<OutcomeParts, 'links'>, Pick<LookUpParts, 'emailOf'> {
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
export interface Reconciliation extends LookWorker {
  /** Records a link, so that its end is found whatever happens to this process. */
  prepareLink(issued: RecordedLink, cardId: Sql): Promise<PreparedLink>;
}

export function createReconciliation(parts: ReconciliationParts): Reconciliation {
  const { database, serviceOf, now, reportLook } = parts;
  const calledOff = new AbortController();
  const waitsFor = (endSource: EndSource): LookWaits => ({ ...usualWaits(endSource), ...parts.waits });
  const usual = waitsFor('webhook');
  const looks = createLookRecords(database, now, longestLook(usual));
  const look = createLookUp({
    ...parts,
    looks,
    recordOutcomes: createRecordOutcomes(parts),
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
  const worker = createLookWorker({ looks, look, waits: usual, now, report: reportLook });
  return {
    ...worker,
    stop() {
      calledOff.abort();
      return worker.stop();
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
        planLook: () => worker.wakeBy(lookAt),
      };
    },
  };
}

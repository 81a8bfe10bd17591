import { recordLink } from '../grants/watch-links.ts';
import type { WatchLinks } from '../grants/watch-links.ts';
import { reportFinding, reportLook } from '../reports.ts';
import { createLookRecords, planLook } from '../session-end/agent-looks.ts';
import type { GrantEnds } from '../session-end/grant-ends.ts';
import { longestLook, usualWaits } from '../session-end/look-times.ts';
import type { LookWaits } from '../session-end/look-times.ts';
import { createReconcile } from '../session-end/reconcile.ts';
import { createReconciler } from '../session-end/reconciler.ts';
import type { Reconciler } from '../session-end/reconciler.ts';
import { createSettle } from '../session-end/settle.ts';
import type { SettleParts, ShowConclusion } from '../session-end/settle.ts';
import type { People } from '../slack/people.ts';
import type { Sql } from '../database/sql.ts';
import type { Issued } from '../watch/mint.ts';
import { endNewsOf } from './ground.ts';
import type { Ground } from './ground.ts';

/** Nobody waits for it, and a history of ninety megabytes takes its time. */
const LOOK_UP_MS = 60_000;

interface ReconciliationParts {
  readonly ground: Ground;
  readonly people: Pick<People, 'emailOf'>;
  readonly links: WatchLinks;
  readonly deliveries: {
    readonly recover: SettleParts['accept'];
    readonly ends: GrantEnds;
    readonly showConclusion: ShowConclusion;
  };
  /** In place of the usual ones. */
  readonly waits: Partial<LookWaits> | undefined;
}

interface Reconciliation {
  readonly reconciler: Reconciler;
  /** The statements that write a link down, so that its end is found whatever happens to this process. */
  readonly linkStatements: (issued: Issued) => readonly Sql[];
}

/** From the given link to what became of it, where nobody tells. */
export function joinReconciliation(parts: ReconciliationParts): Reconciliation {
  const { ground, people, links, deliveries } = parts;
  const { database, cobrowse, log, metrics, now } = ground;
  const waits = { ...usualWaits(endNewsOf(ground)), ...parts.waits };
  const calledOff = new AbortController();
  const looks = createLookRecords(database, now, longestLook(waits, cobrowse.offers.lookupAgent));
  const look = createReconcile({
    links,
    looks,
    lookupAgent: cobrowse.offers.lookupAgent
      ? (key, sessions) =>
          cobrowse.lookupAgent(key, { sessions, once: true, timeoutMs: LOOK_UP_MS, signal: calledOff.signal })
      : undefined,
    emailOf: (workspaceId, userId) => people.emailOf(workspaceId, userId),
    settle: createSettle({
      links,
      ends: deliveries.ends,
      accept: deliveries.recover,
      show: deliveries.showConclusion,
      graceMs: waits.graceMs,
      report: reportFinding(log, metrics),
    }),
    waits,
    now,
  });
  const reconciler = createReconciler({ looks, look, waits, now, report: reportLook(log, metrics) });
  return {
    reconciler: {
      ...reconciler,
      stop() {
        calledOff.abort();
        return reconciler.stop();
      },
    },
    linkStatements({ grant, agent, expiresAt }) {
      const { workspaceId, userId } = grant;
      const issuedAt = now();
      const link = { grant, agentId: agent.id, issuedAt };
      const looked = { workspaceId, userId, agentId: agent.id };
      return [
        recordLink(expiresAt === undefined ? link : { ...link, expiresAt: expiresAt.getTime() }),
        planLook(looked, issuedAt + waits.firstMs),
      ];
    },
  };
}

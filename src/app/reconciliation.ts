import type { OpenGrants } from '../grants/open-grants.ts';
import type { GrantRecords } from '../grants/records.ts';
import { reportFinding, reportLook } from '../reports.ts';
import { createLookRecords } from '../session-end/agent-looks.ts';
import type { GrantEnds } from '../session-end/grant-ends.ts';
import { usualWaits } from '../session-end/look-times.ts';
import type { LookWaits } from '../session-end/look-times.ts';
import { createReconcile } from '../session-end/reconcile.ts';
import { createReconciler } from '../session-end/reconciler.ts';
import type { Reconciler } from '../session-end/reconciler.ts';
import { createSettle } from '../session-end/settle.ts';
import type { SettleParts, ShowConclusion } from '../session-end/settle.ts';
import type { People } from '../slack/people.ts';
import type { Issued } from '../watch/mint.ts';
import { endNewsOf } from './ground.ts';
import type { Ground } from './ground.ts';

interface ReconciliationParts {
  readonly ground: Ground;
  readonly people: Pick<People, 'emailOf'>;
  readonly grants: GrantRecords;
  readonly open: OpenGrants;
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
  /** Writes a link down before it is handed out, so that its end is found whatever happens to this process. */
  readonly remember: Issued;
}

/** From the given link to what became of it, where nobody tells. */
export function joinReconciliation(parts: ReconciliationParts): Reconciliation {
  const { ground, people, grants, open, deliveries } = parts;
  const { storage, cobrowse, log, metrics, now } = ground;
  const waits = { ...usualWaits(endNewsOf(ground)), ...parts.waits };
  const look = createReconcile({
    open,
    grants,
    looks: createLookRecords({
      looks: storage.store('agent-looks'),
      claims: storage.store('agent-look-claims'),
      now,
    }),
    lookupAgent: cobrowse.offers.lookupAgent ? (key) => cobrowse.lookupAgent(key, { once: true }) : undefined,
    emailOf: (workspaceId, userId) => people.emailOf(workspaceId, userId),
    settle: createSettle({
      open,
      grants,
      ends: deliveries.ends,
      accept: deliveries.recover,
      show: deliveries.showConclusion,
      graceMs: waits.graceMs,
      report: reportFinding(log, metrics),
    }),
    waits,
    now,
  });
  const reconciler = createReconciler({ open, look, waits, now, report: reportLook(log, metrics) });
  return {
    reconciler,
    async remember(grant, agent, expiresAt) {
      const record = {
        grant,
        agentId: agent.id,
        issuedAt: now(),
        ...(expiresAt === undefined ? {} : { expiresAt: expiresAt.getTime() }),
      };
      metrics.grantSettled('issued');
      try {
        await Promise.all([grants.issued(grant), open.open(record)]);
      } catch (error) {
        log.error({ err: error, grantId: grant.grantId }, 'a link could not be written down');
      }
      reconciler.add(record);
    },
  };
}

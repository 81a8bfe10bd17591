import { CobrowseError } from './cobrowse/errors.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';
import type { LookReport } from './session-end/reconciler.ts';
import type { WebhookOutcome } from './deliveries/webhook.ts';
import type { Finding } from './session-end/settle.ts';
import { DatabaseError } from './database/errors.ts';
import type { PressGrant, SessionEndGrant } from './grants/grant.ts';
import type { AuditEntry } from './audit/audit.ts';
import type { WatchOutcome } from './watch/route.ts';

/*
 * What happened, as log lines and counts: the features tell of it, and know neither.
 * A line holds ids and outcomes. Never a link, a ticket, or what a person typed.
 */

/** Who, where and whom: not the address that a proxy starts at, nor a message's, which people typed. */
function idsOf(grant: PressGrant | undefined) {
  if (grant === undefined) return {};
  const { workspaceId, userId, channelId, threadTs } = grant;
  const what = 'proxy' in grant ? {} : { visitorId: grant.visitorId, power: grant.power };
  return { workspaceId, userId, channelId, threadTs, ...what };
}

export function reportWatch(log: Log, metrics: Metrics) {
  return function report(outcome: WatchOutcome, grant: PressGrant | undefined): void {
    if (outcome instanceof CobrowseError) {
      metrics.watchOpened(outcome.kind);
      log.warn(
        { ...idsOf(grant), kind: outcome.kind, status: outcome.status, err: outcome },
        'no watch link',
      );
      return;
    }
    if (outcome instanceof DatabaseError) {
      metrics.watchOpened('not-recorded');
      log.error({ ...idsOf(grant), err: outcome }, 'a link was held back: it could not be written down');
      return;
    }
    metrics.watchOpened(outcome);
    if (outcome === 'redirected') log.info(idsOf(grant), 'watch link issued');
    else if (outcome === 'worn')
      log.warn({ ...idsOf(grant), outcome }, 'watch address opened too often: somebody may have copied it');
    else log.info({ ...idsOf(grant), outcome }, 'watch address opened without a link');
  };
}

export function reportWebhook(log: Log, metrics: Metrics) {
  return function report(outcome: WebhookOutcome, error?: Error): void {
    metrics.sessionEnded(outcome);
    if (outcome === 'accepted' || outcome === 'duplicate') log.info({ outcome }, 'session-end webhook');
    else log.warn({ outcome, err: error }, 'session-end webhook refused');
  };
}

/** What became of the links given, beside those whose end a webhook told of. */
export function reportFinding(log: Log, metrics: Metrics) {
  return function report(finding: Finding, { grantId, workspaceId, userId }: SessionEndGrant): void {
    metrics.grantSettled(finding);
    log.info({ grantId, workspaceId, userId, finding }, 'looked for the end of a session');
  };
}

export function reportLook(log: Log, metrics: Metrics): LookReport {
  return function report(outcome, error) {
    metrics.agentLookedFor(error instanceof CobrowseError ? error.kind : outcome);
    if (outcome === 'failed') log.warn({ err: error }, 'an agent’s sessions could not be looked up');
    if (outcome === 'broken')
      log.error({ err: error }, 'a look for ended sessions failed by a failure of our own');
  };
}

/** The audit trail as log lines, too: whoever collects logs has it without asking the app. */
export function reportAudit(log: Log) {
  return (record: AuditEntry): void => log.info({ audit: record }, 'audit');
}

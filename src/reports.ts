import { CobrowseError } from './cobrowse/errors.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';
import type { DeliveryReport } from './session-end/courier.ts';
import type { WebhookOutcome } from './session-end/route.ts';
import type { PressGrant } from './grants/grant.ts';
import type { WatchOutcome } from './watch/route.ts';

/*
 * What happened, as log lines and counts: the features tell of it, and know neither.
 * A line holds ids and outcomes. Never a link, a ticket, or what a person typed.
 */

export function reportWatch(log: Log, metrics: Metrics) {
  return function report(outcome: WatchOutcome, grant: PressGrant | undefined): void {
    if (outcome instanceof CobrowseError) {
      metrics.watchOpened(outcome.kind);
      log.warn({ ...grant, kind: outcome.kind, status: outcome.status, err: outcome }, 'no watch link');
      return;
    }
    metrics.watchOpened(outcome);
    if (outcome === 'redirected') log.info({ ...grant }, 'watch link issued');
    else log.info({ ...grant, outcome }, 'watch address opened without a link');
  };
}

export function reportWebhook(log: Log, metrics: Metrics) {
  return function report(outcome: WebhookOutcome, error?: Error): void {
    metrics.sessionEnded(outcome);
    if (outcome === 'accepted' || outcome === 'duplicate') log.info({ outcome }, 'session-end webhook');
    else log.warn({ outcome, err: error }, 'session-end webhook refused');
  };
}

export function reportDelivery(log: Log, metrics: Metrics): DeliveryReport {
  return function report(outcome, { id, reason, error }) {
    metrics.delivered(outcome);
    const line = { delivery: id, outcome, reason, err: error };
    if (outcome === 'posted') log.info(line, 'summary posted');
    else if (outcome === 'later') log.warn(line, 'summary to be tried again');
    else
      log.error(
        line,
        outcome === 'failed' ? 'summary given up' : 'summary held back by a failure of our own',
      );
  };
}

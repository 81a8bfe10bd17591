import { CobrowseError } from './cobrowse/errors.ts';
import type { Viewer } from './commands/rights.ts';
import type { Log } from './logging/log.ts';
import type { Metrics } from './logging/metrics.ts';
import type { ReportLookUp } from './sessions/session-poller.ts';
import type { Report } from './outbox/outcome.ts';
import type { SessionEnd } from './sessions/session-ends.ts';
import type { WebhookOutcome } from './sessions/webhook.ts';
import type { LookUpResult } from './sessions/session-links.ts';
import { DatabaseError } from './database/database.ts';
import { RightUnknownError } from './permissions/permissions.ts';
import type { LinkRequest, IssuedLink } from './messages/link-request.ts';
import type { AuditEntry } from './audit/audit.ts';
import type { WatchOutcome } from './watch/route.ts';
import type { ReportWebhook } from './webhooks/sending.ts';

/* The features know neither log nor counters. A line holds ids and outcomes: never a link, a ticket, or what people typed. */

/** Not the address that a proxy starts at, nor a message's, which people typed. */
function idsOf(link: LinkRequest | undefined) {
  if (link === undefined) return {};
  const { workspaceId, userId, channelId, threadTs } = link;
  const what = 'proxy' in link ? {} : { visitorId: link.visitorId, access: link.access };
  return { workspaceId, userId, channelId, threadTs, ...what };
}

const deliveryWords = {
  posted: 'summary posted',
  skipped: 'summary no longer wanted there',
  later: 'posting a summary failed, trying again later',
  failed: 'gave up on a summary',
  broken: 'posting a summary failed unexpectedly',
};
const webhookWords = {
  posted: 'webhook sent',
  skipped: 'webhook no longer wanted',
  later: 'a webhook wasn’t taken, trying again later',
  failed: 'a webhook was set aside',
  broken: 'sending a webhook failed unexpectedly',
};
const LEVELS = { posted: 'info', skipped: 'info', later: 'warn', failed: 'error', broken: 'error' } as const;

const reportWatch =
  (log: Log, metrics: Metrics) =>
  (outcome: WatchOutcome, link: LinkRequest | undefined): void => {
    const ids = idsOf(link);
    if (outcome instanceof CobrowseError) {
      metrics.watches.inc({ outcome: outcome.kind });
      log.warn({ ...ids, kind: outcome.kind, status: outcome.status, err: outcome }, 'no watch link');
    } else if (outcome instanceof DatabaseError) {
      metrics.watches.inc({ outcome: 'not-recorded' });
      log.error({ ...ids, err: outcome }, 'a watch link was not handed out: it could not be recorded');
    } else if (outcome instanceof RightUnknownError) {
      metrics.watches.inc({ outcome: 'unchecked' });
      log.warn({ ...ids, err: outcome }, 'no watch link: Slack could not be asked who pressed');
    } else {
      metrics.watches.inc({ outcome });
      if (outcome === 'redirected' || outcome === 'answered') log.info(ids, 'watch link issued');
      else if (outcome === 'worn')
        log.warn({ ...ids, outcome }, 'watch address opened too often: somebody may have copied it');
      // Anybody can ask for any address, as often as they like: those are only counted.
      else if (link !== undefined) log.info({ ...ids, outcome }, 'watch address opened without a link');
    }
  };

const reportDelivery =
  (log: Log, metrics: Metrics): Report =>
  (outcome, { id, kind, sessionEndId: sessionEnd, subscriptions = [] }, detail = {}) => {
    const { reason, alreadyPosted, error } = detail;
    metrics.deliveries.inc({ outcome });
    const line = {
      delivery: id,
      kind,
      sessionEnd,
      subscriptions: subscriptions.length === 0 ? undefined : subscriptions,
      outcome,
      reason,
      alreadyPosted: alreadyPosted || undefined,
      err: error,
    };
    log[LEVELS[outcome]](line, deliveryWords[outcome]);
  };

/** Logs once for each workspace and scope. */
function reportBlind(log: Log) {
  const said = new Set<string>();
  return function blind(workspaceId: string, reason: string, neededScope: string | undefined): void {
    const what = `${workspaceId} ${neededScope ?? reason}`;
    if (said.has(what)) return;
    said.add(what);
    log.warn({ workspaceId, reason, neededScope }, "can't check whether a post arrived: it may appear twice");
  };
}

const reportWebhook =
  (log: Log, metrics: Metrics): ReportWebhook =>
  (outcome, { id, workspaceId, addressId: to }, { host, reason, error }) => {
    metrics.webhooks.inc({ outcome });
    const line = { delivery: id, workspaceId, to, host, outcome, reason, err: error };
    log[LEVELS[outcome]](line, webhookWords[outcome]);
  };

const reportSessions = (log: Log, metrics: Metrics) => ({
  onFanOut: (session: string, deliveries: readonly object[]) =>
    log.info({ session, deliveries }, 'session end fanned out'),
  fanOutFailed: ({ id, sessionId: session }: Partial<SessionEnd>, err: unknown) =>
    log.error({ sessionEnd: id, session, err }, 'a session end could not be fanned out yet'),
  webhook(outcome: WebhookOutcome, error?: Error): void {
    metrics.sessionEnds.inc({ outcome });
    if (outcome === 'accepted' || outcome === 'duplicate') log.info({ outcome }, 'session-end webhook');
    // Without a ticket it's anybody's, and only counted.
    else if (outcome !== 'bad-ticket') log.warn({ outcome, err: error }, 'session-end webhook refused');
  },
  missedEnd(result: LookUpResult, { linkId, workspaceId, userId }: IssuedLink): void {
    metrics.links.inc({ outcome: result });
    log.info({ linkId, workspaceId, userId, finding: result }, 'looked for the end of a session');
  },
  lookUp(...[outcome, error]: Parameters<ReportLookUp>): void {
    metrics.looks.inc({ outcome: error instanceof CobrowseError ? error.kind : outcome });
    if (outcome === 'failed') log.warn({ err: error }, 'an agent’s sessions could not be looked up');
    if (outcome === 'broken') log.error({ err: error }, 'looking for ended sessions failed unexpectedly');
  },
  linkIssued: () => metrics.links.inc({ outcome: 'issued' }),
});

export const createReports = (log: Log, metrics: Metrics) => ({
  /** Copies the audit log into the log, for whoever collects logs, and says what isn't in the database. */
  audit: {
    entry: (entry: AuditEntry): void => log.info({ audit: entry }, 'audit'),
    waiting: (err: unknown): void =>
      log.error({ err }, "can't write to the audit log: its entries wait in memory, and are in this log"),
    written: (): void => log.info('the entries that waited are in the audit log now'),
    lost: (entry: AuditEntry): void =>
      log.error({ audit: entry }, 'an entry is missing in the audit log: it could never be written'),
  },
  database: {
    took: metrics.database,
    onWait: () => log.warn('another copy of the app is using the database file: waiting for it to stop'),
  },
  deliveries: { delivery: reportDelivery(log, metrics), blind: reportBlind(log) },
  webhooks: reportWebhook(log, metrics),
  sessions: reportSessions(log, metrics),
  subscriptions: {
    notMoved: (err: unknown) => log.error({ err }, "a channel's new id could not be saved yet"),
    schedule: (err: unknown) => log.error({ err }, 'scheduled subscription work failed'),
    waits: (err: unknown) => log.warn({ err }, 'who waits for help could not be asked'),
  },
  watch: {
    report: reportWatch(log, metrics),
    reportUnknown: (err: unknown) => log.warn({ err }, 'Slack could not be asked who may watch'),
    reportPartners: (err: unknown) => log.warn({ err }, 'who is in a session could not be looked up'),
  },
  agents: {
    report: (err: unknown) => log.warn({ err }, 'the agent of a Slack user could not be looked up'),
    changed: (change: object) => log.info(change, 'a Slack user is now a different agent in the service'),
  },
  home: (err: unknown, { workspaceId, userId }: Viewer) =>
    log.warn({ workspaceId, userId, err }, 'part of the Home tab failed to load'),
  onlineLookUp: (err: unknown) => log.warn({ err }, 'a customer somebody waits for could not be looked up'),
});

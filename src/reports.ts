import { LRUCache } from 'lru-cache';
import { CobrowseError } from './cobrowse/errors.ts';
import type { Log } from './logging/log.ts';
import type { Metrics } from './logging/metrics.ts';
import type { ReportLookUp } from './sessions/session-poller.ts';
import type { Lateness, Oldest } from './outbox/overview.ts';
import type { Report } from './outbox/outcome.ts';
import type { SessionEnd } from './sessions/session-ends.ts';
import type { WebhookOutcome } from './sessions/webhook.ts';
import type { LookUpResult } from './sessions/session-links.ts';
import { DatabaseError } from './database/errors.ts';
import { RightUnknownError } from './permissions/permissions.ts';
import type { LinkRequest, IssuedLink } from './messages/link-request.ts';
import type { AuditEntry } from './audit/audit.ts';
import type { WatchOutcome } from './watch/route.ts';
import type { ReportWebhook } from './webhooks/sending.ts';

/*
 * Turns what happened into log lines and counters, so the features know neither. A line holds ids and outcomes: never a
 * link, a ticket, or what a person typed.
 */

/** Who, where and whom. Not the address that a proxy starts at, nor a message's, which people typed. */
function idsOf(link: LinkRequest | undefined) {
  if (link === undefined) return {};
  const { workspaceId, userId, channelId, threadTs } = link;
  const what = 'proxy' in link ? {} : { visitorId: link.visitorId, access: link.access };
  return { workspaceId, userId, channelId, threadTs, ...what };
}

function reportWatch(log: Log, metrics: Metrics) {
  return function report(outcome: WatchOutcome, link: LinkRequest | undefined): void {
    if (outcome instanceof CobrowseError) {
      metrics.watches.inc({ outcome: outcome.kind });
      log.warn({ ...idsOf(link), kind: outcome.kind, status: outcome.status, err: outcome }, 'no watch link');
      return;
    }
    if (outcome instanceof DatabaseError) {
      metrics.watches.inc({ outcome: 'not-recorded' });
      log.error(
        { ...idsOf(link), err: outcome },
        'a watch link was not handed out: it could not be recorded',
      );
      return;
    }
    if (outcome instanceof RightUnknownError) {
      metrics.watches.inc({ outcome: 'unchecked' });
      log.warn({ ...idsOf(link), err: outcome }, 'no watch link: Slack could not be asked who pressed');
      return;
    }
    metrics.watches.inc({ outcome });
    if (outcome === 'redirected' || outcome === 'answered') log.info(idsOf(link), 'watch link issued');
    else if (outcome === 'worn')
      log.warn({ ...idsOf(link), outcome }, 'watch address opened too often: somebody may have copied it');
    // Anybody can ask for any address, as often as they like: those are only counted.
    else if (link !== undefined) log.info({ ...idsOf(link), outcome }, 'watch address opened without a link');
  };
}

function reportWebhook(log: Log, metrics: Metrics) {
  return function report(outcome: WebhookOutcome, error?: Error): void {
    metrics.sessionEnds.inc({ outcome });
    if (outcome === 'accepted' || outcome === 'duplicate') log.info({ outcome }, 'session-end webhook');
    // Without a ticket it's anybody's, and only counted.
    else if (outcome !== 'bad-ticket') log.warn({ outcome, err: error }, 'session-end webhook refused');
  };
}

/** What became of links whose end no webhook reported. */
function reportMissedEnd(log: Log, metrics: Metrics) {
  return function report(result: LookUpResult, { linkId, workspaceId, userId }: IssuedLink): void {
    metrics.links.inc({ outcome: result });
    log.info({ linkId, workspaceId, userId, finding: result }, 'looked for the end of a session');
  };
}

function reportLookUp(log: Log, metrics: Metrics): ReportLookUp {
  return function report(outcome, error) {
    metrics.looks.inc({ outcome: error instanceof CobrowseError ? error.kind : outcome });
    if (outcome === 'failed') log.warn({ err: error }, 'an agent’s sessions could not be looked up');
    if (outcome === 'broken') log.error({ err: error }, 'looking for ended sessions failed unexpectedly');
  };
}

/** Copies the audit log into the log, for whoever collects logs, and says what of it isn't in the database. */
function reportAudit(log: Log) {
  return {
    entry: (entry: AuditEntry): void => log.info({ audit: entry }, 'audit'),
    waiting: (error: unknown): void =>
      log.error(
        { err: error },
        "can't write to the audit log: its entries wait in memory, and are in this log",
      ),
    written: (): void => log.info('the entries that waited are in the audit log now'),
    lost: (entry: AuditEntry): void =>
      log.error({ audit: entry }, 'an entry is missing in the audit log: it could never be written'),
  };
}

function reportDelivery(log: Log, metrics: Metrics): Report {
  return function report(
    outcome,
    { id, kind, sessionEndId: sessionEnd, subscriptions = [] },
    { reason, alreadyPosted, error, logged } = {},
  ) {
    metrics.deliveries.inc({ outcome });
    const to = subscriptions.length === 0 ? {} : { subscriptions };
    const arrived = alreadyPosted === true ? { alreadyPosted } : {};
    const line = {
      delivery: id,
      kind,
      sessionEnd,
      ...logged,
      ...to,
      outcome,
      reason,
      ...arrived,
      err: error,
    };
    if (outcome === 'posted') log.info(line, 'summary posted');
    else if (outcome === 'skipped') log.info(line, 'summary no longer wanted there');
    else if (outcome === 'later') log.warn(line, 'posting a summary failed, trying again later');
    else
      log.error(
        line,
        outcome === 'failed' ? 'gave up on a summary' : 'posting a summary failed unexpectedly',
      );
  };
}

/** How many workspaces and scopes are remembered as told. */
const MOST_TOLD = 10_000;

/** Logs once for each workspace and scope that the app isn't allowed to check whether a post arrived. */
function reportBlind(log: Log) {
  const said = new LRUCache<string, true>({ maxSize: MOST_TOLD, sizeCalculation: () => 1 });
  return function blind(workspaceId: string, reason: string, neededScope: string | undefined): void {
    const what = `${workspaceId} ${neededScope ?? reason}`;
    if (said.has(what)) return;
    said.set(what, true);
    log.warn({ workspaceId, reason, neededScope }, "can't check whether a post arrived: it may appear twice");
  };
}

/** Logs when it starts and when it's over, not at every look. */
function reportLateness(log: Log) {
  return function report(
    lateness: Lateness,
    oldest: (Pick<Oldest, 'id'> & { readonly seconds: number }) | undefined,
  ): void {
    const line = { lateness, delivery: oldest?.id, oldestWaitingSeconds: oldest?.seconds };
    if (lateness === 'none') log.info(line, 'no summary is waiting for more than a minute anymore');
    else if (lateness === 'in-turn')
      log.warn(
        line,
        'summaries are waiting for more than a minute: Slack accepts one a second in each channel',
      );
    else
      log.warn(
        line,
        'summaries are waiting for more than a minute: see the Home tab, or this delivery in the log',
      );
  };
}

/** What happens to deliveries. */
function reportDeliveries(log: Log, metrics: Metrics) {
  return {
    delivery: reportDelivery(log, metrics),
    blind: reportBlind(log),
  };
}

/** What happens to webhooks. */
function reportWebhooks(log: Log, metrics: Metrics): ReportWebhook {
  return function report(outcome, { id, workspaceId, addressId: to }, { host, reason, error }) {
    metrics.webhooks.inc({ outcome });
    const line = { delivery: id, workspaceId, to, host, outcome, reason, err: error };
    if (outcome === 'posted') log.info(line, 'webhook sent');
    else if (outcome === 'skipped') log.info(line, 'webhook no longer wanted');
    else if (outcome === 'later') log.warn(line, 'a webhook wasn’t taken, trying again later');
    else
      log.error(
        line,
        outcome === 'failed' ? 'a webhook was set aside' : 'sending a webhook failed unexpectedly',
      );
  };
}

/** What becomes of sessions and their links. */
function reportSessions(log: Log, metrics: Metrics) {
  return {
    fanOutFailed: ({ id, sessionId: session }: SessionEnd, err: unknown) =>
      log.error({ sessionEnd: id, session, err }, 'a session end could not be fanned out yet'),
    webhook: reportWebhook(log, metrics),
    missedEnd: reportMissedEnd(log, metrics),
    lookUp: reportLookUp(log, metrics),
    linkIssued: () => metrics.links.inc({ outcome: 'issued' }),
  };
}

/** What happens to the database as it's opened. */
function reportDatabase(log: Log) {
  return {
    onWait: () => log.warn('another copy of the app is using the database file: waiting for it to stop'),
    openToOthers: (file: string, err: unknown) =>
      log.warn({ file, err }, 'other users can open a file of the database, and its mode can’t be changed'),
    damaged: (err: unknown) =>
      log.error({ err }, 'the database file is damaged: restore a backup (docs/operations.md)'),
    notExamined: (err: unknown) => log.warn({ err }, 'the database file can’t be examined for damage'),
    hearing: (hears: boolean) =>
      hears
        ? log.info('PostgreSQL’s notifications arrive (LISTEN)')
        : log.warn(
            'PostgreSQL’s notifications don’t arrive (LISTEN): a connection pooler in transaction mode keeps them. The app looks every second or two for what other processes do (docs/operations.md)',
          ),
  };
}

/** What fails in subscriptions. */
const reportSubscriptions = (log: Log) => ({
  unreadable: (err: unknown) => log.error({ err }, "a subscription record can't be read"),
  notMoved: (err: unknown) => log.error({ err }, "a channel's new id could not be saved yet"),
  schedule: (err: unknown) => log.error({ err }, 'scheduled subscription work failed'),
});

/** What each room reports. */
export const createReports = (log: Log, metrics: Metrics) => ({
  audit: reportAudit(log),
  database: { ...reportDatabase(log), took: metrics.database },
  deliveries: { ...reportDeliveries(log, metrics), lateness: reportLateness(log) },
  webhooks: reportWebhooks(log, metrics),
  sessions: reportSessions(log, metrics),
  subscriptions: reportSubscriptions(log),
  watch: {
    report: reportWatch(log, metrics),
    reportUnknown: (err: unknown) => log.warn({ err }, 'Slack could not be asked who may watch'),
    reportPartners: (err: unknown) => log.warn({ err }, 'who is in a session could not be looked up'),
  },
  agents: {
    report: (err: unknown) => log.warn({ err }, 'the agent of a Slack user could not be looked up'),
    changed: (change: object) => log.info(change, 'a Slack user is now a different agent in the service'),
  },
  onlineLookUp: (err: unknown) => log.warn({ err }, 'a customer somebody waits for could not be looked up'),
});

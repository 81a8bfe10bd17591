import type { z } from 'zod';
import type { NewEntry } from '../audit/audit.ts';
import type { Session } from '../cobrowse/schemas.ts';
import { IssuedLink } from '../messages/link-request.ts';
import type { App } from '../parts.ts';
import { cardOf, conclusionStatements, inSessionStatements, type Asks } from './cards.ts';
import { createSessionKinds } from './session-deliveries.ts';
import {
  addFanOut,
  createSessionEnds,
  removeOldOwners,
  removeOldSessionEnds,
  sessionEndOf,
  type FanOutParts,
} from './session-ends.ts';
import type { OnOutcome } from './session-links.ts';
import { createSessionPoller, type KeyOf, type LookUpWaits, type ReportLookUp } from './session-poller.ts';
import { createStopRecords, removeOldStops } from './stops.ts';
import type { SessionEvents, Subscribers } from './subscribers.ts';
import { concludeLink, createWatchLinks, recordLink, removeOldLinks, type MadeLink } from './watch-links.ts';
import type { Workspace } from '../workspaces/workspaces.ts';
import { Probe, createSessionEndRoute, type ReportWebhook } from './webhook.ts';

interface SessionsParts {
  readonly subscribers: Subscribers;
  readonly events: SessionEvents;
  readonly asks: Asks;
  readonly sessionSchema: z.ZodType<Session>;
  readonly keyOf: KeyOf;
  /** In place of the usual waits before asking the service about a session's end. */
  readonly lookUpWaits: Partial<LookUpWaits> | undefined;
  readonly sessionDays: number;
  readonly reports: Pick<FanOutParts, 'onFanOut' | 'fanOutFailed'> & {
    readonly webhook: ReportWebhook;
    readonly missedEnd: OnOutcome['report'];
    readonly lookUp: ReportLookUp;
    readonly linkIssued: () => void;
  };
}

/** An audit entry; with a link, that and its card in the same transaction, before it's handed out. */
function createRecordIssuedLink(
  { database, outbox, prepare }: App,
  { asks, events, reports }: SessionsParts,
  poller: Pick<ReturnType<typeof createSessionPoller>, 'firstLookMs' | 'wake'>,
) {
  return async function recordIssuedLink(
    { endSource }: Pick<Workspace, 'endSource'>,
    entry: NewEntry,
    made: MadeLink | undefined,
  ): Promise<void> {
    const prepared = prepare(entry);
    if (made === undefined) {
      await database.write(prepared.statement);
      prepared.report();
      return;
    }
    const { link, issuedAt } = made;
    const lookAt = issuedAt + poller.firstLookMs(endSource);
    const card = cardOf(link, made.agentName, { id: outbox.newId(), time: issuedAt });
    const opened = asks.openedStatements(link);
    const told = await events.opened(made);
    await database.write(
      ...card.wake,
      recordLink(made, lookAt, card.id),
      prepared.statement,
      ...card.insert,
      ...opened,
      ...told.statements,
    );
    outbox.wake();
    told.accepted();
    prepared.report();
    reports.linkIssued();
    poller.wake();
  };
}

/** A session's life, from its link to its summaries. The only room that writes watch links. */
export function createSessions(app: App, own: SessionsParts) {
  const { database, outbox, now } = app;
  const { reports } = own;
  const { newId } = outbox;
  const background = database.inBackground();
  const tickets = app.ticketKind('session-end', IssuedLink);
  /** Of the webhooks that the doctor sends to our own address. */
  const probeTickets = app.ticketKind('session-end-probe', Probe);
  const links = createWatchLinks(database, now);
  const sessionEnds = createSessionEnds(database);
  /** For posts and look-ups, which nobody waits for. */
  const unattended = { ...app, database: background };
  const unattendedEnds = createSessionEnds(background);
  for (const kind of createSessionKinds(unattended, own)) outbox.register(kind);
  addFanOut(app, { ...own, ...reports });

  const accepting = () => ({ id: newId(), time: now() });

  async function record(link: IssuedLink, reported: Session, recovered: boolean) {
    const { video_url: address } = reported;
    // A service may give a link for the recording's address, which is stored and posted.
    const isLink = address !== undefined && (await links.includes(link.workspaceId, address));
    const session = isLink ? { ...reported, video_url: undefined } : reported;
    const end = sessionEndOf(newId(), link, session, { receivedAt: now(), recovered });
    return (recovered ? unattendedEnds : sessionEnds).record(end).finally(outbox.wake);
  }

  const poller = createSessionPoller({
    ...unattended,
    ...own,
    // Too many counts as a duplicate, so that the session isn't looked for again.
    accept: async (link, session) =>
      (await record(link, session, true)) === 'accepted' ? 'accepted' : 'duplicate',
    async conclude(link, conclusion) {
      const shown = conclusionStatements(link, conclusion.concluded, accepting());
      await background.writeIf(concludeLink(link, conclusion), ...shown);
      outbox.wake();
    },
    async showRunning(link, seenAt) {
      const shown = inSessionStatements(link, seenAt, accepting());
      if (shown.length > 0) await background.write(...shown);
      outbox.wake();
    },
    report: reports.missedEnd,
    reportLookUp: reports.lookUp,
  });

  return {
    tickets,
    probeTickets,
    links,
    stops: createStopRecords(database, now),
    sessionEnds,
    route: createSessionEndRoute({
      tickets,
      probeTickets,
      check: () => database.check(),
      isOwn: app.isOwn,
      sessionSchema: own.sessionSchema,
      accept: (link, session) => record(link, session, false),
      report: reports.webhook,
    }),
    recordIssuedLink: createRecordIssuedLink(app, own, poller),
    removals: [removeOldLinks, removeOldStops, removeOldOwners, removeOldSessionEnds(own.sessionDays)],
    start: () => poller.start(),
    stop: () => poller.stop(),
  };
}

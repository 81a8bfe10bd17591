import type { z } from 'zod';
import type { Audit, NewEntry } from '../audit/audit.ts';
import { wasAccepted, type Session } from '../cobrowse/schemas.ts';
import type { Database, Sql } from '../database/database.ts';
import { IssuedLink } from '../messages/link-request.ts';
import type { Outbox } from '../outbox/outbox.ts';
import type { createTickets } from '../http/tickets.ts';
import type { Workspace } from '../workspaces/workspaces.ts';
import type { IsInChannel } from '../permissions/permissions.ts';
import type { Asks } from './asked.ts';
import { removeOldSessionEnds, createSessionEnds, linkEndedAt, sessionEndOf } from './session-ends.ts';
import { removeOldOwners } from './session-links.ts';
import { removeOldStops, createStopRecords } from './stops.ts';
import { removeOldLinks, createWatchLinks, endLink } from './watch-links.ts';
import { cardOf, conclusionStatements, inSessionStatements } from './cards.ts';
import { createFanOut, type OnFanOut } from './fan-out.ts';
import { createMissedEnds, type NewLink } from './missed-ends.ts';
import { Probe, createProbe } from './probe.ts';
import { createSessionKinds } from './session-deliveries.ts';
import type { SessionEvents } from './session-events.ts';
import { createSessionsBeside } from './sessions-beside.ts';
import { createSummaryAddress } from './summary-address.ts';
import { createShowVisitor, type IsShared } from '../messages/visitor-pieces.ts';
import type { Subscribers } from './subscribers.ts';
import { createSessionEndRoute } from './webhook.ts';

/** A link that was just made, with the service's name for its agent. */
type IssuedToAgent = NewLink & { readonly agent: { readonly name: string } };

/**
 * A session's life: its link and card, its end by webhook or look-up, the summaries that follow. The only room that
 * writes watch links.
 */
export function createSessions({
  database,
  outbox,
  subscribers,
  events,
  asks,
  workspaceOf,
  isOwn,
  summaryChannelOf,
  ticketKind,
  sessionSchema,
  prepare,
  keyOf,
  isShared,
  isInChannel,
  waits,
  sessionDays,
  now,
  reports,
}: {
  readonly database: Database;
  readonly outbox: Outbox;
  readonly subscribers: Subscribers;
  /** Who is told of sessions besides people in Slack. */
  readonly events: SessionEvents;
  readonly asks: Asks;
  readonly workspaceOf: (workspaceId: string) => Promise<Workspace>;
  readonly isOwn: Parameters<typeof createSessionEndRoute>[0]['isOwn'];
  readonly summaryChannelOf: Parameters<typeof createFanOut>[0]['summaryChannelOf'];
  readonly ticketKind: ReturnType<typeof createTickets>;
  /** Reads a session as the service sends it. */
  readonly sessionSchema: z.ZodType<Session>;
  /** An audit entry as a statement. */
  readonly prepare: Audit['prepare'];
  readonly keyOf: Parameters<typeof createMissedEnds>[0]['keyOf'];
  readonly isShared: IsShared;
  readonly isInChannel: IsInChannel;
  /** Instead of the usual waits before asking the service about a session's end. */
  readonly waits: Parameters<typeof createMissedEnds>[0]['waits'];
  /** How long session ends are kept. */
  readonly sessionDays: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly reports: {
    readonly onFanOut: OnFanOut;
    readonly fanOutFailed: Parameters<typeof createFanOut>[0]['report'];
    readonly webhook: Parameters<typeof createSessionEndRoute>[0]['report'];
    readonly missedEnd: Parameters<typeof createMissedEnds>[0]['report'];
    readonly lookUp: Parameters<typeof createMissedEnds>[0]['reportLookUp'];
    readonly linkIssued: () => void;
  };
}) {
  const { newId } = outbox;
  const background = database.inBackground();
  const tickets = ticketKind('session-end', IssuedLink);
  const probeTickets = ticketKind('session-end-probe', Probe);
  const links = createWatchLinks(database, now);
  const stops = createStopRecords(database, now);
  const sessionEnds = createSessionEnds(database);
  /** The same for posts and look-ups: nobody waits for them. */
  const unattendedEnds = createSessionEnds(background);
  const showVisitor = createShowVisitor(workspaceOf, isShared);
  const summaryAddress = createSummaryAddress(background, workspaceOf);
  const kinds = createSessionKinds({
    database: background,
    asks,
    sessionEnds: unattendedEnds,
    beside: createSessionsBeside({ database: background, summaryAddress, newId, now }),
    subscribers,
    showVisitor,
    stops: createStopRecords(background, now),
    workspaceOf,
    isInChannel,
    newId,
    now,
  });
  for (const kind of kinds) outbox.register(kind);
  const arrive = createFanOut({
    database,
    sessionEnds,
    subscribers,
    events,
    summaryChannelOf,
    outbox,
    now,
    onFanOut: reports.onFanOut,
    report: reports.fanOutFailed,
  });

  /** Runs statements that make something due. */
  async function accept(statements: readonly Sql[]): Promise<void> {
    if (statements.length === 0) return;
    await background.write(...statements);
    outbox.wake();
  }

  /** A service may give a link for the recording's address, which is stored and posted. */
  async function withoutLink({ workspaceId }: IssuedLink, session: Session): Promise<Session> {
    const { video_url: address } = session;
    const isLink = address !== undefined && (await links.includes(workspaceId, address));
    return isLink ? { ...session, video_url: undefined } : session;
  }

  async function record(link: IssuedLink, reported: Session, recovered: boolean) {
    const session = await withoutLink(link, reported);
    const end = sessionEndOf(newId(), link, session, { receivedAt: now(), recovered });
    const { id: sessionId, length_seconds: seconds } = session;
    const ended = {
      sessionId,
      endedAt: linkEndedAt(end),
      lengthSeconds: seconds,
      accepted: wasAccepted(session),
    };
    // Whoever was asked to look at it in a channel can't take that any more.
    const ends = recovered ? unattendedEnds : sessionEnds;
    return arrive(end, (isOurs) => ends.record(end, [endLink(link, ended)], isOurs)).finally(outbox.wake);
  }

  const missedEnds = createMissedEnds({
    database: background,
    links,
    // One of a link that has reported too many is treated like a duplicate, so that it isn't looked for again.
    accept: async (link, session) =>
      (await record(link, session, true)) === 'accepted' ? 'accepted' : 'duplicate',
    show: (link, concluded, others) =>
      accept(conclusionStatements(link, concluded, others, { id: newId(), time: now() })),
    showRunning: (link, seenAt) => accept(inSessionStatements(link, seenAt, { id: newId(), time: now() })),
    keyOf,
    serviceOf: workspaceOf,
    waits,
    now,
    report: reports.missedEnd,
    reportLookUp: reports.lookUp,
  });

  return {
    tickets,
    /** Of the webhooks that the doctor sends to our own address. */
    probeTickets,
    links,
    stops,
    sessionEnds,
    /** `POST /webhooks/session-end/:ticket`. */
    route: createSessionEndRoute({
      tickets,
      answerProbe: createProbe({ tickets: probeTickets, check: () => database.check() }),
      isOwn,
      sessionSchema,
      accept: (link, session) => record(link, session, false),
      report: reports.webhook,
    }),
    /**
     * Writes an audit entry; with a link, that and its card in the same transaction, before it's handed out.
     *
     * @param issued undefined if no link was made
     */
    putOnRecord: async (entry: NewEntry, issued: IssuedToAgent | undefined): Promise<void> => {
      const prepared = prepare(entry);
      if (issued === undefined) {
        await database.write(prepared.statement);
        prepared.report();
        return;
      }
      const id = newId();
      const card = cardOf(issued.link, issued.agent.name, { id, time: now() });
      const link = await missedEnds.prepareLink(issued, card.id);
      const opened = await asks.openedStatements(issued.link);
      const told = await events.opened(link.recorded);
      const statements = [
        ...card.locks,
        link.statement,
        prepared.statement,
        ...card.statements,
        ...opened,
        ...told.statements,
      ];
      await database.write(...statements);
      outbox.wake();
      told.accepted();
      prepared.report();
      reports.linkIssued();
      link.planned();
    },
    removals: [removeOldLinks, removeOldStops, removeOldOwners, removeOldSessionEnds(sessionDays)],
    start: () => missedEnds.start(),
    stop: () => missedEnds.stop(),
  };
}

import type { z } from 'zod';
import type { Audit, NewEntry } from '../audit/audit.ts';
import type { CobrowseClient } from '../cobrowse/client.ts';
import { wasAccepted, type Session } from '../cobrowse/schemas.ts';
import type { Database, Sql } from '../database/database.ts';
import { IssuedLink } from '../messages/link-request.ts';
import type { Outbox } from '../outbox/outbox.ts';
import type { createTickets } from '../http/tickets.ts';
import type { Workspace } from '../workspaces/workspaces.ts';
import type { Recording } from '../audit/recording.ts';
import { createSendRecords, type SendFile } from '../commands/record-file.ts';
import type { RecordRefusal } from '../commands/rights.ts';
import type { NamedClaims } from '../database/named-claims.ts';
import type { ZoneOf } from '../messages/days.ts';
import type { FindPosts, Post } from '../outbox/transport.ts';
import type { MayAct } from '../permissions/acts.ts';
import type { IsInChannel } from '../permissions/permissions.ts';
import type { Showing } from '../visitors/visitor.ts';
import { createAfterSession } from './after-session.ts';
import { createAskChannel } from './ask-channel.ts';
import { createAskOnce } from './ask-once.ts';
import { createAskColleague } from './ask-colleague.ts';
import { createAskKinds, type DirectMessagesOf, type VisitorToolsOf } from './ask-deliveries.ts';
import { createAsks, removeOldAsks } from './asks.ts';
import { createChannelAsks } from './channel-asks.ts';
import { createAgentCommand } from './agent.ts';
import { createRunningSessions } from './running-sessions.ts';
import { removeOldSessionEnds, createSessionEnds, linkEndedAt, sessionEndOf } from './session-ends.ts';
import { createSessionSearch } from './session-search.ts';
import { createSessionsCommand } from './sessions-command.ts';
import { removeOldOwners } from './session-links.ts';
import { createStopCommand } from './stop.ts';
import { removeOldStops, createStopRecords } from './stops.ts';
import { createPostReply } from './thread-reply.ts';
import { removeOldLinks, createWatchLinks, endLink } from './watch-links.ts';
import { cardOf, conclusionStatements, inSessionStatements } from './cards.ts';
import { createFanOut, type OnFanOut } from './fan-out.ts';
import { createFollowUpKind } from './follow-up-deliveries.ts';
import { createFollowUpForms } from './follow-up-forms.ts';
import { createFollowUps, removeOldFollowUps } from './follow-ups.ts';
import { createFollowUpLists } from './follow-ups-command.ts';
import { createMissedEnds, type NewLink } from './missed-ends.ts';
import { Probe, createProbe } from './probe.ts';
import { createSessionKinds } from './session-deliveries.ts';
import type { SessionEvents } from './session-events.ts';
import { createSessionOutcomes } from './session-outcomes.ts';
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
  workspaceOf,
  isOwn,
  summaryChannelOf,
  ticketKind,
  sessionSchema,
  prepare,
  keyOf,
  isShared,
  isInChannel,
  mayAct,
  record: recordEntry,
  visitorTools,
  directMessagesOf,
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
  readonly mayAct: MayAct;
  readonly record: Audit['record'];
  readonly visitorTools: VisitorToolsOf;
  readonly directMessagesOf: DirectMessagesOf;
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
  const cobrowseOf = async (workspaceId: string): Promise<CobrowseClient> =>
    (await workspaceOf(workspaceId)).cobrowse;
  const showVisitor = createShowVisitor(workspaceOf, isShared);
  const asks = createAsks(database, newId, now);
  const summaryAddress = createSummaryAddress(background, workspaceOf);
  const kinds = createSessionKinds({
    database: background,
    asks: createAsks(background, newId, now),
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
  const channelAsks = createChannelAsks({ database, outbox, prepare, now });
  const askKinds = createAskKinds({
    asks,
    channelAsks,
    mayAct,
    cobrowseOf,
    workspaceOf,
    showVisitor,
    visitorTools,
    directMessagesOf,
    record: recordEntry,
    newId,
    now,
  });
  for (const kind of [...kinds, ...askKinds]) outbox.register(kind);
  const followUps = createFollowUps({ database, outbox, prepare, now });
  outbox.register(
    createFollowUpKind({
      followUps,
      sessionEnds: unattendedEnds,
      summaryAddress,
      mayAct,
      cobrowseOf,
      record: recordEntry,
      now,
    }),
  );
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
    return arrive(end, (isOurs) => ends.record(end, [endLink(link, ended)], isOurs)).finally(outbox.wakeSoon);
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
    search: createSessionSearch(database),
    showVisitor,
    followUps,
    cobrowseOf,
    outcomes: createSessionOutcomes({ database, sessionEnds, events, prepare, newId, now }),
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
      // Nobody waits for a card.
      outbox.inBackground(id, async () => {
        await outbox.accept([id], (begin) => background.write(...begin));
      });
      if (opened.length > 0) outbox.wake();
      told.accepted();
      prepared.report();
      reports.linkIssued();
      link.planned();
    },
    removals: [
      removeOldLinks,
      removeOldStops,
      removeOldOwners,
      removeOldSessionEnds(sessionDays),
      removeOldAsks,
      removeOldFollowUps,
    ],
    asks,
    channelAsks,
    wake: outbox.wake,
    start: () => missedEnds.start(),
    stop: () => missedEnds.stop(),
  };
}

/** The commands of the room, and the buttons of its cards and summaries. */
export function createSessionCommands({
  sessions: {
    links,
    stops,
    outcomes,
    followUps: kept,
    cobrowseOf,
    search,
    showVisitor,
    asks,
    channelAsks,
    wake,
  },
  showing,
  keyOf,
  post,
  find,
  isShared,
  stateOf,
  emailOf,
  externalIdOf,
  profileOf,
  colleagueOf,
  mayAct,
  isAdmin,
  isInChannel,
  channelNameOf,
  zoneOf,
  sendFile,
  claims,
  audit,
  prepare,
  recording,
  recordRefusal,
  now,
}: {
  readonly sessions: ReturnType<typeof createSessions>;
  readonly showing: Showing;
  readonly keyOf: Parameters<typeof createMissedEnds>[0]['keyOf'];
  readonly post: Post;
  readonly find: FindPosts;
  readonly isShared: IsShared;
  readonly stateOf: Parameters<typeof createAskChannel>[0]['stateOf'];
  readonly emailOf: Parameters<typeof createAgentCommand>[0]['emailOf'];
  readonly externalIdOf: Parameters<typeof createAgentCommand>[0]['externalIdOf'];
  readonly profileOf: Parameters<typeof createAskColleague>[0]['profileOf'] &
    Parameters<typeof createFollowUpForms>[0]['profileOf'];
  /** Undefined if the app isn't installed. Rejects if Slack can't be asked. */
  readonly colleagueOf: (
    workspaceId: string,
    userId: string,
  ) => Promise<{ readonly name?: string | undefined; readonly isDeactivated: boolean } | undefined>;
  readonly channelNameOf: Parameters<typeof createSessionsCommand>[0]['channelNameOf'];
  readonly zoneOf: ZoneOf;
  readonly mayAct: MayAct;
  readonly isAdmin: Parameters<typeof createSessionsCommand>[0]['isAdmin'];
  readonly isInChannel: IsInChannel;
  readonly sendFile: SendFile;
  readonly claims: NamedClaims;
  readonly audit: Parameters<typeof createSessionsCommand>[0]['audit'];
  readonly prepare: Audit['prepare'];
  readonly recording: Recording;
  readonly recordRefusal: RecordRefusal;
  readonly now: () => number;
}) {
  const ofFollowUps = { followUps: kept, profileOf, mayAct, isAdmin, recordRefusal, now };
  const forms = createFollowUpForms(ofFollowUps);
  const runningSessions = createRunningSessions({ links, cobrowseOf, keyOf, now });
  const afterSession = createAfterSession({
    sessionOutcomes: outcomes,
    mayAct,
    recordRefusal,
    recording,
    visitorTools: showing.visitorTools,
    isShared,
    postReply: createPostReply(post, find, now),
    followUps: forms,
  });
  const followUps = createFollowUpLists({ ...ofFollowUps, forms, cobrowseOf, isInChannel, colleagueOf });
  const askOnce = createAskOnce({ asks, prepare, wake, now });
  const askColleague = createAskColleague({ askOnce, asks, showing, profileOf, mayAct });
  const askChannel = createAskChannel({ askOnce, channelAsks, showing, stateOf, isShared });
  const sessionsCommand = createSessionsCommand({
    search,
    audit,
    recording,
    isAdmin,
    isInChannel,
    isShared,
    nameOf: async (workspaceId, userId) => (await colleagueOf(workspaceId, userId))?.name,
    channelNameOf,
    zoneOf,
    showVisitor,
    sendRecords: createSendRecords({ sendFile, claims }),
    now,
  });
  return {
    buttons: {
      presses: [...afterSession.presses, ...askColleague.presses, ...askChannel.presses],
      forms: [...afterSession.forms, ...askColleague.forms, ...askChannel.forms],
    },
    followUps,
    sessionsCommand,
    /** In the order of help. */
    commands: [
      createAgentCommand({ emailOf, externalIdOf, recording }),
      createStopCommand({
        links,
        stops,
        runningSessions,
        partnersOf: showing.partnersOf,
        mayAct,
        recording,
        now,
      }),
      sessionsCommand,
      followUps.command,
    ],
  };
}

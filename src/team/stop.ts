import { z } from 'zod';
import { needAccount, type CobrowseClient, type WantedSessions } from '../cobrowse/client.ts';
import { VisitorSchema, type Session, type Visitor } from '../cobrowse/schemas.ts';
import { Answered, type Caller } from '../commands/rights.ts';
import { visitorClues } from '../commands/clues.ts';
import { defineCommand, defineForm, definePress } from '../commands/command.ts';
import { inputs } from '../commands/inputs.ts';
import { requiredSearch } from '../commands/typed.ts';
import {
  buttons,
  done,
  lines,
  message,
  notice,
  refusal,
  type Message,
  type Part,
} from '../messages/message.ts';
import type { FormContent } from '../messages/modal.ts';
import { bold, date, say, short, user, type Line, type Maybe } from '../messages/text.ts';
import {
  isAsked,
  stopButton,
  visitorName,
  visitorState,
  whoLine,
  type SessionPartners,
} from '../messages/visitor-pieces.ts';
import type { App } from '../parts.ts';
import { canLook } from '../permissions/permissions.ts';
import type { KeyOf } from '../sessions/session-poller.ts';
import { namedLink } from '../sessions/session-links.ts';
import type { StopRecords } from '../sessions/stops.ts';
import { IN_USE_MS, type LinkInUse, type WatchLinks } from '../sessions/watch-links.ts';
import { byIdAlone } from '../visitors/visitor-search.ts';
import { visitorsMeant, type Showing } from '../visitors/visitor.ts';
import type { Workspace } from '../workspaces/workspaces.ts';

const MOST_CHOICES = 5;
/** How long a confirmed stop waits to learn what it stops. */
const LOOK_MS = 1_500;
/** More agents than are ever with one visitor. */
const MOST_AGENTS = 3;
const LONGEST_REASON = 300;

const reasonInput = inputs.text('reason', 'Reason', {
  optional: true,
  hint: 'Posted with your name in the summary’s thread.',
  most: LONGEST_REASON,
});

/** Asks which session: each visitor's button leads to the form that asks before it stops. */
export const stopChoice = (visitors: readonly Visitor[], partners: SessionPartners = new Map()): Message =>
  message(
    ...visitors.flatMap((visitor): Part[] => {
      const { short_id: id, is_in_session: isInSession } = visitor;
      const state = isInSession ? visitorState(visitor, partners.get(id)).words : 'May be in a session';
      const stop = stopButton(id, visitorName(visitor), 'Stop session', isInSession ? 'danger' : undefined);
      return [lines([...whoLine(visitor), ' · ', state]), buttons(stop)];
    }),
  );

const stopNotOffered: Message = refusal(
  ['On-premise can’t stop sessions from here.'],
  ['Ask whoever is watching to end it. The customer can, too.'],
);

/** @throws Answered, or a CobrowseError without an account */
function mustOffer({ workspace: { cobrowse } }: Caller): void {
  needAccount(cobrowse);
  if (!cobrowse.offers.stopSession) throw new Answered(stopNotOffered);
}

/** Asks before a session is stopped, and for what reason. @param links the latest first: each person is named once */
export function stopForm(visitor: Visitor, links: readonly Pick<LinkInUse, 'userId' | 'at'>[]): FormContent {
  const latest = [...new Map(links.toReversed().map((link) => [link.userId, link])).values()].toReversed();
  const whose = latest
    .slice(0, MOST_CHOICES)
    .map(({ userId, at }) => say`${user(userId)} asked to see this screen: ${date(new Date(at))}.`);
  const name = bold(visitorName(visitor));
  // Even where no session is known, one may have just started.
  const effect = say`This ends any co-browsing session with ${name} for everyone in it, and takes back requests to see the screen.`;
  const { blocks } = message(lines(effect, ...whose));
  return { submit: 'Stop session', blocks: [...blocks, reasonInput.show('')] };
}

/** @param visitor as it was before  @param wasSeen whether a session was  @param notPosted why a given reason goes with no summary */
export function stopped(visitor: Visitor, by: string, wasSeen: boolean, notPosted?: Maybe<Line>): Message {
  const name = bold(visitorName(visitor));
  if (wasSeen && isAsked(visitor))
    return done(say`The request to see ${name}’s screen was stopped by ${user(by)}.`, notPosted);
  if (wasSeen) return done(say`The session with ${name} was stopped by ${user(by)}.`, notPosted);
  return notice(
    visitor.is_in_session === undefined
      ? say`I asked the service to stop any session with ${name}. It doesn’t say whether one was running.`
      : say`I saw no session with ${name}, and asked the service to stop any.`,
    notPosted,
  );
}

/** Those in a session; where the service doesn't say who is, those who may be. */
function stoppable(found: readonly Visitor[]): readonly Visitor[] {
  const inSession = found.filter((visitor) => visitor.is_in_session === true);
  const maybe = found.filter((visitor) => visitor.is_in_session === undefined);
  return (inSession.length === 0 ? maybe : inSession).slice(0, MOST_CHOICES);
}

const isRunning = ({ ended_at: endedAt }: Session) => endedAt === undefined;

/** What tells which sessions run. */
interface Running extends Pick<App, 'now'> {
  readonly links: Pick<WatchLinks, 'inUse'>;
  readonly keyOf: KeyOf;
}

/**
 * Ids of a visitor's running sessions: as listed with the visitor, which the service's document doesn't promise, or else by the
 * agents who may be in one. Empty if that isn't known soon.
 */
export async function runningSessions(
  { links, keyOf, now }: Running,
  workspace: Pick<Workspace, 'id' | 'accountId'> & {
    readonly cobrowse: Pick<CobrowseClient, 'offers' | 'lookupAgent'>;
  },
  visitorId: string,
  listed: readonly Session[],
): Promise<readonly string[]> {
  if (listed.length > 0) return listed.filter(isRunning).map(({ id }) => id);
  const { id: workspaceId, cobrowse } = workspace;
  if (!cobrowse.offers.lookupAgent) return [];
  const since = now() - IN_USE_MS;
  const inUse = await links.inUse(workspaceId, [visitorId], since).catch(() => []);
  const linkIds = new Set(inUse.map(({ linkId }) => linkId));
  const agents = new Map(inUse.map((link) => [link.agentId, link]));
  const sessions: WantedSessions = { since: new Date(since), linkIds };
  const found = await Promise.all(
    [...agents.values()].slice(0, MOST_AGENTS).map(({ userId, agentId }) =>
      keyOf(workspace, { userId, agentId })
        .then((key) => cobrowse.lookupAgent(key, { sessions, timeoutMs: LOOK_MS }))
        .then(
          (agent) => agent.sessions,
          () => [],
        ),
    ),
  );
  const isTheirs = (session: Session) => {
    const named = namedLink(session);
    return named === undefined ? session.visitor_id === visitorId : linkIds.has(named);
  };
  const theirs = found.flat().filter((session) => isRunning(session) && isTheirs(session));
  return [...new Set(theirs.map(({ id }) => id))];
}

/** The visitor, by the id alone if the lookup fails, or for who can't see customers. Never rejects: a stop needs no name. */
async function looked({ mayAct }: App, visitorId: string, caller: Caller, timeoutMs?: number) {
  const [visitor, isShown] = await Promise.all([
    caller.workspace.cobrowse
      .visitor(visitorId, { timeoutMs })
      .catch(() => VisitorSchema.parse({ short_id: visitorId })),
    mayAct('watch', caller).then(canLook, () => false),
  ]);
  return { shown: isShown ? visitor : byIdAlone(visitor), sessions: visitor.sessions };
}

const createStopForm = (app: App, stops: StopRecords, running: Running) =>
  defineForm({
    callbackId: 'stop_form',
    title: 'Stop session',
    right: 'stop',
    async run({ filled, about: visitorId }, caller) {
      const { workspaceId, userId, workspace } = caller;
      const { cobrowse } = workspace;
      const reason = reasonInput.read(filled) || undefined;
      // Read before the stop: the service confirms it whether or not a session ran, and doesn't say which.
      const { shown, sessions } = await looked(app, visitorId, caller, LOOK_MS);
      const sessionIds = await runningSessions(running, workspace, visitorId, sessions);
      const isNamed = await app.recording.around(caller, { action: 'stop', visitorId }, () =>
        stops.around(visitorId, { workspaceId, userId, sessionIds, reason }, () =>
          cobrowse.stopSession(visitorId),
        ),
      );
      const notPosted =
        sessionIds.length === 0
          ? ['Your reason wasn’t posted: I couldn’t see which session this ended.']
          : ['Your reason won’t be posted: I couldn’t save it.'];
      const wasSeen = shown.is_in_session === true || sessionIds.length > 0;
      return stopped(shown, userId, wasSeen, reason !== undefined && !isNamed && notPosted);
    },
  });

export function createStopCommand(
  app: App,
  stops: StopRecords,
  { links, keyOf }: Pick<Running, 'links' | 'keyOf'>,
  partnersOf: Showing['partnersOf'],
) {
  const { now } = app;
  const form = createStopForm(app, stops, { links, keyOf, now });

  /** Asks which session is meant: a pasted email alone never stops anyone. @param text an id, or what finds the visitor */
  async function ask(text: string, caller: Caller): Promise<Message> {
    mustOffer(caller);
    const { found, isByIdAlone } = await visitorsMeant(text, caller, app);
    const offered = stoppable(found);
    const [only, ...others] = found;
    if (offered.length === 0)
      return notice(
        only !== undefined && others.length === 0
          ? [...whoLine(only), ' isn’t in a session right now.']
          : say`Nobody matching ${bold(short(text))} is in a session right now.`,
      );
    return stopChoice(offered, isByIdAlone ? new Map() : await partnersOf(caller, offered));
  }

  return defineCommand({
    name: 'stop',
    usage: 'stop <name, email or id>',
    summary: 'End a session (asks first)',
    right: 'stop',
    examples: ['stop jane'],
    level: 'everyday',
    needs: 'stopSession',
    searches: true,
    argument: requiredSearch('Whose session?'),
    run: ask,
    forms: [form],
    presses: [
      definePress({
        actionId: 'stop',
        answer: 'add',
        right: 'stop',
        value: z.string().min(1),
        opens: {
          form,
          async content(visitorId, caller) {
            mustOffer(caller);
            const [{ shown }, inUse] = await Promise.all([
              looked(app, visitorId, caller),
              // Whose session it is isn't needed to end it.
              links.inUse(caller.workspaceId, [visitorId], now() - IN_USE_MS).catch(() => []),
            ]);
            return stopForm(shown, inUse);
          },
        },
      }),
    ],
    shortcut: {
      callbackId: 'stop_session',
      title: 'Stop session',
      label: 'Visitor',
      asksFor: 'a name, an email or a visitor ID',
      offersNotes: false,
      clues: visitorClues,
      ofVisitor: { right: 'stop', run: ask },
    },
  });
}

import { agentName, type Ending, type SessionRecord } from '../session.ts';
import type { WatchLink } from '../watch-links.ts';
import { endSession, noteWhereabouts, ongoingWith, recordFeature, type World } from '../world.ts';
import { secondsBetween } from '../time.ts';
import { grantedBy } from './access.ts';
import { act as actSchema, featureOf, refusalOf } from './acts.ts';
import { createControl, type Hand } from './control.ts';
import {
  mostMessageBytes,
  type AgentMessage,
  type AgentState,
  type PageMessage,
  type PageState,
  type Refusal,
  type ToAgent,
  type ToPage,
} from './page-messages.ts';
import { MOST_QUEUED, createPageStream, type Watcher } from './page-stream.ts';
import type { Parting, Wire } from './wire.ts';

/** One connected page of the visitor's. */
export interface PageSide {
  readonly wire: Wire<ToPage>;
  readonly tab: string;
  /** This load of the page. */
  readonly page: string;
  isHidden: boolean;
  beatAt: number;
}

/** One connected page of an agent's. */
export interface AgentSide extends Watcher, Hand {
  readonly wire: Wire<ToAgent>;
  readonly link: WatchLink;
  readonly name: string;
}

/** One visitor's pages and the agents who watch them. */
export interface Room {
  readonly pageJoined: (side: PageSide) => void;
  readonly fromPage: (side: PageSide, message: PageMessage) => void;
  readonly pageLeft: (side: PageSide) => void;
  readonly agentJoined: (
    side: AgentSide,
    from: { readonly stream: string | null; readonly seen: number },
  ) => void;
  readonly fromAgent: (side: AgentSide, message: AgentMessage) => void;
  readonly agentLeft: (side: AgentSide, parting: Parting) => void;
  /** A link was opened. */
  readonly opened: (session: SessionRecord, link: WatchLink) => void;
  readonly ended: (session: SessionRecord) => void;
  readonly got: (page: string) => number;
  /** Does what is due, a few times a second. */
  readonly beat: () => void;
  readonly isEmpty: () => boolean;
}

export interface RoomOptions {
  readonly world: World;
  readonly visitorId: string;
  readonly streamId: string;
}

const mostPendingActs = 200;

export function createRoom({ world, visitorId, streamId }: RoomOptions): Room {
  const now = () => world.now().getTime();
  const pages = new Set<PageSide>();
  const agents = new Set<AgentSide>();
  const links = new Map<string, WatchLink>();
  const control = createControl();
  const pendingActs = new Map<number, { readonly side: AgentSide; readonly id: number }>();
  let lastActId = 0;
  /** The tab in which the visitor agreed to be seen; their other tabs aren't shown. */
  let shownTab: string | null = null;
  /** The sessions that the visitor agreed to in that tab. */
  const agreed = new Set<string>();
  const stream = createPageStream({
    id: streamId,
    now,
    askPage: () => shownPage()?.wire.send({ t: 'snapshot' }),
    onSnapshot() {
      for (const { sessionId } of watchers()) world.sessions.goLive(sessionId);
      tellAll();
    },
  });

  const running = () => ongoingWith(world, visitorId);
  const authorized = () => running().filter(({ id }) => agreed.has(id));
  const shownPage = () => [...pages].findLast(({ tab }) => tab === shownTab);
  /** Where to ask the visitor: in the tab that is shown, otherwise in the newest. */
  const askedPage = () => shownPage() ?? [...pages].at(-1);
  const watchers = () => {
    const ids = new Set(authorized().map(({ id }) => id));
    return [...agents].filter(({ sessionId }) => ids.has(sessionId));
  };

  function pageState(side: PageSide): PageState {
    const isShown = side === shownPage();
    const waiting = running().filter(({ id }) => !agreed.has(id) || !isShown);
    const asking = side === askedPage() ? waiting : [];
    const holder = control.holder();
    const holding = authorized().find(({ id }) => id === holder?.sessionId);
    return {
      asking: asking.map((session) => ({ session: session.id, agent: agentName(session) })),
      seenBy: isShown ? authorized().map(agentName) : [],
      access: isShown && holder && holding ? control.accessOf(holder) : [],
      controller: isShown && holding ? agentName(holding) : null,
      asked: isShown ? control.asked() : [],
      isAgentAway: isShown && (control.isAway() || watchers().length === 0),
    };
  }

  function agentState(side: AgentSide): AgentState {
    const holder = control.holder();
    const isLive = agreed.has(side.sessionId);
    const page = shownPage();
    const hidden = page?.isHidden === true ? 'hidden' : 'visible';
    // An agent's own other tab has no name to be told.
    const isOwn = holder?.link.body.agent.id === side.link.body.agent.id;
    const controlling = running().find(({ id }) => id === holder?.sessionId);
    return {
      status: isLive ? 'live' : pages.size > 0 ? 'asking' : 'waiting',
      page: page ? hidden : 'lost',
      url: world.visitors.find(visitorId)?.lastUrl?.replace(/[?#].*$/su, '') ?? null,
      othersAsking: running()
        .filter(({ id }) => id !== side.sessionId && !agreed.has(id))
        .map(agentName),
      access: isLive ? control.accessOf(side) : [],
      granted: grantedBy(side.link),
      asked: holder === side ? control.asked() : [],
      control: holder === side ? 'you' : holder && !control.isAway() ? 'other' : 'nobody',
      controller: controlling && !isOwn ? agentName(controlling) : null,
      watchers: agents.size,
    };
  }

  function tellAll() {
    for (const side of pages) side.wire.send({ t: 'state', state: pageState(side) });
    for (const side of agents) side.wire.send({ t: 'state', state: agentState(side) });
  }

  function tellOfEnd({ wire }: AgentSide, { startedAt, endedAt, endedBy, wentLive }: SessionRecord) {
    const by: Ending = endedBy ?? 'api';
    wire.send({ t: 'ended', by, wentLive, seconds: secondsBetween(startedAt, endedAt ?? world.now()) });
  }

  function answer(side: PageSide, sessionId: string, allow: boolean) {
    if (!running().some(({ id }) => id === sessionId) || side !== askedPage()) return;
    if (!allow) {
      endSession(world, sessionId, 'declined');
      return;
    }
    // Sessions agreed to in another tab are asked again here, one by one.
    if (shownTab !== side.tab) agreed.clear();
    shownTab = side.tab;
    agreed.add(sessionId);
    world.sessions.authorize(sessionId);
    noteWhereabouts(world, visitorId, true);
    for (const watcher of agents) if (watcher.sessionId === sessionId) watcher.needsSnapshot = true;
    tellAll();
    stream.wantSnapshot();
  }

  function takeEvents(side: PageSide, seq: number, events: readonly unknown[]) {
    // Nothing is accepted from a page whose visitor hasn't agreed.
    if (side !== shownPage() || authorized().length === 0) return;
    stream.receive(side.page, seq, events, watchers());
  }

  function refuse(side: AgentSide, id: number, why: Refusal) {
    side.wire.send({ t: 'did', id, result: 'refused', why });
  }

  function actOn(side: AgentSide, { id, seen, act }: Extract<AgentMessage, { t: 'act' }>) {
    const page = shownPage();
    const parsed = actSchema.safeParse(act);
    if (!parsed.success) return refuse(side, id, 'bad-act');
    if (!page || !authorized().some((session) => session.id === side.sessionId))
      return refuse(side, id, 'not-live');
    if (control.holder() !== side) return refuse(side, id, 'not-in-control');
    if (stream.isStale(seen)) return refuse(side, id, 'stale');
    const why = refusalOf(parsed.data, control.accessOf(side), stream.field);
    if (why !== undefined) return refuse(side, id, why);
    recordFeature(world, side.sessionId, featureOf(parsed.data));
    // A pointer that has to wait is already out of date.
    if (parsed.data.kind === 'pointer' && page.wire.queued() > MOST_QUEUED / 8) return undefined;
    lastActId += 1;
    pendingActs.set(lastActId, { side, id });
    if (pendingActs.size > mostPendingActs) pendingActs.delete(lastActId - mostPendingActs);
    return page.wire.send({ t: 'act', id: lastActId, by: side.name, act: parsed.data });
  }

  return {
    pageJoined(side) {
      pages.add(side);
      world.visitors.setPage(visitorId, true);
      if (shownTab === null || side.tab === shownTab) noteWhereabouts(world, visitorId, true);
      tellAll();
    },
    fromPage(side, message) {
      side.beatAt = now();
      switch (message.t) {
        case 'answer':
          return answer(side, message.session, message.allow);
        case 'grant':
        case 'revoke':
          if (side !== shownPage()) return undefined;
          if (message.t === 'grant') control.answer(message.allow);
          else control.revoke();
          return tellAll();
        case 'stop':
          for (const session of side === askedPage() ? running() : [])
            endSession(world, session.id, 'visitor');
          return undefined;
        case 'events':
          return takeEvents(side, message.seq, message.events);
        case 'too-large':
          for (const { wire } of side === shownPage() ? watchers() : [])
            wire.send({ t: 'too-large', bytes: message.bytes, most: mostMessageBytes });
          return undefined;
        case 'beat': {
          const isChanged = side.isHidden !== message.hidden;
          side.isHidden = message.hidden;
          side.wire.send({ t: 'beat', got: stream.got(side.page) });
          if (isChanged) tellAll();
          return undefined;
        }
        case 'did': {
          const pending = pendingActs.get(message.act);
          pendingActs.delete(message.act);
          const { result, why } = message;
          pending?.side.wire.send({
            t: 'did',
            id: pending.id,
            result,
            why,
          });
          return undefined;
        }
        case 'feedback': {
          const { session, rating, comment } = message;
          if (world.sessions.find(session)?.visitorId !== visitorId) return undefined;
          const said = { from: 'visitor', rating, comment } as const;
          return world.sessions.addFeedback(session, said);
        }
        case 'hello':
          return side.wire.close(1008, 'said hello before');
        default:
          return message satisfies never;
      }
    },
    pageLeft(side) {
      const wasShown = side === shownPage();
      pages.delete(side);
      if (pages.size === 0 && world.visitors.find(visitorId)) world.visitors.setPage(visitorId, false);
      if (pages.size === 0 || (wasShown && shownPage() === undefined))
        noteWhereabouts(world, visitorId, false);
      tellAll();
    },
    agentJoined(side, from) {
      agents.add(side);
      const session = world.sessions.find(side.sessionId);
      if (session?.endedAt != null) return tellOfEnd(side, session);
      world.deadlines.cancel(side.sessionId, 'page-closed');
      world.deadlines.cancel(side.sessionId, 'page-lost');
      control.joined(side);
      tellAll();
      if (watchers().includes(side) && shownPage()) {
        side.needsSnapshot = false;
        if (stream.resume(side, from)) world.sessions.goLive(side.sessionId);
      } else side.wire.send({ t: 'gap', stream: streamId });
    },
    fromAgent(side, message) {
      switch (message.t) {
        case 'act':
          return actOn(side, message);
        case 'ask':
          control.ask(side, message.access);
          world.deadlines.start(side.sessionId, 'idle');
          return tellAll();
        case 'control':
          shownPage()?.wire.send({ t: 'act', id: 0, by: side.name, act: { kind: 'pointer-off' } });
          control.take(side);
          return tellAll();
        case 'snapshot':
          return stream.wantSnapshot();
        case 'beat':
          return undefined;
        case 'end':
          return void endSession(world, side.sessionId, 'agent');
        case 'feedback': {
          const { rating, comment } = message;
          const said = { from: 'agent', rating, comment } as const;
          return world.sessions.addFeedback(side.sessionId, said);
        }
        case 'hello':
          return side.wire.close(1008, 'said hello before');
        default:
          return message satisfies never;
      }
    },
    agentLeft(side, parting) {
      agents.delete(side);
      control.left(side);
      const isLast = ![...agents].some(({ sessionId }) => sessionId === side.sessionId);
      const isRunning = world.sessions.find(side.sessionId)?.endedAt === null;
      if (isLast && isRunning)
        world.deadlines.start(side.sessionId, parting === 'left' ? 'page-closed' : 'page-lost');
      if (isLast) shownPage()?.wire.send({ t: 'act', id: 0, by: side.name, act: { kind: 'pointer-off' } });
      tellAll();
    },
    opened(session, link) {
      links.set(session.id, link);
      tellAll();
    },
    ended(session) {
      const wasAgreed = agreed.delete(session.id);
      links.delete(session.id);
      for (const side of agents) if (side.sessionId === session.id) tellOfEnd(side, session);
      const next = [...agents].find(({ sessionId }) => links.has(sessionId));
      control.ended(session.id, next);
      for (const side of wasAgreed ? pages : [])
        if (side === askedPage())
          side.wire.send({ t: 'ended', session: session.id, agent: agentName(session) });
      if (agreed.size === 0) shownTab = null;
      tellAll();
    },
    got: stream.got,
    beat() {
      stream.beat(watchers());
      const page = shownPage();
      for (const side of agents) side.wire.send({ t: 'beat', pageBeatMs: page ? now() - page.beatAt : -1 });
    },
    isEmpty: () => pages.size === 0 && agents.size === 0 && links.size === 0,
  };
}

import { z } from 'zod';
import type { Visitor } from '../cobrowse/schemas.ts';
import { recordLinks } from '../commands/record-links.ts';
import { AnyRow, jsonOf, rowOf, sql, type Sql } from '../database/database.ts';
import { IssuedLink } from '../messages/link-request.ts';
import { ofVisitor, type Message } from '../messages/message.ts';
import type { CobrowseClient } from '../cobrowse/client.ts';
import { CobrowseError, type CobrowseErrorKind } from '../cobrowse/errors.ts';
import { showVisitor, visitorIfKnown } from '../messages/visitor-pieces.ts';
import { queued } from '../outbox/channels.ts';
import {
  RenderError,
  readPayload,
  unknownNow,
  type Delivery,
  type NewDelivery,
  type Form,
  type Kind,
  type Settled,
  type Unwanted,
} from '../outbox/delivery.ts';
import { troubleOf } from '../outbox/overview.ts';
import type { App, OfWorkspace } from '../parts.ts';
import { isChannel } from '../permissions/permissions.ts';
import type { Workspace } from '../workspaces/workspaces.ts';
import { giveBackStatements, openCardPayload, type Asked, type Asks } from './cards.ts';
import { linkCard, type LinkState } from './link-card.ts';
import { createOverlappingSessions, redrawStatements, type Installed } from './posted-summaries.ts';
import {
  createSessionEnds,
  endedSessionOf,
  postableSince,
  summaryPosted,
  type SessionEnd,
} from './session-ends.ts';
import { createStopRecords } from './stops.ts';
import type { EndedSession, Subscribers } from './subscribers.ts';
import { shortSummary, summary, summaryDetail, summaryElsewhere, undeliveredSummary } from './summary.ts';

const CardPayload = z.union([
  z.object({ link: IssuedLink, agent: z.string() }),
  /** Its session was seen running; milliseconds since 1970. */
  z.object({ link: IssuedLink, seenAt: z.number() }),
  z.object({ link: IssuedLink, concluded: z.enum(['unused', 'unknown', 'undelivered']) }),
]);

const NoticePayload = z.union([
  z.object({
    notPosted: z.object({ to: z.string(), reason: z.string(), neededScope: z.string().optional() }),
  }),
  /** The channel that has the summary, for somebody who has left it. */
  z.object({ isIn: z.string() }),
]);

const PayloadRow = rowOf({ payload: jsonOf(CardPayload) });

/** How old the list of a channel's members may be for a mention, which lets nobody see more. */
const MEMBERS_KNOWN_MS = 5 * 60_000;

/** With the visitor's id, where a message shortcut can find it. */
const named = (message: Message, { link, outcome }: SessionEnd): Message =>
  ofVisitor(message, link.visitorId, outcome === undefined ? 'summary' : `summary-${outcome.outcome}`);

/** A session can even end before its link is recorded, and then the summary doesn't know about a card. */
const awaited = ({ id }: Delivery): Sql =>
  sql`SELECT 1 WHERE EXISTS (SELECT 1 FROM watch_links WHERE card_id = ${id} AND NOT EXISTS (SELECT 1 FROM session_ends
    WHERE session_ends.workspace_id = watch_links.workspace_id AND link_id = watch_links.id))`;

const asMessage =
  (message: (...given: Parameters<Kind['render']>) => Promise<Message | Unwanted>): Kind['render'] =>
  async (...given) => ({ message: () => message(...given) });

type Parts = Pick<App, 'database' | 'outbox' | 'isInChannel' | 'isShared' | 'now'> &
  Installed &
  OfWorkspace<
    Pick<Workspace, 'endSource' | 'linkHosts'> & {
      readonly settings: () => Promise<{ readonly recordLinks: readonly string[] }>;
      readonly cobrowse: Pick<CobrowseClient, 'visitor'> & {
        readonly offers: { readonly stopSession: boolean };
      };
    }
  >;
/** After this, an outcome without the customer's name is more than none. */
const NAME_WITHIN_MS = 10 * 60_000;
const AWAY: ReadonlySet<CobrowseErrorKind> = new Set(['busy', 'unreachable', 'timed-out']);

/** For a message that has the customer's name by now: it's drawn again once the service can say it. */
const visitorUnlessAway: typeof visitorIfKnown = async ({ workspaceOf }, workspaceId, visitorId) => {
  try {
    return await (await workspaceOf(workspaceId)).cobrowse.visitor(visitorId);
  } catch (error) {
    if (error instanceof CobrowseError && AWAY.has(error.kind))
      throw new RenderError('visitor_unknown', { cause: error });
    return undefined;
  }
};

interface SessionKindsParts {
  readonly asks: Pick<Asks, 'onCard'>;
  readonly subscribers: Pick<Subscribers, 'formNow' | 'onOutcome'>;
}

/** By the first of a delivery's subscriptions that wants it; whole without any. @throws RenderError */
export async function formOf(
  { formNow }: Pick<Subscribers, 'formNow'>,
  { workspaceId, subscriptions }: Delivery,
  session?: EndedSession,
): Promise<Form | Unwanted> {
  let unwanted: string | undefined;
  for (const id of subscriptions) {
    const wanted = await formNow(workspaceId, id, session).catch(unknownNow);
    if ('form' in wanted) return wanted.form;
    unwanted = wanted.skip;
  }
  return unwanted === undefined ? 'full' : { unwanted };
}

export const toldSubscribers =
  ({ onOutcome }: Pick<Subscribers, 'onOutcome'>): NonNullable<Kind['onOutcome']> =>
  async ({ workspaceId, channelId, subscriptions }, told) => {
    if (subscriptions.length > 0) await onOutcome(workspaceId, channelId, told);
  };

function createContents(app: Parts) {
  const { database, workspaceOf, now } = app;
  const sessionEnds = createSessionEnds(database);
  const stops = createStopRecords(database, now);
  const overlapping = createOverlappingSessions(app);
  const endOf = ({ sessionEndId = '' }: Delivery) => sessionEnds.byId(sessionEndId);

  async function recordsOf(workspaceId: string, customer: Visitor | undefined) {
    if (customer === undefined) return [];
    const workspace = await workspaceOf(workspaceId);
    const { recordLinks: templates } = await workspace.settings();
    return recordLinks(templates, customer, workspace.linkHosts, 'channel');
  }

  async function contentOf(delivery: Delivery, find = visitorIfKnown) {
    const end = await endOf(delivery);
    if (end === undefined) throw new RenderError('record_unreadable');
    const { id: endId, session, outcome, recovered } = end;
    const { workspaceId, visitorId, userId: watchedBy, access, ticketUrl } = end.link;
    const [{ known: customer, ...shown }, stoppedBy, beside] = await Promise.all([
      showVisitor(app, workspaceId, visitorId, delivery.channelId, find),
      stops.stoppedBy(workspaceId, visitorId, session),
      end.mayOverlap ? overlapping.linksTo(end) : [],
    ]);
    const known = { endId, session, visitorId, watchedBy, access, ticketUrl, outcome, recovered };
    const records = await recordsOf(workspaceId, customer);
    return { end, content: { ...shown, ...known, stoppedBy, beside, records } };
  }

  return { endOf, contentOf, overlapping };
}
type Contents = ReturnType<typeof createContents>;

/** No one is mentioned in a channel they aren't in. */
async function hasLeft(
  { isInChannel }: Pick<App, 'isInChannel'>,
  { workspaceId, channelId, subscriptions }: Delivery,
  { link }: SessionEnd,
): Promise<boolean> {
  if (subscriptions.length > 0 || !isChannel(channelId)) return false;
  const isIn = await isInChannel(workspaceId, link.userId, channelId, MEMBERS_KNOWN_MS).catch(
    () => undefined,
  );
  return isIn === false;
}

function following(
  { outbox, now }: Parts,
  of: Delivery,
  end: SessionEnd,
  what: 'elsewhere' | 'details' | 'notice',
  place: Pick<NewDelivery, 'channelId' | 'threadTs' | 'subscriptions' | 'payload'>,
): readonly Sql[] {
  return queued({
    id: outbox.newId(),
    workspaceId: of.workspaceId,
    kind: what,
    key: `${what} of ${of.id}`,
    messageId: `${of.messageId}_${what}`,
    since: postableSince(end),
    sessionEndId: of.sessionEndId,
    acceptedAt: now(),
    ...place,
  });
}

async function afterPost(
  app: Parts,
  { overlapping }: Pick<Contents, 'overlapping'>,
  delivery: Delivery,
  settled: Settled & { readonly is: 'posted' },
  end: SessionEnd,
): Promise<readonly Sql[]> {
  const { ts, form, threadTs, alreadyPosted } = settled;
  const { id, channelId, subscriptions } = delivery;
  const statements: Sql[] = [];
  if (form === 'thread' && threadTs === undefined && ts !== undefined) {
    statements.push(...following(app, delivery, end, 'details', { channelId, threadTs: ts, subscriptions }));
    const toAgent = { channelId: end.link.userId, payload: { isIn: channelId } };
    if (await hasLeft(app, delivery, end))
      statements.push(...following(app, delivery, end, 'elsewhere', toAgent));
  }
  // A post that was looked up and found may be older than the outcome.
  if (alreadyPosted && end.outcome !== undefined)
    statements.push(...redrawStatements(app, end, [{ id, channelId }]));
  if (subscriptions.length > 0) return statements;
  statements.push(summaryPosted(end.id, settled));
  // Sessions that ran beside it had their links before it ended.
  if (end.mayOverlap) statements.push(...(await overlapping.linkBack(end)));
  return statements;
}

function afterFailure(
  app: Parts,
  delivery: Delivery,
  settled: Exclude<Settled, { readonly is: 'posted' }>,
  end: SessionEnd,
): readonly Sql[] {
  const { channelId, subscriptions } = delivery;
  const cardBack = giveBackStatements(delivery, end, { id: app.outbox.newId(), time: app.now() });
  if (settled.is === 'dropped' || subscriptions.length > 0 || channelId === end.link.userId) return cardBack;
  const { reason, neededScope } = settled;
  const notPosted = { to: channelId, reason, neededScope };
  const toAgent = { channelId: end.link.userId, payload: { notPosted } };
  return [...following(app, delivery, end, 'notice', toAgent), ...cardBack];
}

function cardKind(state: LinkState, colleagues: readonly Asked[]) {
  if ('concluded' in state) return 'concluded';
  const name = 'seenAt' in state ? 'in-session' : 'card';
  if (colleagues.length === 0) return name;
  const taken = colleagues.filter(({ takenBy }) => takenBy !== undefined).length;
  return `${name}-${colleagues.length}-${taken}` as const;
}

function createCardKinds(app: Parts, asks: Pick<Asks, 'onCard'>): readonly Kind[] {
  const { database, workspaceOf } = app;
  async function cardIn({ id, replacesId, channelId }: Delivery, known: z.infer<typeof CardPayload>) {
    const { workspaceId, userId: watchedBy, visitorId, access, linkId, ticketUrl } = known.link;
    const colleagues = await asks.onCard(workspaceId, replacesId ?? id);
    const { cobrowse, endSource } = await workspaceOf(workspaceId);
    const shown = await showVisitor(app, workspaceId, visitorId, channelId);
    const about = { ...shown, watchedBy, visitorId, linkId, access, ticketUrl, endSource, colleagues };
    const canAskChannel = isChannel(channelId) && shown.isCut !== true;
    const content = { ...about, canStop: cobrowse.offers.stopSession, canAskChannel };
    return ofVisitor(linkCard(content, known), visitorId, cardKind(known, colleagues));
  }

  async function askedCardIn(delivery: Delivery): Promise<Message | Unwanted> {
    const { workspaceId, replacesId = '' } = delivery;
    const [row] = await database.read(openCardPayload(workspaceId, replacesId), PayloadRow);
    return row === undefined ? { unwanted: 'superseded' } : cardIn(delivery, row.payload);
  }

  return [
    {
      name: 'card',
      replaces: 'changes',
      render: asMessage(async (delivery, changes) => {
        const payload = readPayload(CardPayload, delivery.payload);
        const isNews = changes !== undefined || (await database.read(awaited(delivery), AnyRow)).length > 0;
        return isNews ? cardIn(delivery, payload) : { unwanted: 'superseded' };
      }),
    },
    { name: 'asked-card', replaces: 'changes', render: asMessage(askedCardIn) },
  ];
}

export function createSessionKinds(app: Parts, { asks, subscribers }: SessionKindsParts): readonly Kind[] {
  const contents = createContents(app);
  const { endOf, contentOf } = contents;
  const onOutcome = toldSubscribers(subscribers);

  async function summaryIn(delivery: Delivery, form: Form, find = visitorIfKnown): Promise<Message> {
    const { end, content } = await contentOf(delivery, find);
    return named(form === 'full' ? summary(content) : shortSummary(content), end);
  }

  async function noticeIn(delivery: Delivery, find = visitorIfKnown): Promise<Message> {
    const payload = readPayload(NoticePayload, delivery.payload);
    const { end, content } = await contentOf(delivery, find);
    if ('isIn' in payload) return named(summaryElsewhere(content, payload.isIn), end);
    const { to } = payload.notPosted;
    return named(undeliveredSummary(content, to, troubleOf(payload.notPosted)), end);
  }

  async function detailsIn(delivery: Delivery): Promise<Message | Unwanted> {
    const { end, content } = await contentOf(delivery);
    const mentions = delivery.subscriptions.length === 0 && !(await hasLeft(app, delivery, end));
    const details = summaryDetail(content, mentions);
    return details === undefined ? { unwanted: 'nothing_more' } : named(details, end);
  }

  return [
    {
      name: 'summary',
      replaces: 'takes',
      async render(delivery, changes) {
        const ended = delivery.subscriptions.length === 0 ? undefined : await endOf(delivery);
        const wanted = await formOf(subscribers, delivery, ended && endedSessionOf(ended));
        if (typeof wanted === 'object') return wanted;
        // A card becomes short, with the rest in its thread; in a thread it can't have one.
        const form = changes !== undefined && delivery.threadTs === undefined ? 'thread' : wanted;
        return { form, message: () => summaryIn(delivery, form) };
      },
      async onSettled(delivery, settled) {
        const end = await endOf(delivery);
        if (end === undefined) return [];
        return settled.is === 'posted'
          ? afterPost(app, contents, delivery, settled, end)
          : afterFailure(app, delivery, settled, end);
      },
      onOutcome,
    },
    ...createCardKinds(app, asks),
    {
      name: 'details',
      async render(delivery) {
        const wanted = await formOf(subscribers, delivery);
        const plan = { message: () => detailsIn(delivery) };
        if (typeof wanted !== 'object') return plan;
        // The summary these details belong to has been posted.
        return wanted.unwanted === 'subscription_removed' ? plan : wanted;
      },
      onOutcome,
    },
    // Deliveries queued by older versions have the payload of `elsewhere` here.
    { name: 'notice', render: asMessage((delivery) => noticeIn(delivery)) },
    { name: 'elsewhere', render: asMessage((delivery) => noticeIn(delivery)) },
    {
      name: 'update',
      replaces: 'redraws',
      render: asMessage(async (delivery, changes) => {
        const isSoon = app.now() - delivery.acceptedAt < NAME_WITHIN_MS;
        const look = isSoon ? visitorUnlessAway : visitorIfKnown;
        return delivery.payload === undefined
          ? summaryIn(delivery, changes?.isShort === true ? 'short' : 'full', look)
          : noticeIn(delivery, look);
      }),
    },
  ];
}

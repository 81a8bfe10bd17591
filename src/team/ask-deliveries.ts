import { z } from 'zod';
import type { Visitor } from '../cobrowse/schemas.ts';
import type { Viewer } from '../commands/rights.ts';
import type { Place } from '../messages/link-request.ts';
import {
  button,
  buttons,
  context,
  lines,
  message,
  notice,
  problem,
  type Message,
} from '../messages/message.ts';
import { bold, date, say, short, user, where, type Line } from '../messages/text.ts';
import {
  cutWords,
  showVisitor,
  visitorIfKnown,
  visitorName,
  watchButton,
  type ShownVisitor,
  type VisitorTools,
  type WatchTarget,
} from '../messages/visitor-pieces.ts';
import { queued } from '../outbox/channels.ts';
import { readPayload, unknownNow, type Delivery, type Kind } from '../outbox/delivery.ts';
import type { App } from '../parts.ts';
import { isChannel } from '../permissions/permissions.ts';
import type { Workspace } from '../workspaces/workspaces.ts';
import { asAsked, AskPayload, isDirect, LONGEST_REASON, OfAskPayload, type Ask, type Asks } from './asks.ts';

const nameOf = (visitorId: string, visitor: Visitor | undefined) =>
  short(visitor === undefined ? visitorId : visitorName(visitor));

const UnaskedPayload = z.object({ visitorId: z.string(), askedId: z.string() });

/** What somebody can do with visitors, Watch targets sealed for them. */
export type VisitorToolsOf = (
  reader: Viewer & Place & { readonly workspace: Workspace },
) => Promise<Pick<VisitorTools, 'targetsOf'>>;

/** "In session now" or since when, as far as the service says; undefined where no session runs. */
function running(visitor: Visitor | undefined): Line | undefined {
  if (visitor?.is_in_session !== true) return undefined;
  const started = visitor.sessions
    .filter(({ ended_at: endedAt }) => endedAt === undefined)
    .map(({ started_at: startedAt }) => Date.parse(startedAt ?? ''))
    .filter((at) => !Number.isNaN(at));
  return started.length === 0
    ? ['In session now']
    : ['In session since: ', date(new Date(Math.min(...started)))];
}

const quoted = ({ reason }: Ask) => reason !== undefined && [`“${short(reason, LONGEST_REASON)}”`];

function personAsked(ask: Ask, name: string, session: Line | undefined, watch: WatchTarget): Message {
  const text = 'More options';
  const more = { text, actionId: 'watch_asked', value: ask.visitorId, label: `${text} for ${name}` };
  return message(
    lines([user(ask.askedBy), ' asks you to look at ', bold(name), '’s screen.'], quoted(ask), session),
    buttons(watchButton(name, watch, 'primary'), button(more)),
    context('Asked:', date(ask.askedAt)),
    watch.url !== undefined && context('Watch works for 30 minutes; then press More options.'),
  );
}

const notAsked = (askedId: string, name: string): Message =>
  problem(
    say`I couldn’t send your question about ${bold(name)} to ${isChannel(askedId) ? where(askedId) : user(askedId)}.`,
    ['Ask somebody else, or write there yourself.'],
  );

const outcomeOf = ({ takenBy }: Ask): Line =>
  takenBy === undefined ? ['Nobody took it in time.'] : [user(takenBy), ' took it.'];

/** The post in the channel, whatever has become of it. */
export function channelAsked(ask: Ask, { visitor, isCut }: ShownVisitor): Message {
  const { askedBy, openUntil } = ask;
  const name = short(visitor);
  const take = {
    text: 'I’ll take it',
    actionId: 'take_ask',
    value: JSON.stringify([ask.visitorId, ask.id]),
    label: `I’ll take it: look at ${name}’s screen`,
    style: 'primary',
  } as const;
  return message(
    lines(
      [user(askedBy), ' asks somebody here to look at ', bold(name), '’s screen.'],
      isCut === false && quoted(ask),
      openUntil === undefined && outcomeOf(ask),
    ),
    cutWords(isCut),
    openUntil && buttons(button(take)),
    openUntil && context('Open until:', date(openUntil)),
  );
}

const askedAgain = ({ visitor, isCut }: ShownVisitor): Message =>
  message(
    lines(say`Nobody took this: a newer post asks again to look at ${bold(short(visitor))}’s screen.`),
    cutWords(isCut),
  );

const nobodyTook = ({ askedId }: Ask, name: string): Message =>
  notice(
    say`Nobody in ${where(askedId)} has taken your question about ${bold(name)} yet. It’s still open there.`,
    ['You can also ask a colleague.'],
  );

const superseded = { unwanted: 'superseded' };

/** It doesn't count if Slack refuses it, and the asker hears so. */
const ofRefused = ({ outbox, now, record }: App, asks: Asks): Pick<Kind, 'onSettled' | 'onOutcome'> => ({
  async onSettled({ id: askId, workspaceId, channelId: askedId, payload }, settled) {
    if (settled.is !== 'failed') return [];
    const { visitorId, askedBy } = readPayload(AskPayload, payload);
    const unasked: z.infer<typeof UnaskedPayload> = { visitorId, askedId };
    const toAsker = {
      id: outbox.newId(),
      workspaceId,
      key: `unasked ${askId}`,
      kind: 'unasked',
      channelId: askedBy,
      acceptedAt: now(),
      payload: unasked,
    };
    return [...(await asks.forgetStatements(workspaceId, visitorId, askId)), ...queued(toAsker)];
  },
  async onOutcome({ workspaceId, channelId: to, payload }, told) {
    if (told.outcome === 'posted' || told.outcome === 'later') return;
    const { visitorId, askedBy: userId } = readPayload(AskPayload, payload);
    await record({ workspaceId, userId, visitorId, action: 'ask', outcome: told.reason, detail: { to } });
  },
});

const nameIn = async (app: App, { workspaceId, visitorId }: Pick<Ask, 'workspaceId' | 'visitorId'>) =>
  nameOf(visitorId, await visitorIfKnown(app, workspaceId, visitorId));

const forChannel = async (app: App, asked: Ask, channelId: string): Promise<Message> =>
  channelAsked(asked, await showVisitor(app, asked.workspaceId, asked.visitorId, channelId));

/** The messages that ask a person or a channel to look, what becomes of a channel's, and what the asker hears. */
export function createAskKinds(app: App, asks: Asks, visitorTools: VisitorToolsOf): readonly Kind[] {
  const refused = ofRefused(app, asks);

  /** The direct message; Watch leads to the screen itself, with one press. */
  async function forPerson(asked: Ask, userId: string): Promise<Message> {
    const { workspaceId, visitorId } = asked;
    const visitor = await visitorIfKnown(app, workspaceId, visitorId);
    const channelId = isDirect(asked) ? await app.directMessagesOf(workspaceId, userId) : undefined;
    const workspace = await app.workspaceOf(workspaceId);
    const { targetsOf } = await visitorTools(asAsked({ workspace, workspaceId, userId, channelId }, asked));
    return personAsked(asked, nameOf(visitorId, visitor), running(visitor), targetsOf(visitorId).usual);
  }

  const find = ({ workspaceId, payload, id }: Delivery) => {
    const { visitorId, askId = id } = readPayload(OfAskPayload.partial({ askId: true }), payload);
    return asks.find(workspaceId, visitorId, askId);
  };

  return [
    {
      name: 'ask',
      async render(delivery) {
        const { workspaceId, channelId: userId } = delivery;
        const asked = await find(delivery);
        if (asked === undefined) return superseded;
        const verdict = await app.mayAct('watch', { workspaceId, userId }).catch(unknownNow);
        if (!verdict.allowed) return { unwanted: verdict.why };
        return { message: () => forPerson(asked, userId) };
      },
      ...refused,
    },
    {
      name: 'channel-ask',
      async render(delivery) {
        const asked = await find(delivery);
        if (asked?.openUntil === undefined) return superseded;
        return { message: () => forChannel(app, asked, delivery.channelId) };
      },
      ...refused,
    },
    {
      name: 'channel-ask-change',
      replaces: 'changes',
      async render(delivery) {
        const { workspaceId, channelId, payload } = delivery;
        const { visitorId, because } = readPayload(OfAskPayload, payload);
        if (because === 'again')
          return {
            message: async () => askedAgain(await showVisitor(app, workspaceId, visitorId, channelId)),
          };
        const asked = await find(delivery);
        // The post of one that was taken says so already.
        if (asked === undefined || (because === 'over' && asked.takenBy !== undefined)) return superseded;
        return { message: () => forChannel(app, asked, channelId) };
      },
    },
    {
      name: 'untaken',
      async render(delivery) {
        const asked = await find(delivery);
        if (asked?.openUntil === undefined) return superseded;
        return { message: async () => nobodyTook(asked, await nameIn(app, asked)) };
      },
    },
    {
      name: 'unasked',
      async render({ workspaceId, payload }) {
        const { visitorId, askedId } = readPayload(UnaskedPayload, payload);
        return { message: async () => notAsked(askedId, await nameIn(app, { workspaceId, visitorId })) };
      },
    },
  ];
}

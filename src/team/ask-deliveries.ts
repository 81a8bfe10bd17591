import { z } from 'zod';
import type { Visitor } from '../cobrowse/schemas.ts';
import type { Viewer } from '../commands/rights.ts';
import type { Place } from '../messages/link-request.ts';
import {
  visitorIfKnown,
  visitorName,
  type ShowVisitor,
  type VisitorTools,
} from '../messages/visitor-pieces.ts';
import { wakeChannelOf } from '../outbox/channels.ts';
import { insertDelivery, readPayload, unknownNow, type Delivery, type Kind } from '../outbox/delivery.ts';
import type { App } from '../parts.ts';
import { canLook } from '../permissions/permissions.ts';
import { askedAgain, channelAsked, colleagueAsked, nobodyTook, notAsked } from './ask-messages.ts';
import { asAsked, isDirect } from './asks-in-slack.ts';
import { AskChangePayload, AskPayload, UntakenPayload, type Ask, type Asks } from './asks.ts';

const UnaskedPayload = z.object({ visitorId: z.string(), askedId: z.string() });

/** What somebody can do with visitors, Watch targets sealed for them. */
export type VisitorToolsOf = (reader: Viewer & Place) => Promise<Pick<VisitorTools, 'targetsOf'>>;

/** The session that runs with a visitor, as far as the service says. */
function running(visitor: Visitor | undefined): { readonly since: Date | undefined } | undefined {
  if (visitor?.is_in_session !== true) return undefined;
  const started = visitor.sessions
    .filter(({ ended_at: endedAt }) => endedAt === undefined)
    .map(({ started_at: startedAt }) => Date.parse(startedAt ?? ''))
    .filter((at) => !Number.isNaN(at));
  return { since: started.length === 0 ? undefined : new Date(Math.min(...started)) };
}

/**
 * The messages that ask somebody, or a channel, to look at a visitor's screen, and what the asker hears if Slack refuses
 * one, or nobody has taken it.
 */
export function createAskKinds(
  { mayAct, cobrowseOf, workspaceOf, directMessagesOf, record, outbox, now }: App,
  asks: Asks,
  showVisitor: ShowVisitor,
  visitorTools: VisitorToolsOf,
): readonly Kind[] {
  /** It doesn't count if Slack refuses it, and the asker hears so. */
  const ofRefused: Pick<Kind, 'follows' | 'told'> = {
    async follows({ id: askId, workspaceId, channelId: askedId, payload }, settled) {
      if (settled.is !== 'failed') return [];
      const { visitorId, askedBy } = readPayload(AskPayload, payload);
      const id = outbox.newId();
      const toAsker = {
        id,
        workspaceId,
        key: `unasked ${askId}`,
        kind: 'unasked',
        channelId: askedBy,
        acceptedAt: now(),
        payload: { visitorId, askedId } satisfies z.infer<typeof UnaskedPayload>,
      };
      const forgotten = await asks.forgetStatements(workspaceId, visitorId, askId);
      return [...forgotten, insertDelivery(toAsker), wakeChannelOf(id)];
    },
    async told({ workspaceId, channelId: to, payload }, told) {
      if (told.outcome === 'posted' || told.outcome === 'later') return;
      const { visitorId, askedBy: userId } = readPayload(AskPayload, payload);
      await record({ workspaceId, userId, visitorId, action: 'ask', outcome: told.reason, detail: { to } });
    },
  };

  async function nameOf(workspaceId: string, visitorId: string): Promise<string> {
    const visitor = await visitorIfKnown(cobrowseOf, workspaceId, visitorId);
    return visitor === undefined ? visitorId : visitorName(visitor);
  }

  const postIn = ({ workspaceId, channelId }: Delivery, asked: Ask) => ({
    async message() {
      const [shown, { endSource }] = await Promise.all([
        showVisitor(workspaceId, asked.visitorId, channelId),
        workspaceOf(workspaceId),
      ]);
      return channelAsked(asked, shown, endSource !== 'never');
    },
  });

  /** Where Watch leads whoever was asked: to the screen itself, with one press. */
  async function targetOf(workspaceId: string, userId: string, asked: Ask) {
    const channelId = isDirect(asked) ? await directMessagesOf(workspaceId, userId) : undefined;
    const { targetsOf } = await visitorTools(asAsked({ workspaceId, userId, channelId }, asked));
    return targetsOf(asked.visitorId).usual;
  }

  const superseded = { unwanted: 'superseded' };
  return [
    {
      name: 'ask',
      isNoLoss: true,
      async compose({ id, workspaceId, channelId: userId, payload }) {
        const { visitorId } = readPayload(AskPayload, payload);
        const asked = await asks.latest(workspaceId, visitorId, userId);
        if (asked?.id !== id) return superseded;
        const verdict = await mayAct('watch', { workspaceId, userId }).catch(unknownNow);
        // Their profile may say something else by now than when they were asked.
        if (!verdict.allowed && !canLook(verdict)) return { unwanted: verdict.why };
        return {
          async message() {
            const visitor = await visitorIfKnown(cobrowseOf, workspaceId, visitorId);
            const name = visitor === undefined ? visitorId : visitorName(visitor);
            const watch = verdict.allowed ? await targetOf(workspaceId, userId, asked) : undefined;
            return colleagueAsked(asked, name, running(visitor), watch);
          },
        };
      },
      ...ofRefused,
    },
    {
      name: 'channel-ask',
      isNoLoss: true,
      async compose(delivery) {
        const { visitorId } = readPayload(AskPayload, delivery.payload);
        const asked = await asks.find(delivery.workspaceId, visitorId, delivery.id);
        return asked?.openUntil === undefined ? superseded : postIn(delivery, asked);
      },
      ...ofRefused,
    },
    {
      name: 'channel-ask-change',
      replaces: 'changes',
      isNoLoss: true,
      async compose(delivery) {
        const { workspaceId, channelId } = delivery;
        const { visitorId, askId, againBy } = readPayload(AskChangePayload, delivery.payload);
        if (againBy !== undefined)
          return {
            message: async () => askedAgain(againBy, await showVisitor(workspaceId, visitorId, channelId)),
          };
        const asked = await asks.find(workspaceId, visitorId, askId);
        return asked === undefined ? superseded : postIn(delivery, asked);
      },
    },
    {
      name: 'untaken',
      isNoLoss: true,
      async compose({ workspaceId, payload }) {
        const { visitorId, askId } = readPayload(UntakenPayload, payload);
        const asked = await asks.find(workspaceId, visitorId, askId);
        if (asked?.openUntil === undefined) return superseded;
        return { message: async () => nobodyTook(asked, await nameOf(workspaceId, visitorId)) };
      },
    },
    {
      name: 'unasked',
      isNoLoss: true,
      compose: async ({ workspaceId, payload }) => ({
        async message() {
          const { visitorId, askedId } = readPayload(UnaskedPayload, payload);
          return notAsked(askedId, await nameOf(workspaceId, visitorId));
        },
      }),
    },
  ];
}

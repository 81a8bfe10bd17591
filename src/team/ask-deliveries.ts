import { z } from 'zod';
import type { Audit } from '../audit/audit.ts';
import type { CobrowseClient } from '../cobrowse/client.ts';
import type { Viewer } from '../commands/caller.ts';
import type { Visitor } from '../cobrowse/schemas.ts';
import { wakeChannelOf } from '../outbox/channels.ts';
import { insertDelivery, readPayload, unknownNow, type Delivery, type NewId } from '../outbox/delivery.ts';
import type { Kind } from '../outbox/kind.ts';
import { canLook, type MayAct } from '../permissions/acts.ts';
import type { EndSource } from '../messages/link-result.ts';
import type { Place } from '../messages/link-request.ts';
import type { Message } from '../messages/message.ts';
import type { VisitorTools } from '../messages/visitor-buttons.ts';
import { visitorName, visitorIfKnown, type ShowVisitor } from '../messages/visitor-pieces.ts';
import { colleagueAsked, notAsked } from './ask-messages.ts';
import { asAsked, isDirect } from './ask-colleague.ts';
import type { Ask, Asks } from './asks.ts';
import { askedAgain, channelAsked, nobodyTook } from './channel-ask-messages.ts';
import { AskChangePayload, UntakenPayload, type ChannelAsk, type ChannelAsks } from './channel-asks.ts';

/** Ids only: why they're asked is in the row that says who was. */
const Payload = z.object({ visitorId: z.string(), askedBy: z.string() });

const UnaskedPayload = z.object({ visitorId: z.string(), askedId: z.string() });

/** Whose screen. */
interface About {
  readonly workspaceId: string;
  readonly visitorId: string;
}

/** What somebody can do with visitors, Watch targets sealed for them. */
export type VisitorToolsOf = (reader: Viewer & Place) => Promise<Pick<VisitorTools, 'targetsOf'>>;

/** The id of somebody's direct messages with the app; undefined if Slack doesn't say. Never rejects. */
export type DirectMessagesOf = (workspaceId: string, userId: string) => Promise<string | undefined>;

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
export function createAskKinds({
  asks,
  channelAsks,
  mayAct,
  cobrowseOf,
  workspaceOf,
  showVisitor,
  visitorTools,
  directMessagesOf,
  record,
  newId,
  now,
}: {
  readonly asks: Pick<Asks, 'latest' | 'forgetStatements'>;
  readonly channelAsks: Pick<ChannelAsks, 'find'>;
  readonly mayAct: MayAct;
  readonly cobrowseOf: (workspaceId: string) => Promise<Pick<CobrowseClient, 'visitor'>>;
  readonly workspaceOf: (workspaceId: string) => Promise<{ readonly endSource: EndSource }>;
  readonly showVisitor: ShowVisitor;
  readonly visitorTools: VisitorToolsOf;
  readonly directMessagesOf: DirectMessagesOf;
  readonly record: Audit['record'];
  readonly newId: NewId;
  readonly now: () => number;
}): readonly Kind[] {
  /** It doesn't count if Slack refuses it, and the asker hears so. */
  const ofRefused: Pick<Kind, 'follows' | 'told'> = {
    async follows({ id: askId, workspaceId, channelId: askedId, payload }, settled) {
      if (settled.is !== 'failed') return [];
      const { visitorId, askedBy } = readPayload(Payload, payload);
      const id = newId();
      const toAsker = {
        id,
        workspaceId,
        key: `unasked ${askId}`,
        kind: 'unasked',
        channelId: askedBy,
        acceptedAt: now(),
        payload: { visitorId, askedId },
      };
      const forgotten = await asks.forgetStatements({ id: askId, workspaceId, visitorId });
      return [...forgotten, insertDelivery(toAsker), wakeChannelOf(id)];
    },
    async told({ workspaceId, channelId: to, payload }, told) {
      if (told.outcome === 'posted' || told.outcome === 'later') return;
      const { visitorId, askedBy: userId } = readPayload(Payload, payload);
      await record({ workspaceId, userId, visitorId, action: 'ask', outcome: told.reason, detail: { to } });
    },
  };

  async function postIn({ workspaceId, channelId }: Delivery, asked: ChannelAsk): Promise<Message> {
    const [shown, { endSource }] = await Promise.all([
      showVisitor(workspaceId, asked.visitorId, channelId),
      workspaceOf(workspaceId),
    ]);
    return channelAsked(asked, shown, endSource !== 'never');
  }

  /** Where Watch leads whoever was asked: to the screen itself, with one press. */
  async function targetOf(userId: string, asked: Ask, { workspaceId, visitorId }: About) {
    const channelId = isDirect(asked) ? await directMessagesOf(workspaceId, userId) : undefined;
    const { targetsOf } = await visitorTools(asAsked({ workspaceId, userId, channelId }, asked));
    return targetsOf(visitorId).usual;
  }

  const ask: Kind = {
    name: 'ask',
    isNoLoss: true,
    async compose({ id, workspaceId, channelId: userId, payload }) {
      const { visitorId } = readPayload(Payload, payload);
      const asked = await asks.latest(workspaceId, visitorId, userId);
      if (asked?.id !== id) return { unwanted: 'superseded' };
      const verdict = await mayAct('watch', { workspaceId, userId }).catch(unknownNow);
      // Their profile may say something else by now than when they were asked.
      if (!verdict.allowed && !canLook(verdict)) return { unwanted: verdict.why };
      return {
        async message() {
          const visitor = await visitorIfKnown(cobrowseOf, workspaceId, visitorId);
          const name = visitor === undefined ? visitorId : visitorName(visitor);
          const session = running(visitor);
          const watch = verdict.allowed
            ? await targetOf(userId, asked, { workspaceId, visitorId })
            : undefined;
          return colleagueAsked({ ask: asked, visitor: name, visitorId, session, watch });
        },
      };
    },
    ...ofRefused,
  };
  const channelAsk: Kind = {
    name: 'channel-ask',
    isNoLoss: true,
    async compose(delivery) {
      const { visitorId } = readPayload(Payload, delivery.payload);
      const asked = await channelAsks.find(delivery.workspaceId, visitorId, delivery.id);
      if (asked?.openUntil === undefined) return { unwanted: 'superseded' };
      return { message: () => postIn(delivery, asked) };
    },
    ...ofRefused,
  };
  const channelAskChange: Kind = {
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
      const asked = await channelAsks.find(workspaceId, visitorId, askId);
      return asked === undefined ? { unwanted: 'superseded' } : { message: () => postIn(delivery, asked) };
    },
  };
  const untaken: Kind = {
    name: 'untaken',
    isNoLoss: true,
    async compose({ workspaceId, payload }) {
      const { visitorId, askId } = readPayload(UntakenPayload, payload);
      const asked = await channelAsks.find(workspaceId, visitorId, askId);
      if (asked?.openUntil === undefined) return { unwanted: 'superseded' };
      return {
        async message() {
          const visitor = await visitorIfKnown(cobrowseOf, workspaceId, visitorId);
          return nobodyTook(asked, visitor === undefined ? visitorId : visitorName(visitor));
        },
      };
    },
  };
  const unasked: Kind = {
    name: 'unasked',
    isNoLoss: true,
    compose: async ({ workspaceId, payload }) => ({
      async message() {
        const { visitorId, askedId } = readPayload(UnaskedPayload, payload);
        const visitor = await visitorIfKnown(cobrowseOf, workspaceId, visitorId);
        return notAsked(askedId, visitor === undefined ? visitorId : visitorName(visitor));
      },
    }),
  };
  return [ask, channelAsk, channelAskChange, untaken, unasked];
}

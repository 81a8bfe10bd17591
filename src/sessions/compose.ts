import type { Session } from '../cobrowse/schemas.ts';
import type { EndSource } from '../messages/link-result.ts';
import type { Message } from '../messages/message.ts';
import { ofVisitor } from '../messages/message.ts';
import type { Content, Payload } from '../outbox/delivery.ts';
import { troubleOf } from '../outbox/trouble.ts';
import { digestMessage } from '../subscriptions/digest-message.ts';
import type { Digest } from '../subscriptions/digest-numbers.ts';
import type { SummaryForm } from '../subscriptions/subscription.ts';
import { concludedCard, inSessionCard, linkCard } from './link-card.ts';
import type { SessionEnd } from './session-ends.ts';
import type { ShowVisitor } from './shown-visitor.ts';
import { shortSummary, summary, summaryDetail, summaryElsewhere, undeliveredSummary } from './summary.ts';
import type { SummaryContent } from './summary.ts';

/** A picture of a digest's numbers; undefined if there is none. */
export type PictureOfDigest = (
  digest: Digest,
) => { readonly url: string; readonly altText: string } | undefined;

export interface ComposeParts {
  readonly showVisitor: ShowVisitor;
  /** Who stopped a session from Slack, if somebody did. */
  readonly stoppedBy: (
    workspaceId: string,
    visitorId: string,
    session: Session,
  ) => Promise<SummaryContent['stoppedBy']>;
  readonly pictureOf: PictureOfDigest;
  /** Whether a workspace's sessions can be stopped from Slack, and how the app learns that they ended. */
  readonly sessionsOf: (
    workspaceId: string,
  ) => Promise<{ readonly canStop: boolean; readonly endSource: EndSource }>;
}

/** The data for a message can no longer be read. */
export class UnreadableDeliveryError extends Error {
  override readonly name = 'UnreadableDeliveryError';
}

/**
 * Makes a delivery's message for the place it goes to.
 *
 * @throws UnreadableDeliveryError (by rejecting)
 */
export type Compose = (
  delivery: Content,
  form: SummaryForm,
  options?: {
    /** Whether the details mention the agent who watched. */
    readonly mentions?: boolean;
  },
) => Promise<Message>;

type LinkPayload = Extract<Payload, { readonly link: unknown }>;

/** With the visitor's id, where a message shortcut can find it. */
const named = (message: Message, end: SessionEnd | undefined): Message =>
  end === undefined
    ? message
    : ofVisitor(
        message,
        end.link.visitorId,
        end.outcome === undefined ? 'summary' : `summary-${end.outcome.outcome}`,
      );

export function createCompose({ showVisitor, stoppedBy, pictureOf, sessionsOf }: ComposeParts): Compose {
  async function card(payload: LinkPayload, channelId: string): Promise<Message> {
    const { workspaceId, userId: watchedBy, visitorId, access } = payload.link;
    const { canStop, endSource } = await sessionsOf(workspaceId);
    const about = { ...(await showVisitor(workspaceId, visitorId, channelId)), watchedBy, access, endSource };
    if ('concluded' in payload)
      return ofVisitor(concludedCard({ ...about, concluded: payload.concluded }), visitorId, 'concluded');
    const open = { ...about, visitorId, canStop };
    if ('seenAt' in payload)
      return ofVisitor(inSessionCard({ ...open, seenAt: new Date(payload.seenAt) }), visitorId, 'in-session');
    return ofVisitor(linkCard({ ...open, agent: payload.agent }), visitorId, 'card');
  }

  async function contentOf(end: SessionEnd | undefined, channelId: string): Promise<SummaryContent> {
    const session = end?.session;
    if (end === undefined || session === undefined) throw new UnreadableDeliveryError();
    const { workspaceId, visitorId, userId: watchedBy, access } = end.link;
    const [shown, stopper] = await Promise.all([
      showVisitor(workspaceId, visitorId, channelId),
      stoppedBy(workspaceId, visitorId, session),
    ]);
    const { id: endId, outcome, recovered } = end;
    const known = { endId, session, visitorId, watchedBy, access, outcome, recovered };
    return { ...shown, ...known, stoppedBy: stopper };
  }

  return async function compose({ kind, channelId, payload, end }, form, { mentions = false } = {}) {
    switch (kind) {
      case 'digest':
        if (payload === undefined || !('digest' in payload)) throw new UnreadableDeliveryError();
        return digestMessage(payload.digest, pictureOf(payload.digest));
      case 'card':
        if (payload === undefined || !('link' in payload)) throw new UnreadableDeliveryError();
        return card(payload, channelId);
      case 'notice':
        if (payload !== undefined && 'isIn' in payload)
          return named(summaryElsewhere(await contentOf(end, channelId), payload.isIn), end);
        if (payload === undefined || !('notPosted' in payload)) throw new UnreadableDeliveryError();
        return named(
          undeliveredSummary(
            await contentOf(end, channelId),
            payload.notPosted.to,
            troubleOf(payload.notPosted),
          ),
          end,
        );
      case 'details':
        return named(summaryDetail(await contentOf(end, channelId), mentions), end);
      case 'summary':
      case 'update': {
        const content = await contentOf(end, channelId);
        return named(form === 'full' ? summary(content) : shortSummary(content), end);
      }
      default:
        return kind satisfies never;
    }
  };
}

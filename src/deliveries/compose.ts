import type { Session } from '../cobrowse/schemas.ts';
import type { Digest } from '../grants/digest.ts';
import type { EndNews } from '../grants/fate.ts';
import type { SummaryForm } from '../grants/subscription.ts';
import { digestMessage } from '../views/digest.ts';
import { concludedCard, linkCard } from '../views/link-card.ts';
import type { Message } from '../views/message.ts';
import { ofVisitor } from '../views/of-visitor.ts';
import { shortSummary, summary, summaryDetail, undeliveredSummary } from '../views/summary.ts';
import type { SummaryContent } from '../views/summary.ts';
import type { Content, Payload } from './delivery.ts';
import type { SessionEnd } from './session-ends.ts';
import type { ShowVisitor } from './shown-visitor.ts';
import { troubleOf } from './trouble.ts';

/** A digest's numbers as a picture; undefined where there is none. */
export type PictureOfDigest = (
  digest: Digest,
) => { readonly url: string; readonly altText: string } | undefined;

interface ComposeParts {
  readonly showVisitor: ShowVisitor;
  /** Who stopped a session from Slack, if somebody did. */
  readonly stoppedBy: (
    workspaceId: string,
    visitorId: string,
    session: Session,
  ) => Promise<SummaryContent['stoppedBy']>;
  readonly pictureOf: PictureOfDigest;
  /** Whether sessions can be stopped from Slack. */
  readonly canStop: boolean;
  readonly endNews: EndNews;
}

/** What a message is made from can't be read any more. */
export class UnreadableDeliveryError extends Error {
  override readonly name = 'UnreadableDeliveryError';
}

/**
 * Makes a delivery's message for the place it goes to.
 *
 * @throws UnreadableDeliveryError (by rejecting)
 */
export type Compose = (delivery: Content, form: SummaryForm) => Promise<Message>;

type LinkPayload = Extract<Payload, { readonly link: unknown }>;

/** With the visitor's id where a message shortcut finds it again. */
const named = (message: Message, end: SessionEnd | undefined): Message =>
  end === undefined ? message : ofVisitor(message, end.grant.visitorId, 'summary');

export function createCompose({
  showVisitor,
  stoppedBy,
  pictureOf,
  canStop,
  endNews,
}: ComposeParts): Compose {
  async function card(payload: LinkPayload, channelId: string): Promise<Message> {
    const { workspaceId, userId: watchedBy, visitorId, power } = payload.link;
    const about = { ...(await showVisitor(workspaceId, visitorId, channelId)), watchedBy, power, endNews };
    if ('concluded' in payload)
      return ofVisitor(concludedCard({ ...about, concluded: payload.concluded }), visitorId, 'concluded');
    return ofVisitor(linkCard({ ...about, agent: payload.agent, visitorId, canStop }), visitorId, 'card');
  }

  async function contentOf(end: SessionEnd | undefined, channelId: string): Promise<SummaryContent> {
    const session = end?.session;
    if (end === undefined || session === undefined) throw new UnreadableDeliveryError();
    const { workspaceId, visitorId, userId: watchedBy, power } = end.grant;
    const [shown, stopper] = await Promise.all([
      showVisitor(workspaceId, visitorId, channelId),
      stoppedBy(workspaceId, visitorId, session),
    ]);
    return { ...shown, session, watchedBy, power, stoppedBy: stopper, recovered: end.recovered };
  }

  return async function compose({ kind, channelId, payload, end }, form) {
    switch (kind) {
      case 'digest':
        if (payload === undefined || !('digest' in payload)) throw new UnreadableDeliveryError();
        return digestMessage(payload.digest, pictureOf(payload.digest));
      case 'card':
        if (payload === undefined || !('link' in payload)) throw new UnreadableDeliveryError();
        return card(payload, channelId);
      case 'notice':
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
        return named(summaryDetail(await contentOf(end, channelId)), end);
      case 'summary': {
        const content = await contentOf(end, channelId);
        return named(form === 'full' ? summary(content) : shortSummary(content), end);
      }
      default:
        return kind satisfies never;
    }
  };
}

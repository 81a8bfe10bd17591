import type { Digest } from '../grants/digest.ts';
import { digestMessage } from '../views/digest.ts';
import type { Message } from '../views/message.ts';
import { ofVisitor } from '../views/of-visitor.ts';
import { shortSummary, summary, summaryDetail, undeliveredSummary } from '../views/summary.ts';
import type { Deliverable } from './delivery.ts';
import type { ShowVisitor } from './shown-visitor.ts';
import type { StopRecords } from './stops.ts';
import { troubleOf } from './trouble.ts';

/** A digest's numbers as a picture; undefined where there is none. */
export type PictureOfDigest = (
  digest: Digest,
) => { readonly url: string; readonly altText: string } | undefined;

interface ComposeParts {
  readonly showVisitor: ShowVisitor;
  readonly stops: StopRecords;
  readonly pictureOf: PictureOfDigest;
}

/** Makes a delivery's message: what a card becomes, or a message of its own. */
export type Compose = (delivery: Deliverable, form: 'card' | 'whole') => Promise<Message>;

export function createCompose({ showVisitor, stops, pictureOf }: ComposeParts): Compose {
  return async function compose(delivery, form) {
    if ('digest' in delivery) return digestMessage(delivery.digest, pictureOf(delivery.digest));
    const { grant, session, notPosted, isDetail, subscription, recovered = false } = delivery;
    const { workspaceId, visitorId, userId, power } = grant;
    const [shown, stoppedBy] = await Promise.all([
      showVisitor(workspaceId, visitorId, delivery.to),
      stops.stoppedBy(workspaceId, visitorId, session),
    ]);
    const content = { ...shown, session, watchedBy: userId, power, stoppedBy, recovered };
    const inShort = form === 'card' || (subscription !== undefined && subscription.form !== 'full');
    const composed = () => {
      if (isDetail !== undefined) return summaryDetail(content);
      if (notPosted !== undefined) return undeliveredSummary(content, notPosted.to, troubleOf(notPosted));
      return inShort ? shortSummary(content) : summary(content);
    };
    return ofVisitor(composed(), visitorId, 'summary');
  };
}

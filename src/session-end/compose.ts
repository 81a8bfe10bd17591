import type { Visitor } from '../cobrowse/schemas.ts';
import type { Message } from '../views/message.ts';
import { shortSummary, summary, summaryDetail, undeliveredSummary } from '../views/summary.ts';
import { visitorName } from '../views/visitor-pieces.ts';
import type { Delivery } from './delivery.ts';
import type { StopRecords } from './stops.ts';

interface ComposeParts {
  /** The visitor, for its name; undefined where it cannot be looked up. Never rejects. */
  readonly visitor: (visitorId: string) => Promise<Visitor | undefined>;
  readonly stops: StopRecords;
}

/** Makes a delivery's message: what a card becomes, or a message of its own. */
export type Compose = (delivery: Delivery, form: 'card' | 'whole') => Promise<Message>;

export function createCompose({ visitor, stops }: ComposeParts): Compose {
  return async function compose({ grant, session, notPosted, isDetail }, form) {
    const { workspaceId, visitorId, userId, power } = grant;
    const [known, stoppedBy] = await Promise.all([
      visitor(visitorId),
      stops.stoppedBy(workspaceId, visitorId, session),
    ]);
    const name = known === undefined ? visitorId : visitorName(known);
    const content = { session, visitor: name, watchedBy: userId, power, stoppedBy };
    if (isDetail !== undefined) return summaryDetail(content);
    if (notPosted !== undefined) return undeliveredSummary(content, notPosted.to, notPosted.reason);
    return form === 'card' ? shortSummary(content) : summary(content);
  };
}

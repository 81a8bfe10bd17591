import type { LinkRequest } from '../messages/link-request.ts';
import { valueOf } from '../messages/link-press.ts';
import type { LinkPress } from '../messages/link-press.ts';
import type { Message } from '../messages/message.ts';

/** Where a person was reached: in the channel, for their eyes only, or by direct message. */
export type Reached = 'channel' | 'direct' | 'nowhere';

/** Shows a message to one person only. Never rejects. */
export type ShowPrivately = (
  to: {
    readonly workspaceId: string;
    readonly userId: string;
    readonly channelId?: string | undefined;
    readonly threadTs?: string | undefined;
  },
  message: Message,
) => Promise<Reached>;

/**
 * Sends the one whom a button was drawn for a message with another, whose press brings the link in Slack. Never rejects
 * because of Slack. @param isPressed whether Slack has reported their press
 */
export type SendOffer = (order: LinkRequest, isPressed: boolean) => Promise<Reached>;

function pressOf(order: LinkRequest): LinkPress {
  if ('proxy' in order) return { proxy: order.proxy };
  return { visitorId: order.visitorId, access: order.access };
}

interface SendOfferParts {
  readonly showPrivately: ShowPrivately;
  /** The message with the button. @param value what the button is to say */
  readonly offer: (order: LinkRequest, value: string, isPressed: boolean) => Promise<Message>;
  readonly report: (outcome: 'sent-to-slack' | 'not-sent', order: LinkRequest) => void;
}

export function createSendOffer({ showPrivately, offer, report }: SendOfferParts): SendOffer {
  return async function sendOffer(order, isPressed) {
    const { workspaceId, userId, channelId, threadTs } = order;
    const place = { channelId, threadTs, ...('notes' in order ? { notes: order.notes } : {}) };
    const message = await offer(order, valueOf({ press: pressOf(order), for: userId, place }), isPressed);
    const reached = await showPrivately({ workspaceId, userId, channelId, threadTs }, message);
    report(reached === 'nowhere' ? 'not-sent' : 'sent-to-slack', order);
    return reached;
  };
}

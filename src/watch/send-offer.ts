import type { PressGrant } from '../grants/grant.ts';
import { valueOf } from '../grants/link-press.ts';
import type { LinkPress } from '../grants/link-press.ts';
import type { Message } from '../views/message.ts';

/** Where a person was reached: in the channel, for their eyes only, or by direct message. */
export type Reached = 'channel' | 'direct' | 'nowhere';

/** Shows a message to one person, and to nobody else. Never rejects. */
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
 * because of Slack. @param isPressed whether Slack has told of their press
 */
export type SendOffer = (grant: PressGrant, isPressed: boolean) => Promise<Reached>;

function pressOf(grant: PressGrant): LinkPress {
  if ('proxy' in grant) return { proxy: grant.proxy };
  return { visitorId: grant.visitorId, power: grant.power };
}

interface SendOfferParts {
  readonly showPrivately: ShowPrivately;
  /** The message with the button. @param value what the button is to say */
  readonly offer: (grant: PressGrant, value: string, isPressed: boolean) => Promise<Message>;
  readonly report: (outcome: 'sent-to-slack' | 'not-sent', grant: PressGrant) => void;
}

export function createSendOffer({ showPrivately, offer, report }: SendOfferParts): SendOffer {
  return async function sendOffer(grant, isPressed) {
    const { workspaceId, userId, channelId, threadTs } = grant;
    const place = { channelId, threadTs, ...('notes' in grant ? { notes: grant.notes } : {}) };
    const message = await offer(grant, valueOf({ press: pressOf(grant), for: userId, place }), isPressed);
    const reached = await showPrivately({ workspaceId, userId, channelId, threadTs }, message);
    report(reached === 'nowhere' ? 'not-sent' : 'sent-to-slack', grant);
    return reached;
  };
}

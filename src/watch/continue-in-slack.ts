import { z } from 'zod';
import type { CobrowseClient } from '../cobrowse/client.ts';
import type { Reply } from '../http/server.ts';
import { buttonOf, valueOf, type LinkPress, type LinkRequest } from '../messages/link-request.ts';
import type { Message } from '../messages/message.ts';
import { bold } from '../messages/text.ts';
import { whoLine } from '../messages/visitor-pieces.ts';
import type { Authorizer } from './authorize.ts';
import type { ButtonRoute } from './button-route.ts';
import { linkHereInstead, linkHereOffer } from './link-here.ts';
import type { UnconfirmedPresses, TicketUses } from './unconfirmed-presses.ts';
import {
  badTicketPage,
  blockedPage,
  expiredPage,
  notSentPage,
  refusedPage,
  sendingPage,
  sentPage,
} from './pages.ts';
import { PRESS_REFUSALS } from './press-refusals.ts';
import type { Presses } from './presses.ts';
import { proxyLine } from './proxy.ts';

/** Where a person was reached: in the channel, for their eyes only, or by direct message. */
export type Reached = 'channel' | 'direct' | 'nowhere';

/** Shows a message to one person only. Never rejects. */
export type ShowPrivately = (
  to: {
    readonly workspaceId: string;
    readonly userId: string;
    readonly channelId?: string;
    readonly threadTs?: string;
  },
  message: Message,
) => Promise<Reached>;

export type SendButton = ReturnType<typeof createSendButton>;

export function createSendButton({
  showPrivately,
  workspaceOf,
  report,
}: {
  readonly showPrivately: ShowPrivately;
  readonly workspaceOf: (
    workspaceId: string,
  ) => Promise<{ readonly cobrowse: Pick<CobrowseClient, 'visitor'> }>;
  readonly report: (outcome: 'sent-to-slack' | 'not-sent', request: LinkRequest) => void;
}) {
  async function messageFor(request: LinkRequest, value: string, isPressed: boolean): Promise<Message> {
    const words = isPressed ? linkHereInstead : linkHereOffer;
    if ('proxy' in request) return words(proxyLine(request.proxy), 'proxy', value);
    const { cobrowse } = await workspaceOf(request.workspaceId);
    const visitor = await cobrowse.visitor(request.visitorId).catch(() => undefined);
    const about = visitor === undefined ? ['visitor ', bold(request.visitorId)] : whoLine(visitor);
    return words(about, 'watch', value);
  }

  /**
   * Sends the one whom a button was drawn for a message with another, whose press brings the link in Slack. Never rejects
   * because of Slack. @param isPressed whether Slack has reported their press
   */
  return async function sendButton(request: LinkRequest, isPressed: boolean): Promise<Reached> {
    const { workspaceId, userId, channelId, threadTs } = request;
    const { notes, ticketUrl, isAsked } = 'proxy' in request ? {} : request;
    const place = { channelId, threadTs, notes, ticketUrl, isAsked };
    const press: LinkPress =
      'proxy' in request
        ? { proxy: request.proxy }
        : { visitorId: request.visitorId, access: request.access };
    const message = await messageFor(request, valueOf({ press, for: userId, place }), isPressed);
    const reached = await showPrivately({ workspaceId, userId, channelId, threadTs }, message);
    report(reached === 'nowhere' ? 'not-sent' : 'sent-to-slack', request);
    return reached;
  };
}

/**
 * One question to Slack and one message per ticket in this time: whoever has the address must not be able to write on and
 * on, nor to use up what Slack answers in a minute.
 */
const ONCE_IN_MS = 60 * 1_000;

/** What came of it, kept for the minute. */
const Sending = z.enum(['sent', 'nowhere', ...PRESS_REFUSALS]);
type Sending = z.infer<typeof Sending>;

function pageOf(sending: Sending, request: LinkRequest): Reply {
  if (sending === 'sent') return sentPage(request);
  return sending === 'nowhere' ? notSentPage : refusedPage(sending);
}

/**
 * `POST /watch/:ticket`: for people whose Slack doesn't report the press. The one whom the ticket names gets a message
 * in Slack, with a button whose press brings the link there; whoever asked for it gets nothing.
 */
export function createSendRoute({
  authorize,
  uses,
  sendButton,
  presses,
  unconfirmedPresses,
  report,
}: {
  readonly authorize: Pick<Authorizer, 'watch'>;
  readonly uses: Pick<TicketUses, 'isBlocked' | 'claimSending' | 'recordSending' | 'sendingOf'>;
  readonly sendButton: SendButton;
  readonly presses: Pick<Presses, 'wasReported'>;
  readonly unconfirmedPresses: Pick<UnconfirmedPresses, 'suspect'>;
  readonly report: (outcome: 'worn', request: LinkRequest) => void;
}): ButtonRoute {
  async function send(request: LinkRequest): Promise<Sending> {
    const decision = await authorize.watch(request);
    if ('refused' in decision) return decision.refused;
    if ((await sendButton(request, false)) === 'nowhere') return 'nowhere';
    // A press that was only slow is not lost.
    if (!(await presses.wasReported(buttonOf(request)))) await unconfirmedPresses.suspect(request);
    return 'sent';
  }

  return {
    method: 'POST',
    path: '/watch/:ticket',
    async handle({ parameter: ticket }, reading) {
      if (reading.state !== 'good') return reading.state === 'expired' ? expiredPage : badTicketPage;
      const { content: request, expiresAt } = reading;
      const used = { workspaceId: request.workspaceId, ticket, expiresAt };
      if (await uses.isBlocked(used)) {
        report('worn', request);
        return blockedPage;
      }
      if (!(await uses.claimSending(used, ONCE_IN_MS))) {
        const known = Sending.safeParse(await uses.sendingOf(used)).data;
        return known === undefined ? sendingPage(request) : pageOf(known, request);
      }
      const sending = await send(request);
      // Where this fails, the message is sent all the same: whoever asks again within the minute reads that it's on its way.
      await uses.recordSending(used, sending).catch(() => undefined);
      return pageOf(sending, request);
    },
  };
}

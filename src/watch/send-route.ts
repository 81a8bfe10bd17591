import { z } from 'zod';
import { pressKeyOf } from '../messages/link-press.ts';
import type { LinkRequest } from '../messages/link-request.ts';
import { PRESS_REFUSALS } from './press-refusals.ts';
import type { PressRefusal } from './press-refusals.ts';
import type { Reply, Route } from '../http/routes.ts';
import type { TicketKind } from '../tickets.ts';
import type { Authorizer } from './authorize.ts';
import type { LostPresses } from './lost-presses.ts';
import {
  badTicketPage,
  expiredPage,
  notSentPage,
  refusedPage,
  sendingPage,
  sentPage,
  wornPage,
} from './pages.ts';
import type { Presses } from './presses.ts';
import type { SendOffer } from './send-offer.ts';
import type { TicketUses } from './ticket-uses.ts';

/**
 * One question to Slack and one message per ticket in this time: whoever has the address must not be able to write on and
 * on, nor to use up what Slack answers in a minute.
 */
const ONCE_IN_MS = 60 * 1_000;

interface SendRouteParts {
  readonly tickets: TicketKind<LinkRequest>;
  readonly authorize: Pick<Authorizer, 'watch'>;
  readonly uses: Pick<TicketUses, 'isWornOut' | 'claimSending' | 'recordSending' | 'sendingOf'>;
  readonly sendOffer: SendOffer;
  readonly presses: Pick<Presses, 'wasReported'>;
  readonly lostPresses: Pick<LostPresses, 'suspect'>;
  readonly report: (outcome: 'worn', order: LinkRequest) => void;
}

/** What came of it, kept for the minute. */
const Sending = z.enum(['sent', 'nowhere', ...PRESS_REFUSALS]);
type Sending = z.infer<typeof Sending>;

function pageOf(sending: Sending, order: LinkRequest): Reply {
  if (sending === 'sent') return sentPage(order);
  return sending === 'nowhere' ? notSentPage : refusedPage(sending);
}

/**
 * `POST /watch/:ticket`: for people whose Slack doesn't report the press. The one whom the ticket names gets a message
 * in Slack, with a button whose press brings the link there; whoever asked for it gets nothing.
 */
export function createSendRoute(parts: SendRouteParts): Route {
  const { tickets, authorize, uses, sendOffer, presses, lostPresses, report } = parts;

  async function send(order: LinkRequest): Promise<Exclude<Sending, PressRefusal>> {
    if ((await sendOffer(order, false)) === 'nowhere') return 'nowhere';
    // A press that was only slow is not lost.
    const wasReported = await presses.wasReported({ workspaceId: order.workspaceId, key: pressKeyOf(order) });
    if (!wasReported) await lostPresses.suspect(order);
    return 'sent';
  }

  return {
    method: 'POST',
    path: '/watch/:ticket',
    async handle({ parameter: ticket }) {
      const reading = tickets.read(ticket);
      if (reading.state !== 'good') return reading.state === 'expired' ? expiredPage : badTicketPage;
      const { content: order, expiresAt } = reading;
      const used = { workspaceId: order.workspaceId, ticket, expiresAt };
      if (await uses.isWornOut(used)) {
        report('worn', order);
        return wornPage;
      }
      if (!(await uses.claimSending(used, ONCE_IN_MS))) {
        const known = Sending.safeParse(await uses.sendingOf(used)).data;
        return known === undefined ? sendingPage(order) : pageOf(known, order);
      }
      const { refused } = await authorize.watch(order);
      const sending = refused ?? (await send(order));
      // Where this fails, the message is sent all the same: whoever asks again within the minute reads that it's on its way.
      await uses.recordSending(used, sending).catch(() => undefined);
      return pageOf(sending, order);
    },
  };
}

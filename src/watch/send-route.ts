import { z } from 'zod';
import { pressKeyOf } from '../links/link-press.ts';
import type { LinkOrder } from '../links/order.ts';
import { PRESS_REFUSALS } from '../links/press-refusal.ts';
import type { PressRefusal } from '../links/press-refusal.ts';
import type { Reply, Route } from '../http/routes.ts';
import type { TicketKind } from '../tickets/tickets.ts';
import type { Authorizer } from './authorize.ts';
import type { LostPresses } from './lost-presses.ts';
import { badTicketPage, expiredPage, notSentPage, refusedPage, sentPage, wornPage } from './pages.ts';
import type { Presses } from './presses.ts';
import type { SendOffer } from './send-offer.ts';
import type { TicketUses } from './ticket-uses.ts';

/**
 * One question to Slack and one message per ticket in this time: whoever has the address must not be able to write on and
 * on, nor to use up what Slack answers in a minute.
 */
const ONCE_IN_MS = 60 * 1_000;

interface SendRouteParts {
  readonly tickets: TicketKind<LinkOrder>;
  readonly authorize: Pick<Authorizer, 'watch'>;
  readonly uses: Pick<TicketUses, 'isWornOut' | 'claimSending' | 'recordSending' | 'sendingOf'>;
  readonly sendOffer: SendOffer;
  readonly presses: Pick<Presses, 'wasReported'>;
  readonly lostPresses: Pick<LostPresses, 'suspect'>;
  readonly report: (outcome: 'worn', order: LinkOrder) => void;
}

/** What came of it, kept for the minute: `asked` while that is not known, and where the message was sent. */
const Asked = z.enum(['asked', 'nowhere', ...PRESS_REFUSALS]);
type Asked = z.infer<typeof Asked>;

function pageOf(asked: Asked, order: LinkOrder): Reply {
  if (asked === 'asked') return sentPage(order);
  return asked === 'nowhere' ? notSentPage : refusedPage(asked);
}

/**
 * `POST /watch/:ticket`: for people whose Slack doesn't report the press. The one whom the ticket names gets a message
 * in Slack, with a button whose press brings the link there; whoever asked for it gets nothing.
 */
export function createSendRoute(parts: SendRouteParts): Route {
  const { tickets, authorize, uses, sendOffer, presses, lostPresses, report } = parts;

  async function send(order: LinkOrder): Promise<Exclude<Asked, PressRefusal>> {
    if ((await sendOffer(order, false)) === 'nowhere') return 'nowhere';
    // A press that was only slow is not lost.
    const wasReported = await presses.wasReported({ workspaceId: order.workspaceId, key: pressKeyOf(order) });
    if (!wasReported) await lostPresses.suspect(order);
    return 'asked';
  }

  return {
    method: 'POST',
    path: '/watch/:ticket',
    async handle({ parameter: ticket }) {
      const reading = tickets.read(ticket);
      if (reading.state !== 'good') return reading.state === 'expired' ? expiredPage : badTicketPage;
      const order = reading.content;
      const used = { workspaceId: order.workspaceId, ticket };
      if (await uses.isWornOut(used)) {
        report('worn', order);
        return wornPage;
      }
      const first: Asked = 'asked';
      if (!(await uses.claimSending(used, ONCE_IN_MS)))
        return pageOf(Asked.safeParse(await uses.sendingOf(used)).data ?? first, order);
      const { refused } = await authorize.watch(order);
      const asked = refused ?? (await send(order));
      if (asked !== first) await uses.recordSending(used, asked);
      return pageOf(asked, order);
    },
  };
}

import { z } from 'zod';
import type { PressGrant } from '../grants/grant.ts';
import { PRESS_REFUSALS } from '../grants/press-refusal.ts';
import type { PressRefusal } from '../grants/press-refusal.ts';
import type { Reply, Route } from '../http/routes.ts';
import type { TicketKind } from '../tickets/tickets.ts';
import type { Judge } from './judge.ts';
import { badTicketPage, expiredPage, notSentPage, refusedPage, sentPage, wornPage } from './pages.ts';
import type { SendOffer } from './send-offer.ts';
import type { TicketUses } from './ticket-uses.ts';

/**
 * One question to Slack and one message per ticket in this time: whoever has the address must not be able to write on and
 * on, nor to use up what Slack answers in a minute.
 */
const ONCE_IN_MS = 60 * 1_000;

interface SendRouteParts {
  readonly tickets: TicketKind<PressGrant>;
  readonly judge: Pick<Judge, 'watch'>;
  readonly uses: Pick<TicketUses, 'isWornOut' | 'claimSending' | 'recordSending' | 'sendingOf'>;
  readonly sendOffer: SendOffer;
  readonly report: (outcome: 'worn', grant: PressGrant) => void;
}

/** What came of it, kept for the minute: `asked` while that is not known, and where the message was sent. */
const Asked = z.enum(['asked', 'nowhere', ...PRESS_REFUSALS]);
type Asked = z.infer<typeof Asked>;

function pageOf(asked: Asked): Reply {
  if (asked === 'asked') return sentPage;
  return asked === 'nowhere' ? notSentPage : refusedPage(asked);
}

/**
 * `POST /watch/:ticket`: for who pressed where Slack does not tell of it. The one whom the ticket names gets a message
 * in Slack, with a button whose press brings the link there; whoever asked for it gets nothing.
 */
export function createSendRoute(parts: SendRouteParts): Route {
  const { tickets, judge, uses, sendOffer, report } = parts;

  async function send(grant: PressGrant): Promise<Exclude<Asked, PressRefusal>> {
    return (await sendOffer(grant, false)) === 'nowhere' ? 'nowhere' : 'asked';
  }

  return {
    method: 'POST',
    path: '/watch/:ticket',
    async handle({ parameter: ticket }) {
      const reading = tickets.read(ticket);
      if (reading.state !== 'good') return reading.state === 'expired' ? expiredPage : badTicketPage;
      const grant = reading.content;
      const used = { workspaceId: grant.workspaceId, ticket };
      if (await uses.isWornOut(used)) {
        report('worn', grant);
        return wornPage;
      }
      const first: Asked = 'asked';
      if (!(await uses.claimSending(used, ONCE_IN_MS)))
        return pageOf(Asked.safeParse(await uses.sendingOf(used)).data ?? first);
      const asked = (await judge.watch(grant)) ?? (await send(grant));
      if (asked !== first) await uses.recordSending(used, asked);
      return pageOf(asked);
    },
  };
}

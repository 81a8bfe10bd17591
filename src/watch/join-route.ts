import type { Route } from '../http/routes.ts';
import type { TicketKind } from '../tickets/tickets.ts';
import type { Give, JoinGrant } from './give.ts';
import type { Judge } from './judge.ts';
import { badTicketPage, joinExpiredPage, refusedPage } from './pages.ts';
import type { Presses } from './presses.ts';

interface JoinRouteParts {
  readonly tickets: TicketKind<JoinGrant>;
  readonly presses: Pick<Presses, 'spend'>;
  readonly judge: Pick<Judge, 'watch'>;
  readonly give: Pick<Give, 'link'>;
}

/** `POST /watch/join/:ticket`: the link for who wants to join. Its ticket is good for one answer, for two minutes. */
export function createJoinRoute({ tickets, presses, judge, give }: JoinRouteParts): Route {
  return {
    method: 'POST',
    path: '/watch/join/:ticket',
    async handle({ parameter: ticket }) {
      const reading = tickets.read(ticket);
      if (reading.state !== 'good') return reading.state === 'expired' ? joinExpiredPage : badTicketPage;
      const { id, grant } = reading.content;
      // Before Slack is asked: who may is asked once for each, however often it is sent.
      if (!(await presses.spend(grant.workspaceId, `join:${id}`))) return joinExpiredPage;
      const refused = await judge.watch(grant);
      return refused === undefined ? give.link(grant, 303) : refusedPage(refused);
    },
  };
}

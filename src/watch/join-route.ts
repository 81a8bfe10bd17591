import type { Route } from '../http/routes.ts';
import type { TicketKind } from '../tickets.ts';
import type { Redirect, JoinAnswer } from './redirect.ts';
import type { Authorizer } from './authorize.ts';
import { badTicketPage, joinExpiredPage, refusedPage } from './pages.ts';
import type { Presses } from './presses.ts';

interface JoinRouteParts {
  readonly tickets: TicketKind<JoinAnswer>;
  readonly presses: Pick<Presses, 'spend'>;
  /** This run of the app, where another one doesn't know what this one was answered. */
  readonly run: string;
  readonly authorize: Pick<Authorizer, 'watch'>;
  readonly give: Pick<Redirect, 'afterAnswer'>;
}

/** `POST /watch/join/:ticket`: the link for who wants to join. Its ticket is good for one answer, for two minutes. */
export function createJoinRoute({ tickets, presses, run, authorize, give }: JoinRouteParts): Route {
  return {
    method: 'POST',
    path: '/watch/join/:ticket',
    async handle({ parameter: ticket }) {
      const reading = tickets.read(ticket);
      if (reading.state !== 'good') return reading.state === 'expired' ? joinExpiredPage : badTicketPage;
      const { content: answer, expiresAt } = reading;
      const { id, order } = answer;
      if (answer.run !== run) return joinExpiredPage;
      // Before Slack is asked: who may is asked once for each, however often it is sent.
      if (!(await presses.spend(order.workspaceId, `join:${id}`, expiresAt))) return joinExpiredPage;
      const { refused, facts } = await authorize.watch(order);
      return refused === undefined ? give.afterAnswer(answer, facts) : refusedPage(refused);
    },
  };
}

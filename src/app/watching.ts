import { randomUUID } from 'node:crypto';
import type { Services } from '../commands/command.ts';
import type { Route } from '../http/routes.ts';
import { reportWatch } from '../reports.ts';
import type { People } from '../slack/people.ts';
import { createMint } from '../watch/mint.ts';
import { createWatchRoute, ticketIsProof } from '../watch/route.ts';
import type { Ground } from './ground.ts';

/** How long a Watch button may be pressed after it was drawn. */
const WATCH_TICKET_MS = 30 * 60 * 1_000;
/** How long after the press the service may still tell of the session's end. */
const SESSION_END_TICKET_MS = 7 * 24 * 60 * 60 * 1_000;

type Watching = Pick<Services, 'watchTargetsFor' | 'linkAtPress'> & { readonly route: Route };

/** From the Watch button to the link: by an address of ours, or at the press where we have no public one. */
export function joinWatching(ground: Ground, people: People): Watching {
  const { config, cobrowse, sessionEndTickets, watchTickets, log, metrics } = ground;
  const { publicUrl } = config;
  const mint = createMint({
    cobrowse,
    agentFor: (workspaceId, userId) => people.agentFor(workspaceId, userId),
    sessionEndUrl: (grant) =>
      publicUrl === undefined
        ? undefined
        : `${publicUrl}/webhooks/session-end/${sessionEndTickets.issue(grant, SESSION_END_TICKET_MS)}`,
    newGrantId: randomUUID,
  });
  const report = reportWatch(log, metrics);
  const route = createWatchRoute({ tickets: watchTickets, mint, proof: ticketIsProof, report });
  const watchTargetsFor: Services['watchTargetsFor'] = (caller) => (visitorId) => {
    if (publicUrl === undefined) return { value: visitorId };
    const ticket = watchTickets.issue({ ...caller, visitorId }, WATCH_TICKET_MS);
    return { value: visitorId, url: `${publicUrl}/watch/${ticket}` };
  };
  const linkAtPress: Services['linkAtPress'] = async (visitorId, caller) => {
    const grant = { ...caller, visitorId };
    const link = await mint(grant);
    report('redirected', grant);
    return link;
  };
  return { route, watchTargetsFor, linkAtPress: publicUrl === undefined ? linkAtPress : undefined };
}

import { z } from 'zod';
import { AGENT_UNKNOWN, CobrowseError } from '../cobrowse/errors.ts';
import { WatchGrant } from '../grants/grant.ts';
import type { PressGrant } from '../grants/grant.ts';
import type { Reply } from '../http/routes.ts';
import { DatabaseError } from '../database/errors.ts';
import type { TicketKind } from '../tickets/tickets.ts';
import type { Mint } from './mint.ts';
import type { OthersLink } from './others.ts';
import { failurePage, joinPage, notRecordedPage } from './pages.ts';

/** How long the question whether to join may be answered. */
const JOIN_TICKET_MS = 2 * 60 * 1_000;

/** What the button of that question says: the press is proven, and pays for one link, whoever joins. */
export const JoinGrant = z.object({ id: z.string(), grant: WatchGrant });
export type JoinGrant = z.infer<typeof JoinGrant>;

/** What became of a proven wish for a link. */
export type GivingOutcome = 'redirected' | 'asked-to-join' | CobrowseError | DatabaseError;

interface GiveParts {
  readonly mint: Mint;
  readonly othersLink: OthersLink;
  readonly joinTickets: TicketKind<JoinGrant>;
  /** How the agent is called. Never rejects. */
  readonly nameOf: (workspaceId: string, userId: string) => Promise<string>;
  /** Where the browser may be led from the question: sources for the policy of its page. */
  readonly linkSources: string;
  readonly now: () => number;
  readonly newId: () => string;
  readonly report: (outcome: GivingOutcome, grant: PressGrant) => void;
}

/** Gives links to browsers: in the Location header and nowhere else. */
export interface Give {
  /** Asks first where somebody else was given a link to the same screen. */
  afterPress(grant: PressGrant): Promise<Reply>;
  /** At once. @param status that of the redirect */
  link(grant: PressGrant, status: 302 | 303): Promise<Reply>;
}

export function createGive(parts: GiveParts): Give {
  const { mint, othersLink, joinTickets, nameOf, linkSources, now, newId, report } = parts;

  async function link(grant: PressGrant, status: 302 | 303): Promise<Reply> {
    try {
      const made = await mint(grant);
      report('redirected', grant);
      return { status, headers: { location: made.locationHeader(), 'cache-control': 'no-store' } };
    } catch (error) {
      if (!(error instanceof CobrowseError) && !(error instanceof DatabaseError)) throw error;
      report(error, grant);
      if (!(error instanceof CobrowseError)) return notRecordedPage;
      if (error.code !== AGENT_UNKNOWN || 'proxy' in grant) return failurePage(error);
      // The press is proven, so the page itself may try again. From the page of the press, or from a try before.
      const ticket = joinTickets.issue({ id: newId(), grant }, JOIN_TICKET_MS);
      return failurePage(error, { action: status === 302 ? `join/${ticket}` : ticket, leadsTo: linkSources });
    }
  }

  return {
    link,
    async afterPress(grant) {
      const other = await othersLink(grant);
      if (other === undefined || 'proxy' in grant) return link(grant, 302);
      const ticket = joinTickets.issue({ id: newId(), grant }, JOIN_TICKET_MS);
      report('asked-to-join', grant);
      return joinPage({
        name: await nameOf(grant.workspaceId, other.userId),
        agoMs: now() - other.at,
        action: `join/${ticket}`,
        leadsTo: linkSources,
      });
    },
  };
}

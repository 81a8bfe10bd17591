import { z } from 'zod';
import type { Recording } from '../audit/recording.ts';
import { CobrowseError } from '../cobrowse/errors.ts';
import type { Visitor } from '../cobrowse/schemas.ts';
import type { Visitors } from '../cobrowse/visitor-list.ts';
import type { Caller } from '../commands/rights.ts';
import { defineCommand, definePress, offeringRetry, type Press } from '../commands/command.ts';
import { apartFromLinks, forTicket } from '../commands/ticket-links.ts';
import { isForbidden, requiredSearch } from '../commands/typed.ts';
import { ACTION, OPEN_RECORD } from '../messages/action-ids.ts';
import type { Message } from '../messages/message.ts';
import { watchLinkNotSearched } from '../messages/failure-words.ts';
import { withTicket, type SessionPartners, type VisitorTools } from '../messages/visitor-pieces.ts';
import { onlineFirst, searchVisitors } from './visitor-search.ts';
import { visitorCard } from './visitor-card.ts';
import { MOST_VISITORS, noVisitors, visitorList, VISITORS_ON_A_PAGE } from './visitor-list.ts';

/** What it takes to show visitors to somebody. */
export interface Showing {
  /** What the caller can do with visitors, with Watch targets sealed for them. */
  readonly visitorTools: (caller: Caller) => Promise<VisitorTools>;
  /** Who is in a session with these visitors, as far as this app made the link. Never rejects. */
  readonly partnersOf: (caller: Caller, visitors: readonly Visitor[]) => Promise<SessionPartners>;
  readonly recording: Pick<Recording, 'search' | 'lookUp'>;
}

/** One visitor: everything known, and what the caller can do. */
export async function showVisitor(visitorId: string, caller: Caller, parts: Showing): Promise<Message> {
  const tools = await parts.visitorTools(caller);
  const lookUp = () => caller.workspace.cobrowse.visitor(visitorId, { withHistory: true });
  const visitor = await parts.recording.lookUp(caller, visitorId, lookUp);
  return visitorCard(visitor, { ...tools, partners: await parts.partnersOf(caller, [visitor]) });
}

/** Adds the pageviews, which lists don't have, to a visitor from a list; without them if they can't be loaded. */
export async function withHistory(visitor: Visitor, { workspace }: Caller): Promise<Visitor> {
  const { cobrowse } = workspace;
  if (!cobrowse.offers.pageviews || visitor.history.length > 0) return visitor;
  try {
    return await cobrowse.visitor(visitor.short_id, { withHistory: true });
  } catch (error) {
    if (error instanceof CobrowseError) return visitor;
    throw error;
  }
}

/** A page of a list, in its button's value. */
export const Page = z.object({
  query: z.string(),
  offset: z.int().min(0).max(MOST_VISITORS),
  /** What the sessions are about. */
  ticketUrl: z.string().optional(),
});
export type Page = z.infer<typeof Page>;

/** The tools of a caller, with who is in a session with the visitors that are shown. */
export type WithPartners = (shown: readonly Visitor[]) => Promise<VisitorTools>;

/** A page of a list; the last page if the list became shorter since its button was drawn. */
export async function listPage(
  { query, offset, ticketUrl }: Page,
  found: Visitors,
  withPartners: WithPartners,
  forDetails = false,
): Promise<Message> {
  const total = Math.min(found.length, MOST_VISITORS);
  const lastStart = Math.floor((total - 1) / VISITORS_ON_A_PAGE) * VISITORS_ON_A_PAGE;
  const start = Math.min(offset, lastStart);
  const end = Math.min(start + VISITORS_ON_A_PAGE, total);
  const visitors = onlineFirst(found).slice(start, end);
  const at = (from: number) => JSON.stringify({ query, offset: from, ticketUrl } satisfies Page);
  const list = {
    query,
    offset: start,
    visitors,
    total,
    isCut: found.length > total,
    cutAtMiB: found.cutAtMiB,
    previous: start === 0 ? undefined : at(Math.max(0, start - VISITORS_ON_A_PAGE)),
    next: start === lastStart ? undefined : at(start + VISITORS_ON_A_PAGE),
    forDetails,
  };
  return visitorList(list, await withPartners(visitors));
}

/**
 * Finds a visitor by id, name, email or lookup code, and shows them; if several fit, a list to choose from.
 *
 * @param about how it's retried, whether the list is for choosing whose details to show, and how one visitor is shown
 */
export async function showNamed(
  text: string,
  caller: Caller,
  { visitorTools, partnersOf, recording }: Showing,
  about: {
    readonly retryId: string;
    readonly forDetails: boolean;
    readonly show: (visitor: Visitor, tools: VisitorTools) => Message | Promise<Message>;
  },
): Promise<Message> {
  const { retryId, forDetails, show } = about;
  const tools = await visitorTools(caller);
  if (isForbidden(text, caller)) return watchLinkNotSearched;
  const { ticketUrl } = caller;
  return offeringRetry({ actionId: retryId, value: withTicket(text, ticketUrl) }, async () => {
    const found = await recording.search(caller, text, () =>
      searchVisitors(text, caller.workspace.cobrowse, { idFirst: true, withHistory: forDetails }),
    );
    const withPartners: WithPartners = async (shown) => ({
      ...tools,
      partners: await partnersOf(caller, shown),
    });
    const [only] = found;
    const { cutAtMiB } = found;
    if (only === undefined) return noVisitors(text, { cutAtMiB });
    if (found.length === 1 && cutAtMiB === undefined) return show(only, await withPartners([only]));
    return listPage({ query: text, offset: 0, ticketUrl }, found, withPartners, forDetails);
  });
}

/** The press of its Retry button. */
export const searchedAgain =
  (showOne: (text: string, caller: Caller) => Promise<Message>) =>
  (text: string, caller: Caller): Promise<Message> => {
    const { words, links } = apartFromLinks(text);
    return forTicket(links, caller, (who) => showOne(words, who));
  };

/** The press of a button about one visitor, with the ticket that `withTicket` put there: it was checked when it was taken. */
export const withItsTicket =
  (showOne: (visitorId: string, caller: Caller) => Promise<Message>) =>
  (value: string, caller: Caller): Promise<Message> => {
    const [, visitorId = value, ticketUrl] = /^(.+) (https:\S+)$/.exec(value) ?? [];
    return showOne(visitorId, ticketUrl === undefined ? caller : { ...caller, ticketUrl });
  };

/** @param waiting the presses of a card's buttons for customers who wait, or are offline */
export function createVisitorCommand(parts: Showing, waiting: readonly Press[]) {
  const byName = (text: string, caller: Caller) =>
    showNamed(text, caller, parts, {
      retryId: ACTION.visitorRetry,
      forDetails: true,
      show: async (visitor, tools) => visitorCard(await withHistory(visitor, caller), tools),
    });
  const press = { right: 'look', value: z.string().min(1) } as const;
  return defineCommand({
    name: 'visitor',
    usage: 'visitor <name, email or id>',
    summary: 'Show a customer’s details',
    right: 'look',
    level: 'everyday',
    examples: ['visitor jane'],
    searches: true,
    takesTicket: true,
    argument: requiredSearch('Which customer?'),
    run: byName,
    presses: [
      definePress({
        ...press,
        actionId: ACTION.visitor,
        answer: 'add',
        run: withItsTicket((visitorId, caller) => showVisitor(visitorId, caller, parts)),
      }),
      definePress({ ...press, actionId: ACTION.visitorRetry, answer: 'replace', run: searchedAgain(byName) }),
      ...OPEN_RECORD.map((actionId) =>
        definePress({
          actionId,
          answer: 'replace',
          right: 'everybody',
          value: z.string(),
          needsAnswer: false,
        }),
      ),
      ...waiting,
    ],
  });
}

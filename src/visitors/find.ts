import { z } from 'zod';
import type { Visitor } from '../cobrowse/schemas.ts';
import type { Visitors } from '../cobrowse/visitors-answer.ts';
import type { Caller } from '../commands/caller.ts';
import { emailClues, visitorClues } from '../commands/clues.ts';
import { defineCommand, offeringRetry } from '../commands/command.ts';
import { searchSyntax } from '../commands/help-message.ts';
import { definePress, jsonText } from '../commands/press.ts';
import { isForbidden, mentionedUser, searchText } from '../commands/typed.ts';
import { ACTION } from '../messages/action-ids.ts';
import { noEmail, watchLinkNotSearched } from '../messages/refusals.ts';
import type { Message } from '../messages/message.ts';
import type { VisitorTools } from '../messages/visitor-buttons.ts';
import { isNamedBy, onlineFirst, searchVisitors } from './visitor-search.ts';
import { visitorCard } from './visitor-card.ts';
import {
  MOST_VISITORS,
  VISITORS_ON_A_PAGE,
  helpThemShowUp,
  noVisitors,
  visitorList,
} from './visitor-list.ts';
import { showVisitor, withHistory, type Showing } from './visitor.ts';

/** One page of search results. */
const Page = z.object({
  query: z.string(),
  offset: z.int().min(0).max(MOST_VISITORS),
  /** What the sessions are about. */
  ticketUrl: z.string().optional(),
});
type Page = z.infer<typeof Page>;

type FindParts = Showing & {
  /** The email in a Slack profile; undefined if it shows none. */
  readonly emailOf: (workspaceId: string, userId: string) => Promise<string | undefined>;
};

/**
 * Searches and shows a page of results, or the card of the only exact match who is online.
 *
 * @param meant a command to suggest if nobody is found
 */
async function find(asked: Page, asker: Caller, parts: FindParts, meant?: string): Promise<Message> {
  const { ticketUrl = asker.ticketUrl } = asked;
  const page = { ...asked, ticketUrl };
  const caller = ticketUrl === undefined ? asker : { ...asker, ticketUrl };
  const tools = await parts.visitorTools(caller);
  if (isForbidden(page.query, caller)) return watchLinkNotSearched;
  return offeringRetry({ actionId: ACTION.findRetry, value: JSON.stringify(page) }, async () => {
    const mentioned = mentionedUser(page.query);
    const email = mentioned === undefined ? undefined : await parts.emailOf(caller.workspaceId, mentioned);
    if (mentioned !== undefined && email === undefined)
      return noEmail(mentioned, 'find', mentioned === caller.userId);
    const query = email ?? page.query;
    const visitors = await parts.recording.search(caller, query, () =>
      searchVisitors(query, caller.workspace.cobrowse, { withHistory: true }),
    );
    const withPartners = async (shown: readonly Visitor[]) => ({
      ...tools,
      partners: await parts.partnersOf(caller, shown),
    });
    const [only] = visitors;
    const { cutAtMiB } = visitors;
    if (only === undefined) return noVisitors(query, { meant, cutAtMiB });
    const isSure = visitors.length === 1 && cutAtMiB === undefined;
    if (!isSure || only.is_online !== true || !isNamedBy(only, query))
      return listPage({ ...page, query }, visitors, withPartners);
    const whole = await withHistory(only, caller);
    return visitorCard(whole, await withPartners([whole]));
  });
}

/** A page of a list; the last page if the list became shorter since its button was drawn. */
async function listPage(
  { query, offset, ticketUrl }: Page,
  found: Visitors,
  withPartners: (shown: readonly Visitor[]) => Promise<VisitorTools>,
): Promise<Message> {
  const all = onlineFirst(found);
  const total = Math.min(all.length, MOST_VISITORS);
  const lastStart = Math.floor((total - 1) / VISITORS_ON_A_PAGE) * VISITORS_ON_A_PAGE;
  const start = Math.min(offset, lastStart);
  const visitors = all.slice(start, Math.min(start + VISITORS_ON_A_PAGE, total));
  const at = (from: number) => JSON.stringify({ query, offset: from, ticketUrl } satisfies Page);
  return visitorList(
    {
      query,
      offset: start,
      visitors,
      total,
      isCut: all.length > total,
      cutAtMiB: found.cutAtMiB,
      previous: start === 0 ? undefined : at(Math.max(0, start - VISITORS_ON_A_PAGE)),
      next: start === lastStart ? undefined : at(start + VISITORS_ON_A_PAGE),
    },
    await withPartners(visitors),
  );
}

export function createFindCommand(parts: FindParts) {
  const pagePress = (actionId: string) =>
    definePress({
      actionId,
      answer: 'replace',
      right: 'look',
      value: jsonText.pipe(Page),
      run: (page, caller) => find(page, caller, parts),
    });
  return defineCommand({
    name: 'find',
    usage: 'find [name, email or search]',
    summary: 'Find customers and see who’s online; without a search, lists recent customers',
    right: 'look',
    level: 'everyday',
    examples: ['jane', 'jane@acme.com', '4821', 'find online'],
    more: searchSyntax,
    searches: true,
    takesTicket: true,
    argument: searchText,
    run: (query, caller, meant) => find({ query, offset: 0 }, caller, parts, meant),
    presses: [
      pagePress(ACTION.findMore),
      pagePress(ACTION.findPrevious),
      pagePress(ACTION.findRetry),
      definePress({
        actionId: ACTION.helpShowUp,
        answer: 'add',
        right: 'look',
        value: z.string(),
        run: async (_nothing, { workspace }) => helpThemShowUp(workspace.cobrowse.offers.createProxyLink),
      }),
    ],
    shortcut: {
      callbackId: 'find_visitor',
      title: 'Find visitor',
      label: 'Search for',
      asksFor: 'a name, an email or a lookup code',
      offersNotes: true,
      // One email means one customer, whatever else the message contains.
      clues: (message) => ({ ...visitorClues(message), clear: emailClues(message).clear }),
      ofVisitor: { right: 'look', run: (visitorId, caller) => showVisitor(visitorId, caller, parts) },
    },
  });
}

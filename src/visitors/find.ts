import { z } from 'zod';
import type { Caller } from '../commands/rights.ts';
import { emailClues, visitorClues } from '../commands/clues.ts';
import { defineCommand, definePress, jsonText, offeringRetry } from '../commands/command.ts';
import { searchSyntax } from '../commands/help.ts';
import { isForbidden, mentionedUser, searchText } from '../commands/typed.ts';
import { ACTION } from '../messages/action-ids.ts';
import { noEmail, watchLinkNotSearched } from '../messages/failure-words.ts';
import type { Message } from '../messages/message.ts';
import type { App } from '../parts.ts';
import { isNamedBy, searchVisitors } from './visitor-search.ts';
import { visitorCard } from './visitor-card.ts';
import { helpThemShowUp, noVisitors } from './visitor-list.ts';
import { listPage, Page, showVisitor, withHistory, type Showing, type WithPartners } from './visitor.ts';

type FindParts = Showing & Pick<App, 'emailOf'>;

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
    const withPartners: WithPartners = async (shown) => ({
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

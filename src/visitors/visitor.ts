import { watchLinkNotSearched } from '../messages/refusals.ts';
import { isForbidden } from '../commands/search-text.ts';
import { requiredSearch } from '../commands/search-text.ts';
import { z } from 'zod';
import { CobrowseError } from '../cobrowse/errors.ts';
import type { Visitor } from '../cobrowse/schemas.ts';
import { ACTION } from '../messages/action-ids.ts';
import type { Message } from '../messages/message.ts';
import { visitorCard } from './visitor-card.ts';
import type { VisitorTools } from '../messages/visitor-buttons.ts';
import { onlineFirst } from '../messages/visitor-order.ts';
import { MOST_VISITORS, VISITORS_ON_A_PAGE, noVisitors, visitorList } from './visitor-list.ts';
import { ifMayLook } from '../commands/allowed.ts';
import { defineCommand } from '../commands/command.ts';
import { definePress } from '../commands/press.ts';
import { offeringRetry } from '../commands/retry.ts';
import type { Caller } from '../commands/caller.ts';
import type { Uses } from '../services.ts';
import { waitingPresses } from './waiting.ts';
import { searchVisitors } from './visitor-search.ts';

type VisitorServices = Uses<'cobrowse' | 'visitorTools' | 'partnersOf' | 'mayAct' | 'record' | 'recording'>;

/** One visitor: everything known, and what the caller can do. */
export function showVisitor(visitorId: string, caller: Caller, services: VisitorServices): Promise<Message> {
  const { cobrowse, recording } = services;
  return ifMayLook({ caller, services }, async (tools) => {
    const lookUp = () => cobrowse.visitor(visitorId, { withHistory: true });
    const visitor = await recording.lookUp(caller, visitorId, lookUp);
    return visitorCard(visitor, { ...tools, partners: await services.partnersOf(caller, [visitor]) });
  });
}

/** Adds the pageviews, which lists don't have, to a visitor from a list; without them if they can't be loaded. */
export async function withHistory(visitor: Visitor, { cobrowse }: Uses<'cobrowse'>): Promise<Visitor> {
  if (!cobrowse.offers.pageviews || visitor.history.length > 0) return visitor;
  try {
    return await cobrowse.visitor(visitor.short_id, { withHistory: true });
  } catch (error) {
    if (error instanceof CobrowseError) return visitor;
    throw error;
  }
}

/** What a command about one visitor does: its purpose, what it shows, and how to retry it. */
interface AboutOne {
  readonly retryId: string;
  readonly forDetails: boolean;
  readonly show: (visitor: Visitor, tools: VisitorTools) => Message | Promise<Message>;
}

/**
 * Finds a visitor by id, name, email or lookup code, and shows them; if several fit, a list to choose from.
 */
export function showNamed(
  text: string,
  { caller, services }: { readonly caller: Caller; readonly services: VisitorServices & Uses<'linkHosts'> },
  { retryId, forDetails, show }: AboutOne,
): Promise<Message> {
  return ifMayLook({ caller, services }, async (tools) => {
    if (isForbidden(text, services)) return watchLinkNotSearched;
    return offeringRetry({ actionId: retryId, value: text }, async () => {
      const found = await services.recording.search(caller, text, () =>
        searchVisitors(text, services.cobrowse, { idFirst: true, withHistory: forDetails }),
      );
      const visitors = onlineFirst(found).slice(0, VISITORS_ON_A_PAGE);
      const [only] = visitors;
      if (only === undefined) return noVisitors(text);
      const withPartners = { ...tools, partners: await services.partnersOf(caller, visitors) };
      if (visitors.length === 1) return show(only, withPartners);
      const total = Math.min(found.length, MOST_VISITORS);
      const next =
        total > VISITORS_ON_A_PAGE ? JSON.stringify({ query: text, offset: VISITORS_ON_A_PAGE }) : undefined;
      const list = { query: text, offset: 0, visitors, total, isCut: found.length > total, next, forDetails };
      return visitorList(list, withPartners);
    });
  });
}

const byName = (text: string, caller: Caller, services: VisitorServices & Uses<'linkHosts'>) =>
  showNamed(
    text,
    { caller, services },
    {
      retryId: ACTION.visitorRetry,
      forDetails: true,
      show: async (visitor, tools) => visitorCard(await withHistory(visitor, services), tools),
    },
  );

export const visitorCommand = defineCommand({
  name: 'visitor',
  usage: 'visitor <name, email or id>',
  summary: 'Show a customer’s details',
  level: 'everyday',
  examples: ['visitor jane'],
  searches: true,
  argument: requiredSearch('Which customer?'),
  run: byName,
  presses: [
    definePress({ actionId: ACTION.visitor, answer: 'add', value: z.string().min(1), run: showVisitor }),
    definePress({ actionId: ACTION.visitorRetry, answer: 'replace', value: z.string().min(1), run: byName }),
    ...waitingPresses,
  ],
});

import { z } from 'zod';
import { CobrowseError } from '../cobrowse/errors.ts';
import type { Visitor } from '../cobrowse/schemas.ts';
import { ACTION } from '../views/action-ids.ts';
import type { Message } from '../views/message.ts';
import { visitorCard } from '../views/visitor-card.ts';
import type { VisitorTools } from '../views/visitor-buttons.ts';
import { onlineFirst } from '../views/visitor-order.ts';
import {
  MOST_VISITORS,
  VISITORS_ON_A_PAGE,
  noVisitors,
  visitorList,
  watchLinkNotSearched,
} from '../views/visitor-list.ts';
import { ifMayLook } from './allowed.ts';
import { defineCommand } from './command.ts';
import { definePress } from './press.ts';
import { offeringRetry } from './retry.ts';
import type { Caller } from './caller.ts';
import type { Uses } from './services.ts';
import { waitingPresses } from './waiting.ts';
import { isForbidden, requiredSearch, searchVisitors } from './visitor-search.ts';

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

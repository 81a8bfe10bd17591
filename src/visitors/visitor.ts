import { z } from 'zod';
import type { Recording } from '../audit/recording.ts';
import { ifFound } from '../cobrowse/errors.ts';
import type { Visitor } from '../cobrowse/schemas.ts';
import type { Visitors } from '../cobrowse/visitor-list.ts';
import { emailClues, visitorClues } from '../commands/clues.ts';
import {
  addressPress,
  defineCommand,
  definePress,
  jsonText,
  offeringRetry,
  type Press,
} from '../commands/command.ts';
import { searchSyntax } from '../commands/help.ts';
import { Answered, type Caller } from '../commands/rights.ts';
import { isForbidden, mentionedUser, requiredSearch, searchText } from '../commands/typed.ts';
import { noEmail, watchLinkNotSearched } from '../messages/failure-words.ts';
import { notice, type Message } from '../messages/message.ts';
import { code, short } from '../messages/text.ts';
import { OPEN_RECORD, type SessionPartners, type VisitorTools } from '../messages/visitor-pieces.ts';
import type { App } from '../parts.ts';
import { canLook } from '../permissions/permissions.ts';
import { visitorCard } from './visitor-card.ts';
import { helpThemShowUp, listOn, noVisitors, Page, visitorList } from './visitor-list.ts';
import { byIdAlone, isNamedBy, searchVisitors, type Looking } from './visitor-search.ts';

export interface Showing {
  /** Watch targets are sealed for the caller. */
  readonly visitorTools: (caller: Caller) => Promise<VisitorTools>;
  /** As far as this app made the link. Never rejects. */
  readonly partnersOf: (caller: Caller, visitors: readonly Visitor[]) => Promise<SessionPartners>;
  readonly recording: Pick<Recording, 'search' | 'lookUp'>;
}

/** A customer by id; that they were looked up is on record. */
export const lookedUp = (
  { recording }: Pick<Showing, 'recording'>,
  caller: Caller,
  visitorId: string,
  options?: { readonly withHistory: true },
) => recording.lookUp(caller, visitorId, () => caller.workspace.cobrowse.visitor(visitorId, options));

async function showVisitor(visitorId: string, caller: Caller, parts: Showing): Promise<Message> {
  const tools = await parts.visitorTools(caller);
  const visitor = await lookedUp(parts, caller, visitorId, { withHistory: true });
  return visitorCard(visitor, { ...tools, partners: await parts.partnersOf(caller, [visitor]) });
}

/** With the pageviews, which lists don't have, if they can be loaded. */
async function cardOf(visitor: Visitor, { workspace: { cobrowse } }: Caller, tools: VisitorTools) {
  if (!cobrowse.offers.pageviews || visitor.history.length > 0) return visitorCard(visitor, tools);
  const whole = await cobrowse.visitor(visitor.short_id, { withHistory: true }).catch(() => visitor);
  return visitorCard(whole, tools);
}

interface Shown extends Looking {
  readonly forDetails?: boolean;
  readonly offset?: number;
  /** A command to suggest if nobody is found. */
  readonly meant?: string;
  /** Whether the only one found is shown alone, not as a list; always if not given. */
  readonly isEnough?: (only: Visitor) => boolean;
  readonly show: (only: Visitor, tools: VisitorTools) => Promise<Message> | Message;
}

/** By id, name, email or lookup code; a list to choose from if several fit. */
export async function showFound(
  query: string,
  caller: Caller,
  { visitorTools, partnersOf, recording }: Showing,
  { forDetails = false, offset = 0, meant, isEnough, show, ...looking }: Shown,
): Promise<Message> {
  if (isForbidden(query, caller)) return watchLinkNotSearched;
  const tools = await visitorTools(caller);
  const search = () => searchVisitors(query, caller.workspace.cobrowse, looking);
  const found = await recording.search(caller, query, search);
  const { cutAtMiB } = found;
  const [only] = found;
  if (only === undefined) return noVisitors(query, { meant, cutAtMiB });
  const toolsFor = async (shown: readonly Visitor[]) => ({
    ...tools,
    partners: await partnersOf(caller, shown),
  });
  if (found.length === 1 && cutAtMiB === undefined && isEnough?.(only) !== false)
    return show(only, await toolsFor([only]));
  const list = listOn({ query, offset, ticketUrl: caller.ticketUrl }, found, forDetails);
  return visitorList(list, await toolsFor(list.visitors));
}

/** For ending or removing something. People who can't see customers have to type the id, and read no name. @throws Answered */
export async function visitorsMeant(
  text: string,
  caller: Caller,
  { mayAct, recording }: Pick<App, 'mayAct' | 'recording'>,
): Promise<{ readonly found: Visitors; readonly isByIdAlone: boolean }> {
  if (isForbidden(text, caller)) throw new Answered(watchLinkNotSearched);
  const { cobrowse } = caller.workspace;
  const isByIdAlone = !canLook(await mayAct('watch', caller));
  const found = await recording.search(caller, text, async (): Promise<Visitors> => {
    if (!isByIdAlone) return searchVisitors(text, cobrowse, { idFirst: true });
    const known = await cobrowse.visitor(text).catch(ifFound);
    return known === undefined ? [] : [byIdAlone(known)];
  });
  if (found.length > 0) return { found, isByIdAlone };
  if (!isByIdAlone) throw new Answered(noVisitors(text, { canShowUp: false, cutAtMiB: found.cutAtMiB }));
  // Sends nobody to a search.
  throw new Answered(
    notice(
      ['No visitor has the ID ', code(short(text, 60)), '.'],
      ['Type the full ID. To search, you need permission to see customers.'],
    ),
  );
}

/** The ticket that `withTicket` put in the button's value was checked when it was taken. */
export const withItsTicket =
  (showOne: (visitorId: string, caller: Caller) => Promise<Message>) =>
  (value: string, caller: Caller): Promise<Message> => {
    const [, visitorId = value, ticketUrl] = /^(.+) (https:\S+)$/.exec(value) ?? [];
    return showOne(visitorId, ticketUrl === undefined ? caller : { ...caller, ticketUrl });
  };

/** @param waiting the presses of a card's buttons for customers who wait, or are offline */
export const createVisitorCommand = (parts: Showing, waiting: readonly Press[]) =>
  defineCommand({
    name: 'visitor',
    usage: 'visitor <name, email or id>',
    summary: 'Show a customer’s details',
    tool: {
      name: 'show_customer',
      description:
        'Shows one customer: whether they are online, what page they are on, their recent sessions.',
      argument: { name: 'id', description: 'The customer’s ID, email or name' },
      buttons: [{ actionId: 'visitor', argumentIn: (value) => value.replace(/ https:\S+$/, '') }],
    },
    right: 'look',
    level: 'everyday',
    examples: ['visitor jane'],
    searches: true,
    takesTicket: true,
    argument: requiredSearch('Which customer?'),
    run: (text, caller) =>
      showFound(text, caller, parts, {
        idFirst: true,
        withHistory: true,
        forDetails: true,
        show: (visitor, tools) => cardOf(visitor, caller, tools),
      }),
    presses: [
      definePress({
        actionId: 'visitor',
        answer: 'add',
        right: 'look',
        value: z.string().min(1),
        run: withItsTicket((visitorId, caller) => showVisitor(visitorId, caller, parts)),
      }),
      ...OPEN_RECORD.map(addressPress),
      ...waiting,
    ],
  });

export function createFindCommand(parts: Showing, emailOf: App['emailOf']) {
  /** A page of results, or the card of the only exact match who is online. */
  async function find(typed: string, caller: Caller, page: { offset?: number; meant?: string }) {
    const mentioned = mentionedUser(typed);
    const email = mentioned && (await emailOf(caller.workspaceId, mentioned));
    if (mentioned !== undefined && email === undefined)
      return noEmail(mentioned, 'find', mentioned === caller.userId);
    const query = email ?? typed;
    return showFound(query, caller, parts, {
      ...page,
      withHistory: true,
      isEnough: (only) => only.is_online === true && isNamedBy(only, query),
      show: (only, tools) => cardOf(only, caller, tools),
    });
  }

  const pagePress = (actionId: string) =>
    definePress({
      actionId,
      answer: 'replace',
      right: 'look',
      value: jsonText.pipe(Page),
      run: ({ ticketUrl, ...page }, caller) =>
        offeringRetry(actionId, JSON.stringify({ ...page, ticketUrl } satisfies Page), () =>
          find(page.query, ticketUrl === undefined ? caller : { ...caller, ticketUrl }, page),
        ),
    });
  return defineCommand({
    name: 'find',
    usage: 'find [name, email or search]',
    summary: 'Find customers and see who’s online; without a search, lists recent customers',
    tool: {
      name: 'find_customers',
      description: 'Finds customers, and says who of them is online or waits for help.',
      argument: {
        name: 'query',
        description: 'A name, email, lookup code or ID, or the word online; empty for recent customers',
      },
    },
    right: 'look',
    level: 'everyday',
    examples: ['jane', 'jane@acme.com', '4821', 'find online'],
    more: searchSyntax,
    searches: true,
    takesTicket: true,
    argument: searchText,
    run: (query, caller, meant) => find(query, caller, { meant }),
    presses: [
      pagePress('find_more'),
      pagePress('find_previous'),
      definePress({
        actionId: 'help_show_up',
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

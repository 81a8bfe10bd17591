import { z } from 'zod';
import { ACTION } from '../views/action-ids.ts';
import { noEmail } from '../views/agent-card.ts';
import { searchSyntax } from '../views/help.ts';
import type { Message } from '../views/message.ts';
import { noFurtherVisitors, noVisitors, visitorList, VISITORS_ON_A_PAGE } from '../views/visitor-list.ts';
import type { VisitorTools } from '../views/visitor-buttons.ts';
import { ifMayLook } from './allowed.ts';
import { emailsIn, onlyClue, visitorClues } from './clues.ts';
import { defineCommand } from './command.ts';
import { definePress, jsonText } from './press.ts';
import type { Caller } from './caller.ts';
import type { Uses } from './services.ts';
import { freeText, mentionedUser } from './slack-input.ts';
import { showVisitor } from './visitor.ts';

/** The service knows no paging: each page asks for all before it again, so there is an end to it. */
const MOST_VISITORS = 100;

const More = z.object({ query: z.string(), offset: z.int().min(0).max(MOST_VISITORS) });

type FindServices = Uses<'cobrowse' | 'visitorTools' | 'emailOf' | 'mayAct' | 'record' | 'recording'>;

const find = (asked: z.infer<typeof More>, caller: Caller, services: FindServices): Promise<Message> =>
  ifMayLook({ caller, services }, (tools) => found(asked, tools, { caller, services }));

async function found(
  { query, offset }: z.infer<typeof More>,
  tools: VisitorTools,
  { caller, services }: { readonly caller: Caller; readonly services: FindServices },
): Promise<Message> {
  const { cobrowse, emailOf, recording } = services;
  const mentioned = mentionedUser(query);
  const email = mentioned === undefined ? undefined : await emailOf(caller.workspaceId, mentioned);
  if (mentioned !== undefined && email === undefined) return noEmail(mentioned, 'find');
  const search = email ?? query;
  const end = offset + VISITORS_ON_A_PAGE;
  const matching = await recording.search(caller, search, () =>
    cobrowse.listVisitors({ ...(search === '' ? {} : { search }), limit: end + 1 }),
  );
  const visitors = matching.slice(offset, end);
  if (visitors.length === 0) return offset === 0 ? noVisitors(search) : noFurtherVisitors();
  const hasMore = matching.length > end;
  const canGoOn = end < MOST_VISITORS;
  const next: z.infer<typeof More> = { query: search, offset: end };
  const list = {
    query: search,
    offset,
    visitors,
    more: hasMore && canGoOn ? JSON.stringify(next) : undefined,
    cut: hasMore && !canGoOn,
  };
  return visitorList(list, tools);
}

export const findCommand = defineCommand({
  name: 'find',
  usage: 'find [name, email or search]',
  summary: 'Find customers and see who’s online; without a search, lists recent visitors.',
  examples: ['find jane', 'find jane@acme.com', 'find online'],
  more: searchSyntax,
  argument: freeText,
  run: (query, caller, services) => find({ query, offset: 0 }, caller, services),
  presses: [
    definePress({ actionId: ACTION.findMore, answer: 'replace', value: jsonText.pipe(More), run: find }),
  ],
  shortcut: {
    callbackId: 'find_visitor',
    title: 'Find visitor',
    label: 'Search for',
    asksFor: 'a name, an email or a lookup code',
    offersNotes: true,
    clues: visitorClues,
    // One email is one customer, whatever else the message holds.
    clear: (message) => onlyClue(emailsIn(message)),
    ofVisitor: showVisitor,
  },
});

import type { ActionsBlockElement, Button } from '@slack/types';
import type { Visitor } from '../cobrowse/schemas.ts';
import { ACTION } from './action-ids.ts';
import { button } from './buttons.ts';
import { buttons, lines, message, refusal, row } from './message.ts';
import type { Message, Part, RowLine } from './message.ts';
import { noWatchWords } from './refusals.ts';
import { bold, code } from './rich-text.ts';
import type { Line } from './rich-text.ts';
import { LIMITS, ago, count, short } from './text.ts';
import { detailsButton, onItElements, watchButton } from './visitor-buttons.ts';
import type { VisitorTools } from './visitor-buttons.ts';
import { visitorChoice } from './visitor-choice.ts';
import { deviceOf, lastSeen, pageOf, placeOf, visitorName, visitorState } from './visitor-pieces.ts';

/** Visitors on one page of a list: with two blocks each far below Slack's 50. */
export const VISITORS_ON_A_PAGE = 10;
/** The service has no paging: each page asks for all visitors up to this number plus one, to sort them. */
export const MOST_VISITORS = 100;

/** Longer ones are complete on the card. */
const LONGEST_NAME = 80;

export interface VisitorList {
  /** What was searched for; empty for the latest visitors. */
  readonly query: string;
  /** Visitors before this page. */
  readonly offset: number;
  /** The visitors of this page. */
  readonly visitors: readonly Visitor[];
  /** Visitors on all pages. */
  readonly total: number;
  /** There are more than the pages show. */
  readonly isCut: boolean;
  /** The values of the Previous and Next buttons; left out if there is no such page. */
  readonly previous?: string | undefined;
  readonly next?: string | undefined;
  /** Whether the list is for choosing whose details to show, not whom to watch. */
  readonly forDetails?: boolean;
}

/** For a list: how long ago it was instead of a date. */
function stateLine(visitor: Visitor, { at, partners }: VisitorTools): RowLine {
  const { words, mark } = visitorState(visitor, partners?.get(visitor.short_id));
  const seen = lastSeen(visitor);
  const when = seen === undefined ? undefined : `last seen ${ago(at.getTime() - seen.getTime())}`;
  const state = when === undefined ? words : `${words}, ${when}`;
  const text = [state, pageOf(visitor)].filter((part) => part !== undefined).join(' · ');
  return mark === undefined ? { text } : { text, mark };
}

function rowLines(visitor: Visitor, tools: VisitorTools): readonly RowLine[] {
  const name = short(visitorName(visitor), LONGEST_NAME);
  const email = short(visitor.email ?? '', LONGEST_NAME);
  const about = [placeOf(visitor), deviceOf(visitor)].filter((part) => part !== undefined).join(' · ');
  return [
    { text: email === '' || email === name ? name : `${name} · ${email}` },
    stateLine(visitor, tools),
    ...(about === '' ? [] : [{ text: about }]),
  ];
}

const fitsAnOption = ({ short_id: id }: Visitor) => id.length <= LIMITS.optionValue;

/** Watch for visitors who are online, else Details: Slack has room for one. An id too long for the menu always gets Details. */
function accessory(visitor: Visitor, tools: VisitorTools, forDetails: boolean): Button {
  const isWatched = visitor.is_online !== false && tools.mayNotWatch === undefined && !forDetails;
  return isWatched && fitsAnOption(visitor)
    ? watchButton(visitor, tools.targetsOf(visitor.short_id).usual)
    : detailsButton(visitor);
}

/** One block per visitor, and one more for each who waits. */
export function visitorRows(
  visitors: readonly Visitor[],
  tools: VisitorTools,
  forDetails = false,
): readonly Part[] {
  return visitors.flatMap((visitor) => [
    row(rowLines(visitor, tools), accessory(visitor, tools, forDetails)),
    // Slack has room for one beside the row.
    ...(forDetails ? [] : [buttons(...onItElements(visitor, tools))]),
  ]);
}

/** The menu below a list, which leads to the card with everything else. */
export function moreAbout(visitors: readonly Visitor[]): readonly ActionsBlockElement[] {
  const options = visitors
    .filter(fitsAnOption)
    .map(visitorChoice)
    .map(({ text, value }) => ({ text: { type: 'plain_text', text, emoji: false } as const, value }));
  if (options.length === 0) return [];
  return [
    {
      type: 'static_select',
      action_id: ACTION.visitor,
      placeholder: { type: 'plain_text', text: 'More about …', emoji: false },
      options,
    },
  ];
}

function turn(text: 'Previous' | 'Next', actionId: string, value: string | undefined): readonly Button[] {
  return value === undefined ? [] : [button({ text, actionId, value, label: `${text} visitors` })];
}

function headline({ query, offset, visitors, total, isCut, forDetails }: VisitorList): Line {
  const of = isCut ? `more than ${total}` : String(total);
  const isWhole = visitors.length === total && !isCut;
  const number = isWhole
    ? count(total, query === '' ? 'recent visitor' : 'visitor')
    : `${query === '' ? 'Recent visitors' : 'Visitors'} ${offset + 1} to ${offset + visitors.length} of ${of}`;
  const found: Line = query === '' ? [number] : [`${number} matching `, bold(short(query))];
  return forDetails === true && visitors.length > 1 ? [...found, '. Whose details?'] : found;
}

/** The list of visitors; for an empty one see {@link noVisitors}. */
export function visitorList(list: VisitorList, tools: VisitorTools): Message {
  const { visitors, previous, next, isCut, forDetails = false } = list;
  const pages = [...turn('Previous', ACTION.findPrevious, previous), ...turn('Next', ACTION.findMore, next)];
  return message(
    lines(headline(list)),
    ...noWatchWords(tools.mayNotWatch),
    ...visitorRows(visitors, tools, forDetails),
    buttons(...moreAbout(visitors), ...pages),
    ...(isCut && next === undefined
      ? [lines(['There are more, but the list ends here. Search for less to see them.'])]
      : []),
  );
}

/** Nobody matches. @param meant a command that may have been meant */
export function noVisitors(query: string, meant?: string): Message {
  if (query === '') {
    return message(
      lines(
        ['No visitors yet.'],
        ['Customers appear here once they open a page with the co-browsing snippet.'],
      ),
    );
  }
  return message(
    lines(
      ['No visitor matches ', bold(short(query)), '.'],
      ...(meant === undefined ? [] : [['Did you mean ', code(short(meant)), '?']]),
      [
        'Try part of a name or email, the four-digit code the customer sees on the page, or ',
        code('/cobrowse online'),
        '.',
      ],
    ),
  );
}

/** Instead of a search for a watch link: nobody else must learn it. */
export const watchLinkNotSearched: Message = refusal(
  [
    'That looks like a watch link, so I didn’t search for it. Anyone who has it can see the customer’s screen.',
  ],
  ['Search for the visitor’s name, email or lookup code instead.'],
);

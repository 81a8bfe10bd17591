import type { ActionsBlockElement } from '@slack/types';
import { z } from 'zod';
import type { Visitor } from '../cobrowse/schemas.ts';
import type { Visitors } from '../cobrowse/visitor-list.ts';
import {
  ago,
  bold,
  code,
  count,
  given,
  LIMITS,
  plain,
  say,
  short,
  type Line,
  type Maybe,
} from '../messages/text.ts';
import {
  button,
  buttons,
  lines,
  message,
  notice,
  row,
  rule,
  type Message,
  type Part,
  type RowLine,
} from '../messages/message.ts';
import {
  beforeWatching,
  detailsButton,
  deviceOf,
  isWaiting,
  lastSeen,
  noWatchWords,
  onItIfFree,
  pageOf,
  partnerOf,
  placeOf,
  PRESENCE_UNKNOWN,
  presenceOf,
  PRESENCES,
  visitorChoice,
  visitorName,
  visitorState,
  watchButton,
  type VisitorTools,
} from '../messages/visitor-pieces.ts';
import { MOST_VISITORS, onlineFirst } from './visitor-search.ts';

/** Slack shows the end of a long message, so all of a page fits on a phone. */
export const VISITORS_ON_A_PAGE = 6;

/** Longer ones are complete on the card. */
const LONGEST = 40;
const LONGEST_PAGE = 30;

/** In a button's value. */
export const Page = z.object({
  query: z.string(),
  offset: z.int().min(0).max(MOST_VISITORS),
  ticketUrl: z.string().optional(),
});
export type Page = z.infer<typeof Page>;

/** The last page if the list became shorter since. @param forDetails for choosing whose details to show, not whom to watch */
export function listOn({ query, offset, ticketUrl }: Page, found: Visitors, forDetails: boolean) {
  const total = Math.min(found.length, MOST_VISITORS);
  const lastStart = Math.floor((total - 1) / VISITORS_ON_A_PAGE) * VISITORS_ON_A_PAGE;
  const start = Math.min(offset, lastStart);
  const at = (from: number) => JSON.stringify({ query, offset: from, ticketUrl } satisfies Page);
  return {
    query,
    offset: start,
    visitors: onlineFirst(found).slice(start, Math.min(start + VISITORS_ON_A_PAGE, total)),
    total,
    isCut: found.length > total,
    cutAtMiB: found.cutAtMiB,
    previous: start === 0 ? undefined : at(Math.max(0, start - VISITORS_ON_A_PAGE)),
    next: start === lastStart ? undefined : at(start + VISITORS_ON_A_PAGE),
    forDetails,
  };
}
export type VisitorList = ReturnType<typeof listOn>;

/** A second line for somebody who waits or is in a session, and for what tells visitors without an email apart. */
function rowLines(visitor: Visitor, tools: VisitorTools): readonly RowLine[] {
  const name = short(visitorName(visitor), LONGEST);
  const email = short(visitor.email ?? '', LONGEST);
  const partner = partnerOf(tools, visitor);
  const seen = lastSeen(visitor, partner);
  const page = short(pageOf(visitor) ?? '', LONGEST_PAGE);
  const when = seen === undefined ? page : `last seen ${ago(tools.at.getTime() - seen.getTime())}`;
  const isBusy = visitor.is_in_session === true || isWaiting(visitor);
  const about = email === '' ? joined(placeOf(visitor), deviceOf(visitor)) : '';
  const { words, mark } = visitorState(visitor, partner);
  return given([
    { text: joined(name, email === name ? '' : email, when) },
    isBusy && { text: words, mark },
    about !== '' && { text: about },
  ]);
}

const joined = (...parts: readonly (string | undefined)[]) =>
  parts.filter((part) => part !== undefined && part !== '').join(' · ');

const fitsAnOption = ({ short_id: id }: Visitor) => id.length <= LIMITS.optionValue;

/** Whether Watch stands beside them, else Details: Slack has room for one, and an id too long for the menu gets Details. */
const isWatched = (visitor: Visitor, tools: VisitorTools) =>
  presenceOf(visitor, partnerOf(tools, visitor)) !== 'offline' &&
  tools.mayNotWatch === undefined &&
  fitsAnOption(visitor);

/** One block per visitor, and one more for each who waits. */
export function visitorRows(visitors: readonly Visitor[], tools: VisitorTools, forDetails = false) {
  return visitors.flatMap((visitor) => {
    const accessory =
      isWatched(visitor, tools) && !forDetails
        ? watchButton(visitorName(visitor), tools.targetsOf(visitor.short_id).usual)
        : detailsButton(visitor, tools.ticketUrl);
    return [row(rowLines(visitor, tools), accessory), !forDetails && buttons(onItIfFree(visitor, tools))];
  });
}

const TITLES = { online: 'Online now', unknown: PRESENCE_UNKNOWN, offline: 'Offline' } as const;

/** A title for each presence, which the rows then don't repeat. @param first is said above the first title */
function grouped(first: Line, { visitors, forDetails }: VisitorList, tools: VisitorTools) {
  const groups = Map.groupBy(visitors, (visitor) => presenceOf(visitor, partnerOf(tools, visitor)));
  return PRESENCES.filter((presence) => groups.has(presence)).flatMap((presence, index) => [
    lines(index === 0 && first, [bold(TITLES[presence])]),
    ...visitorRows(groups.get(presence) ?? [], tools, forDetails),
  ]);
}

/** Leads to the card with everything else. */
export function moreAbout(
  visitors: readonly Visitor[],
  tools: Pick<VisitorTools, 'partners'>,
): readonly ActionsBlockElement[] {
  const options = visitors
    .filter(fitsAnOption)
    .map((visitor) => visitorChoice(visitor, partnerOf(tools, visitor)?.isAsking))
    .map(({ text, value }) => ({ text: plain(text), value }));
  const placeholder = plain('More about …');
  return options.length === 0 ? [] : [{ type: 'static_select', action_id: 'visitor', placeholder, options }];
}

const turn = (text: 'Previous' | 'Next', actionId: string, value: string | undefined) =>
  value !== undefined && button({ text, actionId, value, label: `${text} customers` });

/** Where the service sent more than is read. */
export const unreadWords = ({ cutAtMiB }: Pick<Visitors, 'cutAtMiB'>): Maybe<Part> =>
  cutAtMiB !== undefined &&
  lines([
    `The co-browsing service sent more than ${cutAtMiB} MiB, so not everyone could be read. Narrow your search to see more.`,
  ]);

function headline({ query, offset, visitors, total, isCut, cutAtMiB, forDetails }: VisitorList): Line {
  const of = isCut || cutAtMiB !== undefined ? `more than ${total}` : String(total);
  const isWhole = visitors.length === total && !isCut && cutAtMiB === undefined;
  const number = isWhole
    ? count(total, query === '' ? 'recent customer' : 'customer')
    : `${query === '' ? 'Recent customers' : 'Customers'} ${offset + 1} to ${offset + visitors.length} of ${of}`;
  const found: Line = query === '' ? [number] : [`${number} matching `, bold(short(query))];
  return forDetails && visitors.length > 1 ? [...found, '. Whose details?'] : found;
}

export function visitorList(list: VisitorList, tools: VisitorTools): Message {
  const { visitors, previous, next, isCut } = list;
  return message(
    noWatchWords(tools.mayNotWatch),
    beforeWatching(tools),
    ...grouped(headline(list), list, tools),
    buttons(
      ...moreAbout(visitors, tools),
      turn('Previous', 'find_previous', previous),
      turn('Next', 'find_more', next),
    ),
    unreadWords(list),
    isCut && next === undefined && lines(['Narrow your search to see more.']),
  );
}

/** A lookup code or an id: whoever has one of these sees it, or it's wrong. */
const HAS_CODE_OR_ID = /^\d{4}$|^(?:integration_)?id:|^[^\s@]*\d[^\s@]*$/i;

/** In words for the customer. @param offersProxy whether a site without the snippet can be shown */
export function helpThemShowUp(offersProxy: boolean): Message {
  return message(
    lines(['Copy this for your customer:']),
    rule,
    lines([
      'So that we can look at it together, please open the page you need help with, and stay on it. Then send us the four-digit code on the page.',
    ]),
    rule,
    lines(
      ['With the code, type ', code('/cobrowse 1234'), '.'],
      offersProxy &&
        say`No code on that page? ${code('/cobrowse proxy <address>')} opens it with you, without anything installed.`,
    ),
  );
}

/** `meant` is a command to suggest; `canShowUp` is whether the search was to help, not to end or delete something. */
export function noVisitors(
  query: string,
  help: Pick<Visitors, 'cutAtMiB'> & { readonly meant?: string; readonly canShowUp?: boolean } = {},
): Message {
  const { meant, canShowUp = true, cutAtMiB } = help;
  const label = 'Help them show up, with a text to send to the customer';
  if (cutAtMiB !== undefined) return message(unreadWords({ cutAtMiB }));
  if (query === '')
    return notice(
      ['No customers to show.'],
      ['They appear here once they open a page with the co-browsing snippet.'],
    );
  if (/^online$/i.test(query))
    return notice(
      ['Nobody is online right now.'],
      ['To find someone who was here before, search for their name or email.'],
    );
  return message(
    lines(
      ['No customer matches ', bold(short(query)), '.'],
      meant !== undefined && ['Did you mean ', code(short(meant)), '?'],
      say`Try part of a name or email, the four-digit code the customer sees on the page, or ${code('/cobrowse online')}.`,
    ),
    canShowUp &&
      !HAS_CODE_OR_ID.test(query) &&
      buttons(button({ text: 'Help them show up', actionId: 'help_show_up', label })),
  );
}

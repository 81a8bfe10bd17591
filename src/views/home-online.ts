import type { Visitor } from '../cobrowse/schemas.ts';
import { buttons, lines } from './message.ts';
import type { Part } from './message.ts';
import { noWatchWords } from './refusals.ts';
import { code } from './rich-text.ts';
import type { VisitorTools } from './visitor-buttons.ts';
import { moreAbout, visitorRows } from './visitor-list.ts';

/** The first visitors who are online now, and whether there are more. */
export interface OnlineNow {
  /** Those who wait for help or are in a session. */
  readonly busy: readonly Visitor[];
  readonly others: readonly Visitor[];
  readonly hasMore: boolean;
  /** What the reader may do with them. */
  readonly tools: VisitorTools;
}

/** Who waits or is in a session; empty if nobody is. */
export function busyNow({ busy, tools }: OnlineNow): readonly Part[] {
  if (busy.length === 0) return [];
  return [...noWatchWords(tools.mayNotWatch), ...visitorRows(busy, tools)];
}

/** Who else is online, and a menu with more about everyone. */
export function onlineNow({ busy, others, hasMore, tools }: OnlineNow): readonly Part[] {
  if (busy.length + others.length === 0) {
    return [
      lines(
        ['Nobody is online right now.'],
        ['Customers appear here while they have a page with the snippet open.'],
        ['To find someone who was here before, search above.'],
      ),
    ];
  }
  const more = hasMore ? [lines(['There are more. Type ', code('/cobrowse online'), ' to see them.'])] : [];
  return [
    ...(busy.length === 0 ? noWatchWords(tools.mayNotWatch) : []),
    ...(others.length === 0 ? [lines(['Nobody else is online.'])] : visitorRows(others, tools)),
    buttons(...moreAbout([...busy, ...others])),
    ...more,
  ];
}

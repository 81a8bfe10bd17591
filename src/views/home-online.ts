import type { Visitor } from '../cobrowse/schemas.ts';
import { lines } from './message.ts';
import type { Part } from './message.ts';
import { noWatchWords } from './refusals.ts';
import { code } from './rich-text.ts';
import type { VisitorTools } from './visitor-buttons.ts';
import { visitorRow } from './visitor-list.ts';

/** The visitors online now: the first of them, and whether there are more. */
export interface OnlineNow {
  readonly visitors: readonly Visitor[];
  readonly hasMore: boolean;
  /** What the reader may do with them. */
  readonly tools: VisitorTools;
}

export function onlineNow({ visitors, hasMore, tools }: OnlineNow): readonly Part[] {
  if (visitors.length === 0) {
    return [
      lines(
        ['Nobody is online.'],
        ['Customers appear here while they have a page with the service’s script open.'],
        ['To find one who was here before, type ', code('/cobrowse find'), ' and a name or email.'],
      ),
    ];
  }
  const more = lines(['There are more. Type ', code('/cobrowse find online'), ' to see them.']);
  return [
    ...noWatchWords(tools.mayNotWatch),
    ...visitors.flatMap((visitor) => visitorRow(visitor, tools)),
    ...(hasMore ? [more] : []),
  ];
}

import type { ActionsBlockElement } from '@slack/types';
import type { Visitor } from '../cobrowse/schemas.ts';
import { button } from './buttons.ts';
import { ACTION } from './action-ids.ts';
import { buttons, lines, message } from './message.ts';
import type { Message, Part } from './message.ts';
import { bold, code } from './rich-text.ts';
import type { Line } from './rich-text.ts';
import { noWatchWords } from './refusals.ts';
import { count, short } from './text.ts';
import { deviceOf, pagePath, placeOf, presence, whoLine } from './visitor-pieces.ts';
import { detailsButton, stopElements, watchElements } from './visitor-buttons.ts';
import type { VisitorTools } from './visitor-buttons.ts';

/** Visitors on one page of the list: with two blocks each far below Slack's 50. */
export const VISITORS_ON_A_PAGE = 10;

export interface VisitorList {
  /** What was searched for; empty for the latest visitors. */
  readonly query: string;
  /** Visitors skipped before this page. */
  readonly offset: number;
  /** The visitors of this page. */
  readonly visitors: readonly Visitor[];
  /** Set when there are more and they can be shown: the value of the More button. */
  readonly more: string | undefined;
  /** There are more than a list goes on for. */
  readonly cut: boolean;
}

function rowLines(visitor: Visitor): Line[] {
  const page = pagePath(visitor);
  const about = [placeOf(visitor), deviceOf(visitor)].filter((part) => part !== undefined).join(' · ');
  const where: Line = page === undefined ? presence(visitor) : [...presence(visitor), ' · ', code(page)];
  return [whoLine(visitor), where, ...(about === '' ? [] : [[about]])];
}

/** One visitor of a list, with its buttons: two blocks. */
export function visitorRow(visitor: Visitor, tools: VisitorTools): readonly Part[] {
  // An offline visitor has no screen to see and no session to stop.
  const live: ActionsBlockElement[] =
    visitor.is_online === false && visitor.is_in_session !== true ? [] : [...stopElements(visitor, tools)];
  const watch: ActionsBlockElement[] = visitor.is_online === false ? [] : [...watchElements(visitor, tools)];
  return [lines(...rowLines(visitor)), buttons(...watch, detailsButton(visitor), ...live)];
}

function headline({ query, offset, visitors, more, cut }: VisitorList): Line {
  const range = `${offset + 1} to ${offset + visitors.length}`;
  const number =
    more === undefined && !cut && offset === 0 ? count(visitors.length, 'visitor') : `Visitors ${range}`;
  return query === '' ? [`${number}, latest first`] : [`${number} matching `, bold(short(query))];
}

/** The list of visitors with their buttons; the words for an empty one are {@link noVisitors}. */
export function visitorList(list: VisitorList, tools: VisitorTools): Message {
  const more =
    list.more === undefined
      ? []
      : [
          buttons(
            button({
              text: 'More',
              actionId: ACTION.findMore,
              value: list.more,
              label: 'More visitors',
            }),
          ),
        ];
  return message(
    lines(headline(list)),
    ...noWatchWords(tools.mayNotWatch),
    ...list.visitors.flatMap((visitor) => visitorRow(visitor, tools)),
    ...more,
    ...(list.cut ? [lines(['There are more, but the list ends here. Search for less to see them.'])] : []),
  );
}

/** The visitors after those already shown are gone since the list was made. */
export function noFurtherVisitors(): Message {
  return message(
    lines(
      ['No further visitors: they have left meanwhile.'],
      ['Search again with ', code('/cobrowse find'), '.'],
    ),
  );
}

/** Nobody matches: what was searched for, and what to try. */
export function noVisitors(query: string): Message {
  if (query === '') {
    return message(
      lines(
        ['No visitors yet.'],
        ['The service lists customers once a page with its script was opened by them.'],
      ),
    );
  }
  return message(
    lines(
      ['No visitor matches ', bold(short(query)), '.'],
      [
        'Try a part of the name or email, the four-digit code the customer can read to you, or ',
        code('find online'),
        '.',
      ],
    ),
  );
}

import type { Conclusion, EndSource } from '../messages/link-request.ts';
import { type Access, isChannel } from '../permissions/permissions.ts';
import type { Asked } from './cards.ts';
import {
  cutWords,
  type Shared,
  askButton,
  askChannelButton,
  stopButton,
} from '../messages/visitor-pieces.ts';
import { buttons, context, lines, message, status, type Message, type Part } from '../messages/message.ts';
import { accessTitle, ticketLine } from '../messages/session-words.ts';
import {
  bold,
  date,
  given,
  joined,
  say,
  short,
  user,
  where,
  type Line,
  type Maybe,
  type Piece,
} from '../messages/text.ts';

/** Nothing of the page that the customer was on. */
export interface LinkContent {
  readonly watchedBy: string;
  readonly visitorId: string;
  readonly visitor: string;
  readonly linkId: string;
  /** Whether personal details are left out: people of other organizations read along. */
  readonly isCut: Shared;
  readonly access: Access;
  /** How the end will be known, and so whether a summary can be promised. */
  readonly endSource: EndSource;
  readonly ticketUrl?: string;
  readonly colleagues: readonly Asked[];
  readonly canAskChannel: boolean;
  readonly canStop: boolean;
}

/** What is known of the link's session. */
export type LinkState =
  /** The name that the service has for whoever opened it. */
  | { readonly agent: string }
  /** When a look-up saw it run, milliseconds since 1970. */
  | { readonly seenAt: number }
  /** No summary is to be expected. `undelivered`: it ended, and the channel didn't take its summary. */
  | { readonly concluded: Conclusion['concluded'] | 'undelivered' };

const PROMISES: Readonly<Record<EndSource, string>> = {
  webhook: 'This message becomes the summary when the session ends.',
  lookup: 'This message becomes the summary a few minutes after the session ends.',
  never: 'No summary follows: this deployment doesn’t report when sessions end.',
};

/** More isn't known: the customer may not have accepted. */
const asked = (who: Piece, { visitor, access }: LinkContent): Line => [
  who,
  ' asked to see ',
  bold(short(visitor)),
  `’s screen · ${accessTitle(access)}.`,
];

const askedWords = ({ askedId, takenBy }: Asked): Line =>
  say`${isChannel(askedId) ? where(askedId) : user(askedId)}${takenBy !== undefined && say` (${user(takenBy)} took it)`}`;

const about = ({ ticketUrl, isCut, colleagues }: LinkContent): readonly Maybe<Line>[] => [
  ticketLine(ticketUrl, isCut),
  colleagues.length > 0 && say`Asked to look: ${joined(colleagues.map(askedWords), ', ')}`,
];

function nextSteps({ canStop, visitorId, visitor, linkId, canAskChannel }: LinkContent): Part {
  const name = short(visitor);
  return buttons(
    askButton(visitorId, name, linkId),
    canAskChannel && askChannelButton(visitorId, name, linkId),
    canStop && stopButton(visitorId, name, 'Stop session'),
  );
}

/** The service doesn't say when a session starts: only a look-up that saw it, accepted, makes the card say so. */
export function linkCard(content: LinkContent, state: LinkState): Message {
  if ('concluded' in state) return concludedCard(content, state.concluded);
  const { watchedBy, isCut, endSource } = content;
  const isSeen = 'seenAt' in state;
  // An agent without a name in the service goes by their email.
  const who = isSeen || isCut ? user(watchedBy) : bold(short(state.agent));
  return message(
    lines(asked(who, content), isSeen && [bold('In session')], ...about(content)),
    isSeen && context('Last check:', date(new Date(state.seenAt))),
    context(PROMISES[endSource]),
    cutWords(isCut),
    nextSteps(content),
  );
}

type Concluded = Extract<LinkState, { readonly concluded: string }>['concluded'];

function conclusion({ watchedBy, endSource }: LinkContent, concluded: Concluded): Line {
  if (concluded === 'unused') return [user(watchedBy), ' didn’t open the link.'];
  if (concluded === 'undelivered')
    return ['It ended, but I couldn’t post the summary here. Admins can see why in the app’s Home tab.'];
  return endSource === 'never'
    ? ['Nothing more is known: this deployment doesn’t report when sessions end.']
    : ['Nothing more is known: no end was reported, and the service lists no session that ended.'];
}

function concludedCard(content: LinkContent, concluded: Concluded): Message {
  const { watchedBy, visitor, access, isCut } = content;
  // Whoever didn't open the link asked nobody.
  const first: Line =
    concluded === 'unused'
      ? [`Link to `, bold(short(visitor)), `’s screen · ${accessTitle(access)}.`]
      : asked(user(watchedBy), content);
  const words = given([first, ...about(content), conclusion(content, concluded)]);
  return message(concluded === 'undelivered' ? status('problem', words) : lines(...words), cutWords(isCut));
}

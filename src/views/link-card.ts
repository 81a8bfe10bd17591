import type { Conclusion, EndNews } from '../grants/fate.ts';
import type { Power } from '../grants/power.ts';
import { cutWords } from './cut-words.ts';
import type { Shared } from './cut-words.ts';
import { buttons, lines, message } from './message.ts';
import type { Message } from './message.ts';
import { powerWords } from './power-words.ts';
import { bold, user } from './rich-text.ts';
import { short } from './text.ts';
import { stopButtonFor } from './visitor-buttons.ts';

/** What the channel is told when a link was given. The service tells of no start: an honest state, and no more. */
export interface CardContent {
  readonly agent: string;
  /** The Slack user who pressed Watch. */
  readonly watchedBy: string;
  readonly visitor: string;
  /** Whether personal details are left out: people of other organisations read along. */
  readonly isCut: Shared;
  readonly visitorId: string;
  readonly power: Power;
  readonly canStop: boolean;
  /** How the end will be known, and so whether a summary can be promised. */
  readonly endNews: EndNews;
}

const PROMISES: Readonly<Record<EndNews, string>> = {
  told: 'The summary takes this message’s place when the session ends.',
  asked: 'The summary takes this message’s place some minutes after the session ended.',
  never: 'This deployment tells of no session’s end, so no summary follows.',
};

export function linkCard(content: CardContent): Message {
  const { agent, watchedBy, visitor, isCut, visitorId, power, canStop, endNews } = content;
  const name = short(visitor);
  // An agent without a name in the service goes by their email.
  const who = isCut ? user(watchedBy) : bold(short(agent));
  const told = lines(
    [who, ' was given a link to the screen of ', bold(name), '.'],
    [`Granted: ${powerWords(power)}. ${PROMISES[endNews]}`],
    ...cutWords(isCut),
  );
  return canStop ? message(told, buttons(stopButtonFor(visitorId, name, 'Stop session'))) : message(told);
}

/** What the card says once no end is expected any more: nothing is left to stop. */
export interface ConcludedContent {
  /** The Slack user who pressed Watch. */
  readonly watchedBy: string;
  readonly visitor: string;
  /** Whether personal details are left out: people of other organisations read along. */
  readonly isCut: Shared;
  readonly power: Power;
  readonly concluded: Conclusion['concluded'];
  readonly endNews: EndNews;
}

function outcomeWords({ concluded, endNews }: ConcludedContent): string {
  if (concluded === 'unused') return 'The link was not used: the service lists no session for it.';
  return endNews === 'never'
    ? 'Outcome unknown: this deployment tells of no session’s end and lists none.'
    : 'Outcome unknown: the service never told of an end and does not list an ended session.';
}

export function concludedCard(content: ConcludedContent): Message {
  const { watchedBy, visitor, power } = content;
  return message(
    lines(
      [user(watchedBy), ' was given a link to the screen of ', bold(short(visitor)), '.'],
      [`Granted: ${powerWords(power)}.`],
      [outcomeWords(content)],
      ...cutWords(content.isCut),
    ),
  );
}

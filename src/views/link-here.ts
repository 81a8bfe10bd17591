import type { Button } from '@slack/types';
import { ACTION } from './action-ids.ts';
import { button } from './buttons.ts';
import type { FailureWords } from './failure-words.ts';
import { buttons, lines, message } from './message.ts';
import type { Message } from './message.ts';
import { date, user } from './rich-text.ts';
import type { Line } from './rich-text.ts';

/** Whose press is answered with a link: one to a visitor's screen, or a proxy session. */
export type LinkHereKind = 'watch' | 'proxy';

function linkHereButton(kind: LinkHereKind, value: string, text = 'Bring the link here'): Button {
  return button({
    text,
    actionId: kind === 'watch' ? ACTION.watchHere : ACTION.proxyHere,
    label: `${text}: to the ${kind === 'watch' ? 'live view' : 'session'}`,
    style: 'primary',
    value,
  });
}

/** For the one whose Watch address was opened without a press that Slack told of: without a link, and without an address. */
export function linkHereOffer(about: Line, kind: LinkHereKind, value: string): Message {
  return message(
    lines(
      [
        kind === 'watch'
          ? 'Your button’s address was opened, to watch '
          : 'Your button’s address was opened: ',
        ...about,
        '. Slack did not confirm a press.',
      ],
      ['Was it you? Press the button: the link comes to you alone.'],
      ['If it was not you, leave it: without your press nobody gets a link.'],
    ),
    buttons(linkHereButton(kind, value)),
  );
}

/** For who pressed while no page waited for it: the press counts, but somebody else may have the address. */
export function linkHereInstead(about: Line, kind: LinkHereKind, value: string): Message {
  return message(
    lines(
      [
        'Your press arrived, but its page had stopped waiting. ',
        kind === 'watch' ? 'You wanted to watch ' : 'You wanted: ',
        ...about,
        '.',
      ],
      ['Press the button: the link comes to you alone.'],
    ),
    buttons(linkHereButton(kind, value)),
  );
}

/** In the place of a link that has run out, where the press itself must bring the next. */
export function linkHereAgain(about: Line, kind: LinkHereKind, value: string): Message {
  return message(
    lines(about, ['The link has run out. Press for a fresh one.']),
    buttons(linkHereButton(kind, value)),
  );
}

/** In the place of a link, where it is not known which agent the presser is. */
export function linkHereRetry(kind: LinkHereKind, value: string, words: FailureWords): Message {
  return message(lines([words.text], [words.next]), buttons(linkHereButton(kind, value, 'Try again')));
}

/** Asks before a second link to a screen. @param value of the button, whose press is answered with the link */
export function joinOffer(
  about: Line,
  by: { readonly userId: string; readonly at: Date },
  value: string,
): Message {
  return message(
    lines(
      [user(by.userId), ' was given a link to this visitor ', date(by.at), ', and may still be watching.'],
      ['Join too? ', ...about],
    ),
    buttons(
      button({
        text: 'Join too',
        actionId: ACTION.watchJoin,
        label: 'Join too: bring a link to the live view here',
        value,
      }),
    ),
  );
}

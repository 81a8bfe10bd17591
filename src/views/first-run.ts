import { startButton } from './buttons.ts';
import { accessNow } from './default-access.ts';
import type { AccessNow } from './default-access.ts';
import { buttons, lines, message, notice } from './message.ts';
import type { Message } from './message.ts';
import { channel, code, user } from './rich-text.ts';

/**
 * The greeting for someone who opened the app.
 *
 * @param mayWatch whether they can watch, or only search
 * @param access for admins
 */
export function greeting(userId: string, mayWatch: boolean, access?: AccessNow): Message {
  return message(
    lines(
      ['Hi ', user(userId), '! Find a customer on your site, see their screen and help.'],
      [
        'Try it on yourself: open your own site in another tab, then find yourself with ',
        code('/cobrowse online'),
        '.',
      ],
    ),
    ...(mayWatch ? [buttons(startButton('Start co-browsing'))] : []),
    ...(access === undefined ? [] : accessNow(access)),
  );
}

/** To whoever added the app to a channel. */
export function addedToChannel(channelId: string): Message {
  return notice(
    ['Thanks for adding me to ', channel(channelId), '.'],
    [
      'When someone here opens a customer’s screen, I post a card, and a summary when the session ends. To get the summaries of other sessions, too, type ',
      code('/cobrowse subscribe'),
      '.',
    ],
  );
}

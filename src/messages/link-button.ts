import type { Button } from '@slack/types';
import type { WatchLink } from '../cobrowse/watch-link.ts';
import { ACTION } from './action-ids.ts';
import { button } from './buttons.ts';
import { buttons, lines, message } from './message.ts';
import type { Message } from './message.ts';
import { time } from './rich-text.ts';
import type { Line } from './rich-text.ts';

/**
 * The second step where the app has no public address: a link button that only the presser sees, replaced when the
 * link expires. The only message that may hold a link.
 */
export function linkReady(parts: {
  readonly about: Line;
  readonly text: string;
  readonly label: string;
  readonly link: WatchLink;
  readonly expiresAt: Date;
  readonly instead: Message;
}): Message {
  const { about, text, label, link, expiresAt, instead } = parts;
  const open: Button = button({
    text,
    actionId: ACTION.openLink,
    value: 'open',
    label,
    style: 'primary',
    url: link.locationHeader(),
  });
  const ready = message(
    lines(about, ['The link is ready. Only you can see it. It expires at ', time(expiresAt), '.']),
    buttons(open),
  );
  return { ...ready, until: { at: expiresAt, instead } };
}

import type { Button } from '@slack/types';
import type { Visitor } from '../cobrowse/schemas.ts';
import type { WatchLink } from '../cobrowse/watch-link.ts';
import { button, buttons, lines, message, type Message } from '../messages/message.ts';
import { date, time, user, type Line } from '../messages/text.ts';
import { visitorName, whoLine } from '../messages/visitor-pieces.ts';

/** What the link opens: a visitor's screen, or a proxy session. */
export type LinkHereKind = 'watch' | 'proxy';

const getLink = (kind: LinkHereKind, value: string) =>
  buttons(
    button({
      text: 'Get my link',
      actionId: kind === 'watch' ? 'watch_here' : 'proxy_here',
      label: `Get my link: ${kind === 'watch' ? 'live view' : 'proxy session'}`,
      style: 'primary',
      value,
    }),
  );

/** For the owner of a button whose address gave nobody a link. Contains no link and no address. */
export function linkHereOffer(about: Line, kind: LinkHereKind, value: string): Message {
  const opened = kind === 'watch' ? 'Someone opened your Watch link for ' : 'Someone opened your link: ';
  return message(
    lines(
      [opened, ...about, '.'],
      ['If it was you, press the button. Only you will see the link.'],
      ['If it wasn’t you, ignore this.'],
    ),
    getLink(kind, value),
  );
}

export const linkHereAgain = (about: Line, kind: LinkHereKind, value: string): Message =>
  message(lines(about, ['The link expired. Press the button for a new one.']), getLink(kind, value));

const joins = (text: string, value: string) =>
  buttons(button({ text, actionId: 'watch_join', label: `${text}: get my link to the live view`, value }));

/** Asks before a second person opens the same screen. @param value for the button that gets the link */
export const joinOffer = (about: Line, by: { readonly userId: string; readonly at: Date }, value: string) =>
  message(
    lines([user(by.userId), ' may already be watching. Join them?'], [...about, ' · Asked: ', date(by.at)]),
    joins('Join', value),
  );

/** Asks before somebody opens a screen a second time. @param value for the button that gets the link */
export const openAgainOffer = (about: Line, at: Date, value: string): Message =>
  message(
    lines(
      ['You asked to see this screen already. Look for it in your other tabs first.'],
      [...about, ' · Asked: ', date(at)],
      ['If you open another, the customer is asked again.'],
    ),
    joins('Open another', value),
  );

export interface Made {
  readonly link: WatchLink;
  readonly expiresAt: Date;
}

/** The only message that may hold a link, and only the presser sees it. `instead` replaces it when the link expires. */
export function linkReady(
  { link, expiresAt }: Made,
  instead: Message,
  about: Line,
  { text, label = text }: { readonly text: string; readonly label?: string },
): Message {
  const open: Button = button({
    text,
    actionId: 'open_link',
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

/** The link to a visitor's screen, where a press in Slack gets it. @param instead once the link has expired */
export const watchLinkReady = (visitor: Visitor, made: Made, instead: Message): Message =>
  linkReady(made, instead, whoLine(visitor), {
    text: 'Open the live view',
    label: `Open the live view of ${visitorName(visitor)}`,
  });

import type { Visitor } from '../cobrowse/schemas.ts';
import type { WatchLink } from '../cobrowse/watch-link.ts';
import { linkReady } from './link-button.ts';
import { buttons, lines, message } from './message.ts';
import type { Message } from './message.ts';
import { noWatchWords } from './refusals.ts';
import type { Line } from './rich-text.ts';
import { presence, visitorName, whoLine } from './visitor-pieces.ts';
import { stopElements, watchElements } from './visitor-buttons.ts';
import type { VisitorTools } from './visitor-buttons.ts';

function offer(visitor: Visitor, tools: VisitorTools, words: readonly Line[]): Message {
  return message(
    lines(...words),
    ...noWatchWords(tools.mayNotWatch),
    buttons(...watchElements(visitor, tools), ...stopElements(visitor, tools)),
  );
}

/** One press from the screen. @param chosen what was asked for in a form, to be seen again before the press */
export function watchOffer(visitor: Visitor, tools: VisitorTools, chosen: readonly Line[] = []): Message {
  const who: Line = [...whoLine(visitor), ' · ', ...presence(visitor)];
  const fresh: Line[] = [['Each press of Watch opens a fresh link to the screen.']];
  return offer(visitor, tools, [who, ...chosen, ...(tools.mayNotWatch === undefined ? fresh : [])]);
}

/** In the place of a link that has run out. */
export function watchAgain(visitor: Visitor, tools: VisitorTools): Message {
  return offer(visitor, tools, [whoLine(visitor), ['The link has run out. Press Watch for a fresh one.']]);
}

/** The link to a visitor's screen, where the press itself must bring it. @param instead once the link has run out */
export function watchLinkReady(
  {
    visitor,
    link,
    expiresAt,
  }: { readonly visitor: Visitor; readonly link: WatchLink; readonly expiresAt: Date },
  instead: Message,
): Message {
  return linkReady({
    about: whoLine(visitor),
    text: 'Open the live view',
    label: `Open the live view of ${visitorName(visitor)}`,
    link,
    expiresAt,
    instead,
  });
}

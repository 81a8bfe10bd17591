import type { Visitor } from '../cobrowse/schemas.ts';
import type { WatchLink } from '../cobrowse/watch-link.ts';
import { linkReady } from './link-button.ts';
import { buttons, lines, message } from './message.ts';
import type { Message } from './message.ts';
import type { Line } from './rich-text.ts';
import { presence, visitorName, whoLine } from './visitor-pieces.ts';
import { stopElements, watchElements } from './visitor-buttons.ts';
import type { VisitorTools } from './visitor-buttons.ts';

function offer(visitor: Visitor, tools: VisitorTools, words: readonly Line[]): Message {
  return message(lines(...words), buttons(...watchElements(visitor, tools), ...stopElements(visitor, tools)));
}

/** One press from the screen. @param chosen what was asked for in a form, to be seen again before the press */
export function watchOffer(visitor: Visitor, tools: VisitorTools, chosen: readonly Line[] = []): Message {
  const who: Line = [...whoLine(visitor), ' · ', ...presence(visitor)];
  return offer(visitor, tools, [who, ...chosen, ['Each press of Watch opens a fresh link to the screen.']]);
}

/** The link to a visitor's screen, where the press itself must bring it. */
export function watchLinkReady(
  {
    visitor,
    link,
    expiresAt,
  }: { readonly visitor: Visitor; readonly link: WatchLink; readonly expiresAt: Date },
  tools: VisitorTools,
): Message {
  return linkReady({
    about: whoLine(visitor),
    text: 'Open the live view',
    label: `Open the live view of ${visitorName(visitor)}`,
    link,
    expiresAt,
    instead: offer(visitor, tools, [
      whoLine(visitor),
      ['The link has run out. Press Watch for a fresh one.'],
    ]),
  });
}

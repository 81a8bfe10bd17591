import type { Visitor } from '../cobrowse/schemas.ts';
import type { WatchLink } from '../cobrowse/watch-link.ts';
import { linkReady } from './link-button.ts';
import { buttons, lines, message } from './message.ts';
import type { Message } from './message.ts';
import { noWatchWords } from './refusals.ts';
import type { Line } from './rich-text.ts';
import { presence, visitorName, whoLine } from './visitor-pieces.ts';
import { stopElements, tellOnlineElements, watchElements } from './visitor-buttons.ts';
import type { VisitorTools } from './visitor-buttons.ts';

function offer(visitor: Visitor, tools: VisitorTools, words: readonly Line[]): Message {
  return message(
    lines(...words),
    ...noWatchWords(tools.mayNotWatch),
    buttons(
      ...tellOnlineElements(visitor, tools),
      ...watchElements(visitor, tools),
      ...stopElements(visitor, tools),
    ),
  );
}

/** A visitor with the Watch button. @param chosen what was chosen in a form, repeated beside the button */
export function watchOffer(visitor: Visitor, tools: VisitorTools, chosen: readonly Line[] = []): Message {
  const who: Line = [...whoLine(visitor), ' · ', ...presence(visitor, tools.partners?.get(visitor.short_id))];
  return offer(visitor, tools, [who, ...chosen]);
}

/** Replaces an expired link. */
export function watchAgain(visitor: Visitor, tools: VisitorTools): Message {
  return offer(visitor, tools, [whoLine(visitor), ['The link expired. Press Watch for a new one.']]);
}

/** The link to a visitor's screen, where a press in Slack gets it. @param instead once the link has expired */
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

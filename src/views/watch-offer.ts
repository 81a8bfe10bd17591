import type { Visitor } from '../cobrowse/schemas.ts';
import type { WatchLink } from '../cobrowse/watch-link.ts';
import { ACTION } from './action-ids.ts';
import { button } from './buttons.ts';
import { buttons, lines, message } from './message.ts';
import type { Message } from './message.ts';
import { date } from './rich-text.ts';
import { presence, visitorName, whoLine } from './visitor-pieces.ts';
import { stopElements, watchElements } from './visitor-buttons.ts';
import type { VisitorTools } from './visitor-buttons.ts';

/** One press from the screen. */
export function watchOffer(visitor: Visitor, tools: VisitorTools): Message {
  return message(
    lines(
      [...whoLine(visitor), ' · ', ...presence(visitor)],
      ['Each press of Watch opens a fresh link to the screen.'],
    ),
    buttons(...watchElements(visitor, tools), ...stopElements(visitor, tools)),
  );
}

/**
 * The second step where the app has no public address: a link button for the presser's eyes only, replaced when the
 * link runs out. The only message that may hold a watch link.
 */
export function linkReady(
  {
    visitor,
    link,
    expiresAt,
  }: { readonly visitor: Visitor; readonly link: WatchLink; readonly expiresAt: Date },
  tools: VisitorTools,
): Message {
  const name = visitorName(visitor);
  const open = button({
    text: 'Open the live view',
    actionId: ACTION.openLink,
    value: visitor.short_id,
    label: `Open the live view of ${name}`,
    style: 'primary',
    url: link.locationHeader(),
  });
  const ready = message(
    lines(
      [...whoLine(visitor)],
      ['The link is ready. It is for you alone and stops working ', date(expiresAt), '.'],
    ),
    buttons(open),
  );
  const expired = message(
    lines([...whoLine(visitor)], ['The link has run out. Press Watch for a fresh one.']),
    buttons(...watchElements(visitor, tools), ...stopElements(visitor, tools)),
  );
  return { ...ready, until: { at: expiresAt, instead: expired } };
}

import type { Visitor } from '../cobrowse/schemas.ts';
import { buttons, lines, message } from './message.ts';
import type { Message } from './message.ts';
import { code, date } from './rich-text.ts';
import type { Line } from './rich-text.ts';
import { short } from './text.ts';
import { deviceOf, pagePath, placeOf, presence, whoLine } from './visitor-pieces.ts';
import { stopElements, watchElements } from './visitor-buttons.ts';
import type { VisitorTools } from './visitor-buttons.ts';

function labelled(label: string, value: string | undefined): Line[] {
  return value === undefined || value === '' ? [] : [[`${label}: ${value}`]];
}

/** One visitor with all that is known and may be shown. */
export function visitorCard(visitor: Visitor, tools: VisitorTools): Message {
  const page = pagePath(visitor);
  const others = visitor.identities.map((identity) => short(identity)).filter((identity) => identity !== '');
  const added = new Date(visitor.added_at ?? Number.NaN);
  const facts: Line[] = [
    whoLine(visitor),
    presence(visitor),
    ...(page === undefined ? [] : [['Page: ', code(page)]]),
    ...labelled('Place', placeOf(visitor)),
    ...labelled('Browser', deviceOf(visitor)),
    ...labelled('Also known as', others.slice(1, 6).join(', ')),
    ...labelled('Lookup code', short(visitor.lookup_code ?? '', 20)),
    ...labelled(
      'Tags',
      visitor.tags
        .map((tag) => short(tag, 40))
        .slice(0, 10)
        .join(', '),
    ),
    ...(Number.isNaN(added.getTime()) ? [] : [['First seen: ', date(added)]]),
    ['Id: ', code(short(visitor.short_id, 60))],
  ];
  return message(lines(...facts), buttons(...watchElements(visitor, tools), ...stopElements(visitor, tools)));
}

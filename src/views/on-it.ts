import type { Visitor } from '../cobrowse/schemas.ts';
import { buttons, lines, message, status } from './message.ts';
import type { Message } from './message.ts';
import { bold, time, user } from './rich-text.ts';
import { onItButton, watchElements } from './visitor-buttons.ts';
import type { VisitorTools } from './visitor-buttons.ts';
import { presence, visitorName } from './visitor-pieces.ts';

/** The caller took it; the next step is to watch. */
export function onIt(visitor: Visitor, until: Date, tools: VisitorTools): Message {
  return message(
    status('done', [
      ['You’re on it: ', bold(visitorName(visitor))],
      ['Colleagues see your name in lists and in the Home tab until ', time(until), '.'],
    ]),
    buttons(...watchElements(visitor, tools), onItButton(visitor, 'you')),
  );
}

export function notOnIt(visitor: Visitor): Message {
  return message(
    status('done', [
      ['You’re no longer on it: ', bold(visitorName(visitor)), ' is waiting for someone else.'],
    ]),
    buttons(onItButton(visitor)),
  );
}

/** Someone else was faster. */
export function alreadyOnIt(visitor: Visitor, by: string, until: Date): Message {
  return message(
    lines(
      [user(by), ' is already on it: ', bold(visitorName(visitor)), '.'],
      ['If they haven’t opened the screen by ', time(until), ', you can take over.'],
    ),
  );
}

/** They were helped, or left. */
export function notWaiting(visitor: Visitor, tools: VisitorTools): Message {
  const partner = tools.partners?.get(visitor.short_id);
  return message(
    lines([bold(visitorName(visitor)), ' isn’t waiting any more · ', ...presence(visitor, partner)]),
    buttons(...watchElements(visitor, tools)),
  );
}

import type { Visitor } from '../cobrowse/schemas.ts';
import { ACTION } from '../messages/action-ids.ts';
import { button, buttons, context, done, message, notice, problem, status } from '../messages/message.ts';
import type { Message } from '../messages/message.ts';
import { bold, time } from '../messages/text.ts';
import { detailsButton } from '../messages/visitor-buttons.ts';
import { visitorName } from '../messages/visitor-pieces.ts';

/** @param isNew false where it was asked for before */
export function willTell(visitor: Visitor, until: Date, isNew: boolean): Message {
  const name = visitorName(visitor);
  return message(
    status('waiting', [
      [isNew ? 'I’ll' : 'I’ll still', ' send you a direct message when ', bold(name), ' comes online.'],
      ['This ends at ', time(until), '.'],
    ]),
    buttons(
      button({
        text: 'Cancel',
        actionId: ACTION.cancelTellOnline,
        value: visitor.short_id,
        label: `Cancel the message about ${name}`,
      }),
    ),
  );
}

/** @param most visitors of a workspace who can be waited for */
export function tooManyAwaited(most: number): Message {
  return problem(
    [`Your workspace is already waiting for ${most} customers, the maximum.`],
    ['Search again later.'],
  );
}

export function willNotTell(wasSet: boolean): Message {
  return wasSet ? done(['Canceled. I won’t send you a message.']) : notice(['There was nothing to cancel.']);
}

/**
 * Sent to whoever asked. It stays in their direct messages, so its button only leads to one that opens the screen.
 */
export function cameOnline(visitor: Visitor): Message {
  const name = visitorName(visitor);
  return message(
    status('done', [[bold(name), ' is online now.']]),
    buttons(
      button({
        text: 'Watch',
        actionId: ACTION.watchAgain,
        value: visitor.short_id,
        label: `Watch the screen of ${name}`,
        style: 'primary',
      }),
      detailsButton(visitor),
    ),
    context('You asked to be told.'),
  );
}

import type { Visitor } from '../cobrowse/schemas.ts';
import { ACTION, DELETE_FORM } from './action-ids.ts';
import { button } from './buttons.ts';
import { buttons, done, lines, message, refusal, waiting } from './message.ts';
import type { Message } from './message.ts';
import type { FormContent } from './modal.ts';
import { bold, code, user } from './rich-text.ts';
import { count as counted, short } from './text.ts';
import { presence, visitorName, whoLine } from './visitor-pieces.ts';

/** What must be typed before everything that is offline is deleted. */
export const CONFIRMING_WORD = 'DELETE';

/** Asks before one visitor is deleted. The service refuses to delete visitors who are online, so that isn't offered. */
export function deleteQuestion(visitor: Visitor): Message {
  const name = visitorName(visitor);
  if (visitor.is_online === true) {
    return refusal(
      [bold(name), ' is online. Only offline visitors can be deleted.'],
      ['Try again once they’ve left.'],
    );
  }
  return message(
    lines(
      [...whoLine(visitor), ' · ', ...presence(visitor)],
      ['This permanently deletes the visitor and their history from the service.'],
    ),
    buttons(
      button({
        text: 'Delete visitor',
        actionId: ACTION.deleteVisitor,
        value: visitor.short_id,
        label: `Delete visitor ${name}`,
        style: 'danger',
        confirm: {
          title: 'Delete this visitor?',
          text: `${name} and their history will be permanently deleted.`,
          yes: 'Delete',
          no: 'Keep',
        },
      }),
    ),
  );
}

/** Leads to the form where the deletion of all offline visitors is confirmed by typing. */
export function deleteOfflineQuestion(): Message {
  return message(
    lines(
      [
        'This permanently deletes ',
        bold('all offline visitors'),
        ' and their history from the co-browsing account. Online visitors stay.',
      ],
      ['This takes a few minutes.'],
    ),
    buttons(
      button({
        text: 'Delete all offline',
        actionId: ACTION.deleteOffline,
        value: 'all',
        label: 'Delete all offline visitors',
        style: 'danger',
      }),
    ),
  );
}

export function deleteOfflineForm(): FormContent {
  const words = message(
    lines([
      'All offline visitors and their history will be permanently deleted from the co-browsing account. This takes a few minutes.',
    ]),
  );
  return {
    submit: 'Delete',
    blocks: [
      ...words.blocks,
      {
        type: 'input',
        block_id: DELETE_FORM.block,
        label: { type: 'plain_text', text: `Type ${CONFIRMING_WORD} to confirm`, emoji: false },
        element: { type: 'plain_text_input', action_id: DELETE_FORM.action, max_length: 20 },
      },
    ],
  };
}

export function deleted(visitorId: string, by: string): Message {
  return done([user(by), ' deleted visitor ', code(short(visitorId, 60)), '.']);
}

export function deletedOffline(count: number | undefined, by: string): Message {
  const many = count === undefined ? 'all offline visitors' : counted(count, 'offline visitor');
  return waiting([user(by), ` is deleting ${many}. This takes a few minutes.`]);
}

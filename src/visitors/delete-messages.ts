import type { Visitor } from '../cobrowse/schemas.ts';
import { ACTION, DELETE_FORM } from '../messages/action-ids.ts';
import { button } from '../messages/buttons.ts';
import { buttons, context, done, lines, message, notice, refusal, waiting } from '../messages/message.ts';
import type { Message, Part } from '../messages/message.ts';
import type { FormContent } from '../messages/modal.ts';
import { bold, code, user } from '../messages/rich-text.ts';
import { count as counted, short } from '../messages/text.ts';
import { presence, visitorName, whoLine } from '../messages/visitor-pieces.ts';

/** What must be typed before everything that is offline is deleted. */
export const CONFIRMING_WORD = 'DELETE';

/** More can be found with a longer search. */
const MOST_CHOICES = 5;

function deleteButton(visitor: Visitor) {
  const name = visitorName(visitor);
  const email = short(visitor.email ?? '');
  const who = email === '' || email === name ? name : `${name} (${email})`;
  return button({
    text: 'Delete visitor',
    actionId: ACTION.deleteVisitor,
    value: visitor.short_id,
    label: `Delete visitor ${name}`,
    style: 'danger',
    confirm: {
      title: 'Delete this visitor?',
      text: `${who} and their history will be permanently deleted.`,
      yes: 'Delete',
      no: 'Keep',
    },
  });
}

/**
 * Asks before one visitor is deleted, and which, where several may be meant. The service refuses to delete visitors who are
 * online, so that isn't offered.
 *
 * @param text what found them
 */
export function deleteQuestion(visitors: readonly Visitor[], text: string): Message {
  const offline = visitors.filter((visitor) => visitor.is_online !== true);
  const online = visitors.length - offline.length;
  const [only] = visitors;
  if (offline.length === 0) {
    const who = only !== undefined && online === 1 ? visitorName(only) : `Everyone matching ${short(text)}`;
    return refusal(
      [bold(who), ' is online. Only offline visitors can be deleted.'],
      ['Try again once they’ve left.'],
    );
  }
  const shown = offline.slice(0, MOST_CHOICES);
  return message(
    lines(
      ...(visitors.length === 1
        ? []
        : [[`${counted(visitors.length, 'visitor')} matching `, bold(short(text)), '. Delete which one?']]),
      ['This permanently deletes the visitor and their history from the service.'],
    ),
    ...shown.flatMap((visitor): Part[] => [
      lines([...whoLine(visitor), ' · ', ...presence(visitor)]),
      buttons(deleteButton(visitor)),
    ]),
    context(
      online === 0 ? '' : `${online} of them can’t be deleted while online.`,
      shown.length === offline.length ? '' : 'Narrow your search to see more.',
    ),
  );
}

/** For somebody who can delete visitors but not see customers, so nothing sends them to a search. */
export function noVisitorToDelete(id: string): Message {
  return notice(
    ['No visitor has the ID ', code(short(id, 60)), '.'],
    ['Type the full ID. To search, you need permission to see customers.'],
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

import { z } from 'zod';
import { needAccount, type CobrowseClient } from '../cobrowse/client.ts';
import { CobrowseError } from '../cobrowse/errors.ts';
import type { Visitor } from '../cobrowse/schemas.ts';
import { defineCommand, defineForm, definePress } from '../commands/command.ts';
import { inputs } from '../commands/inputs.ts';
import type { Caller } from '../commands/rights.ts';
import { requiredSearch } from '../commands/typed.ts';
import {
  button,
  buttons,
  context,
  done,
  lines,
  message,
  notice,
  refusal,
  waiting,
  type Message,
  type Part,
} from '../messages/message.ts';
import type { FormContent } from '../messages/modal.ts';
import { bold, code, count as counted, short, user } from '../messages/text.ts';
import { presence, visitorName, whoLine } from '../messages/visitor-pieces.ts';
import type { App } from '../parts.ts';
import { visitorsMeant } from './visitor.ts';

/** Counted before they're deleted: the service doesn't return a count. */
const MOST_COUNTED = 1_000;
const MOST_CHOICES = 5;
/** Phones turn two hyphens into a dash. */
const ALL_OFFLINE = new Set(['--offline', '—offline', '–offline']);
export const CONFIRMING_WORD = 'DELETE';

const typedInput = inputs.text('typed', `Type ${CONFIRMING_WORD} to confirm`, { most: 20 });

/** Undefined unless the service itself can be asked for all who are offline. */
async function countOffline(cobrowse: CobrowseClient): Promise<number | undefined> {
  const { length, cutAtMiB } = await cobrowse.listVisitors({ online: false, limit: MOST_COUNTED });
  const isWhole = length < MOST_COUNTED && cutAtMiB === undefined;
  return isWhole && cobrowse.understands('searchOffline') === true ? length : undefined;
}

function deleteButton(visitor: Visitor) {
  const name = visitorName(visitor);
  const email = short(visitor.email ?? '');
  const who = email === '' || email === name ? name : `${name} (${email})`;
  return button({
    text: 'Delete customer',
    actionId: 'delete_visitor',
    value: visitor.short_id,
    label: `Delete customer ${name}`,
    style: 'danger',
    confirm: {
      title: 'Delete this customer?',
      text: `${who} and their history will be permanently deleted.`,
      yes: 'Delete',
      no: 'Keep',
    },
  });
}

/** Also asks which visitor, where several match. Not those online: the service refuses to delete them. */
export function deleteQuestion(visitors: readonly Visitor[], text: string): Message {
  const offline = visitors.filter((visitor) => visitor.is_online !== true);
  if (offline.length === 0)
    return refusal(
      ['Everyone matching ', bold(short(text)), ' is online. Only offline customers can be deleted.'],
      ['Try again once they’ve left.'],
    );
  const online = visitors.length - offline.length;
  const shown = offline.slice(0, MOST_CHOICES);
  const matching = `${counted(visitors.length, 'customer')} matching `;
  return message(
    lines(visitors.length > 1 && [matching, bold(short(text)), '. Delete which one?'], [
      'This permanently deletes the customer and their history from the service.',
    ]),
    ...shown.flatMap((visitor): Part[] => [
      lines([...whoLine(visitor), ' · ', ...presence(visitor)]),
      buttons(deleteButton(visitor)),
    ]),
    online > 0 && context(`${online} of them can’t be deleted while online.`),
    shown.length < offline.length && context('Narrow your search to see more.'),
  );
}

const deleteOfflineQuestion: Message = message(
  lines(
    [
      'This permanently deletes ',
      bold('all offline customers'),
      ' and their history from the co-browsing account. Online customers stay.',
    ],
    ['This takes a few minutes.'],
  ),
  buttons(
    button({
      text: 'Delete all offline',
      actionId: 'delete_offline',
      label: 'Delete all offline customers',
      style: 'danger',
    }),
  ),
);

export function deleteOfflineForm(): FormContent {
  const { blocks } = notice([
    'All offline customers and their history will be permanently deleted from the co-browsing account. This takes a few minutes.',
  ]);
  return { submit: 'Delete', blocks: [...blocks, typedInput.show('')] };
}

export const deleted = (visitorId: string, by: string): Message =>
  done([user(by), ' deleted visitor ', code(short(visitorId, 60)), '.']);

export function createDeleteCommand({ mayAct, recording }: Pick<App, 'mayAct' | 'recording'>) {
  const typedForm = defineForm({
    callbackId: 'delete_offline_form',
    title: 'Delete offline customers',
    right: 'delete',
    complaints: (filled) => ({
      typed:
        typedInput.read(filled) !== CONFIRMING_WORD && `Type ${CONFIRMING_WORD}, in capitals, to continue.`,
    }),
    async run(_submission, caller) {
      const { cobrowse } = caller.workspace;
      // Goes on without the number: if the service is down, the deletion itself fails.
      const count = await countOffline(cobrowse).catch(() => undefined);
      const deletion = { action: 'delete', detail: { what: 'all-offline', count } } as const;
      await recording.announced(caller, deletion, () => cobrowse.deleteOfflineVisitors());
      const many = count === undefined ? 'all offline customers' : counted(count, 'offline customer');
      return waiting([user(caller.userId), ` is deleting ${many}. This takes a few minutes.`]);
    },
  });

  async function ask(text: string, caller: Caller): Promise<Message> {
    const { cobrowse } = caller.workspace;
    needAccount(cobrowse);
    const all = ALL_OFFLINE.has(text.toLowerCase());
    if (!cobrowse.offers[all ? 'deleteOfflineVisitors' : 'deleteVisitor'])
      throw new CobrowseError('not-offered', 'This deployment deletes no visitors.');
    if (all) return deleteOfflineQuestion;
    const { found } = await visitorsMeant(text, caller, { mayAct, recording });
    return deleteQuestion(found, text);
  }

  const press = { answer: 'replace', right: 'delete', value: z.string().min(1) } as const;
  return defineCommand({
    name: 'delete',
    usage: 'delete <name, email, id or --offline>',
    summary: 'Delete one customer, or all who are offline (admins only, asks first)',
    right: 'delete',
    examples: ['delete jane', 'delete --offline'],
    level: 'admin',
    needs: 'deleteVisitor',
    searches: true,
    argument: requiredSearch('Which customer?'),
    run: ask,
    presses: [
      definePress({
        ...press,
        actionId: 'delete_visitor',
        async run(visitorId, caller) {
          const deletion = { action: 'delete', visitorId } as const;
          const act = () => caller.workspace.cobrowse.deleteVisitor(visitorId);
          await recording.announced(caller, deletion, act);
          return deleted(visitorId, caller.userId);
        },
      }),
      definePress({
        ...press,
        actionId: 'delete_offline',
        answer: 'add',
        opens: { form: typedForm, content: async () => deleteOfflineForm() },
      }),
    ],
    forms: [typedForm],
  });
}

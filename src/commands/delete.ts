import { z } from 'zod';
import { CobrowseError } from '../cobrowse/errors.ts';
import { ACTION, DELETE_FORM } from '../views/action-ids.ts';
import {
  CONFIRMING_WORD,
  deleteOfflineForm,
  deleteOfflineQuestion,
  deleteQuestion,
  deleted,
  deletedOffline,
  mayNotDelete,
} from '../views/delete.ts';
import type { Message } from '../views/message.ts';
import type { Caller } from './caller.ts';
import { defineCommand } from './command.ts';
import type { Form } from './form.ts';
import { definePress } from './press.ts';
import type { Services } from './services.ts';
import { requiredText } from './slack-input.ts';

/** Counted before they are gone, as far as the service lists them: it tells no count itself. */
const MOST_COUNTED = 1_000;

const ALL_OFFLINE = '--offline';

/** Asked at every step, and at the act itself: whoever drew the button may have lost the right since. */
async function ifAllowed(caller: Caller, services: Services, act: () => Promise<Message>): Promise<Message> {
  return (await services.mayDelete(caller)) ? act() : mayNotDelete();
}

const typedForm: Form = {
  callbackId: DELETE_FORM.callbackId,
  title: 'Delete offline visitors',
  complaints: (filled) =>
    // A phone's keyboard adds a space after a word.
    filled[DELETE_FORM.block]?.[0]?.trim() === CONFIRMING_WORD
      ? {}
      : { [DELETE_FORM.block]: `Type ${CONFIRMING_WORD}, in capitals, to go on.` },
  run: (_filled, caller, services) =>
    ifAllowed(caller, services, async () => {
      const { cobrowse, recordDeletion } = services;
      const offline = await cobrowse.listVisitors({ search: '-online', limit: MOST_COUNTED });
      const count = offline.length < MOST_COUNTED ? offline.length : undefined;
      await cobrowse.deleteOfflineVisitors();
      await recordDeletion(caller, 'all offline visitors', count);
      return deletedOffline(count, caller.userId);
    }),
};

export const deleteCommand = defineCommand({
  name: 'delete',
  usage: 'delete <visitor id or --offline>',
  summary: 'Delete one visitor, or all who are offline; for admins, and asks first.',
  argument: requiredText('Which visitor? Give an id, or --offline for all who are offline.'),
  run: (text, caller, services) =>
    ifAllowed(caller, services, async () => {
      const { cobrowse } = services;
      // Phones turn two hyphens into a dash.
      const all = [ALL_OFFLINE, '—offline', '–offline'].includes(text.toLowerCase());
      if (!(all ? cobrowse.offers.deleteOfflineVisitors : cobrowse.offers.deleteVisitor)) {
        throw new CobrowseError('not-offered', 'This deployment deletes no visitors.');
      }
      return all ? deleteOfflineQuestion() : deleteQuestion(await cobrowse.visitor(text));
    }),
  presses: [
    definePress({
      actionId: ACTION.deleteVisitor,
      answer: 'replace',
      value: z.string().min(1),
      run: (visitorId, caller, services) =>
        ifAllowed(caller, services, async () => {
          await services.cobrowse.deleteVisitor(visitorId);
          await services.recordDeletion(caller, visitorId, 1);
          return deleted(visitorId, caller.userId);
        }),
    }),
    definePress({
      actionId: ACTION.deleteOffline,
      answer: 'add',
      value: z.string(),
      opens: { form: typedForm, content: deleteOfflineForm },
      run: async () => undefined,
    }),
  ],
  forms: [typedForm],
});

import { watchLinkNotSearched } from '../messages/refusals.ts';
import { isForbidden } from '../commands/search-text.ts';
import { requiredSearch } from '../commands/search-text.ts';
import { z } from 'zod';
import type { CobrowseClient } from '../cobrowse/client.ts';
import { CobrowseError } from '../cobrowse/errors.ts';
import { ACTION, DELETE_FORM } from '../messages/action-ids.ts';
import {
  CONFIRMING_WORD,
  deleteOfflineForm,
  deleteOfflineQuestion,
  deleteQuestion,
  deleted,
  deletedOffline,
  noVisitorToDelete,
} from './delete-messages.ts';
import type { Message } from '../messages/message.ts';
import { noVisitors } from './visitor-list.ts';
import { ifAllowed } from '../commands/allowed.ts';
import type { Caller } from '../commands/caller.ts';
import { defineCommand } from '../commands/command.ts';
import type { Form } from '../commands/form.ts';
import { definePress } from '../commands/press.ts';
import { offeringRetry } from '../commands/retry.ts';
import type { Uses } from '../services.ts';
import { visitorsMeant } from './visitors-meant.ts';

/** Counted before they're deleted: the service doesn't return a count. */
const MOST_COUNTED = 1_000;

const ALL_OFFLINE = '--offline';

interface Asking {
  readonly caller: Caller;
  readonly services: Uses<'cobrowse' | 'mayAct' | 'record' | 'recording' | 'linkHosts'>;
}

/** Undefined unless the service itself can be asked for all who are offline. */
async function countOffline(cobrowse: CobrowseClient): Promise<number | undefined> {
  const { length } = await cobrowse.listVisitors({ online: false, limit: MOST_COUNTED });
  return length < MOST_COUNTED && cobrowse.understands('searchOffline') === true ? length : undefined;
}

const typedForm: Form = {
  callbackId: DELETE_FORM.callbackId,
  title: 'Delete offline visitors',
  complaints: (filled) =>
    // A phone's keyboard adds a space after a word.
    filled[DELETE_FORM.block]?.[0]?.trim() === CONFIRMING_WORD
      ? {}
      : { [DELETE_FORM.block]: `Type ${CONFIRMING_WORD}, in capitals, to continue.` },
  run: (_submission, caller, services) =>
    ifAllowed('delete', { caller, services }, async () => {
      const { cobrowse, recording } = services;
      // Goes on without the number: if the service is down, the deletion itself fails.
      const count = await countOffline(cobrowse).catch(() => undefined);
      const many = count === undefined ? {} : { count };
      const deletion = { action: 'delete', detail: { what: 'all-offline', ...many } } as const;
      await recording.announced(caller, deletion, () => cobrowse.deleteOfflineVisitors());
      return deletedOffline(count, caller.userId);
    }),
};

async function choice(text: string, asking: Asking): Promise<Message> {
  const { found, isByIdAlone } = await visitorsMeant(text, asking);
  if (found.length === 0) return isByIdAlone ? noVisitorToDelete(text) : noVisitors(text);
  return deleteQuestion(found, text);
}

/** Asks whether, and of whom. @param text an id, what finds the visitor, or that all who are offline are meant */
function ask(text: string, caller: Caller, services: Asking['services']): Promise<Message> {
  return ifAllowed('delete', { caller, services }, async () => {
    const { offers } = services.cobrowse;
    // Phones turn two hyphens into a dash.
    const all = [ALL_OFFLINE, '—offline', '–offline'].includes(text.toLowerCase());
    if (!(all ? offers.deleteOfflineVisitors : offers.deleteVisitor))
      throw new CobrowseError('not-offered', 'This deployment deletes no visitors.');
    if (all) return deleteOfflineQuestion();
    if (isForbidden(text, services)) return watchLinkNotSearched;
    const again = { actionId: ACTION.deleteRetry, value: text };
    return offeringRetry(again, () => choice(text, { caller, services }));
  });
}

export const deleteCommand = defineCommand({
  name: 'delete',
  usage: 'delete <name, email, id or --offline>',
  summary: 'Delete one visitor, or all who are offline (admins only, asks first)',
  examples: ['delete jane', 'delete --offline'],
  level: 'admin',
  needs: 'deleteVisitor',
  searches: true,
  argument: requiredSearch('Which visitor?'),
  run: ask,
  presses: [
    definePress({ actionId: ACTION.deleteRetry, answer: 'replace', value: z.string().min(1), run: ask }),
    definePress({
      actionId: ACTION.deleteVisitor,
      answer: 'replace',
      value: z.string().min(1),
      run: (visitorId, caller, services) =>
        ifAllowed('delete', { caller, services }, async () => {
          const { cobrowse, recording } = services;
          const deletion = { action: 'delete', visitorId } as const;
          await recording.announced(caller, deletion, () => cobrowse.deleteVisitor(visitorId));
          return deleted(visitorId, caller.userId);
        }),
    }),
    definePress({
      actionId: ACTION.deleteOffline,
      answer: 'add',
      value: z.string(),
      opens: { form: typedForm, content: async () => deleteOfflineForm() },
      run: async () => undefined,
    }),
  ],
  forms: [typedForm],
});

import { z } from 'zod';
import type { Recording } from '../audit/recording.ts';
import type { CobrowseClient } from '../cobrowse/client.ts';
import { CobrowseError } from '../cobrowse/errors.ts';
import type { Caller } from '../commands/caller.ts';
import { defineCommand } from '../commands/command.ts';
import { defineForm } from '../commands/form.ts';
import { definePress } from '../commands/press.ts';
import { offeringRetry } from '../commands/retry.ts';
import { isForbidden, requiredSearch } from '../commands/search-text.ts';
import { ACTION, DELETE_FORM } from '../messages/action-ids.ts';
import type { Message } from '../messages/message.ts';
import { watchLinkNotSearched } from '../messages/refusals.ts';
import type { MayAct } from '../permissions/acts.ts';
import {
  CONFIRMING_WORD,
  deleteOfflineForm,
  deleteOfflineQuestion,
  deleteQuestion,
  deleted,
  deletedOffline,
  noVisitorToDelete,
} from './delete-messages.ts';
import { noVisitors } from './visitor-list.ts';
import { visitorsMeant } from './visitors-meant.ts';

/** Counted before they're deleted: the service doesn't return a count. */
const MOST_COUNTED = 1_000;

const ALL_OFFLINE = '--offline';

/** Undefined unless the service itself can be asked for all who are offline. */
async function countOffline(cobrowse: CobrowseClient): Promise<number | undefined> {
  const { length } = await cobrowse.listVisitors({ online: false, limit: MOST_COUNTED });
  return length < MOST_COUNTED && cobrowse.understands('searchOffline') === true ? length : undefined;
}

export function createDeleteCommand(parts: {
  readonly mayAct: MayAct;
  readonly recording: Pick<Recording, 'search' | 'announced'>;
}) {
  const { recording } = parts;

  const typedForm = defineForm({
    callbackId: DELETE_FORM.callbackId,
    title: 'Delete offline visitors',
    right: 'delete',
    complaints: (filled) =>
      // A phone's keyboard adds a space after a word.
      filled[DELETE_FORM.block]?.[0]?.trim() === CONFIRMING_WORD
        ? {}
        : { [DELETE_FORM.block]: `Type ${CONFIRMING_WORD}, in capitals, to continue.` },
    async run(_submission, caller) {
      const { cobrowse } = caller.workspace;
      // Goes on without the number: if the service is down, the deletion itself fails.
      const count = await countOffline(cobrowse).catch(() => undefined);
      const many = count === undefined ? {} : { count };
      const deletion = { action: 'delete', detail: { what: 'all-offline', ...many } } as const;
      await recording.announced(caller, deletion, () => cobrowse.deleteOfflineVisitors());
      return deletedOffline(count, caller.userId);
    },
  });

  async function choice(text: string, caller: Caller): Promise<Message> {
    const { found, isByIdAlone } = await visitorsMeant(text, caller, parts);
    if (found.length === 0) return isByIdAlone ? noVisitorToDelete(text) : noVisitors(text);
    return deleteQuestion(found, text);
  }

  /** Asks whether, and of whom. @param text an id, what finds the visitor, or that all who are offline are meant */
  async function ask(text: string, caller: Caller): Promise<Message> {
    const { offers } = caller.workspace.cobrowse;
    // Phones turn two hyphens into a dash.
    const all = [ALL_OFFLINE, '—offline', '–offline'].includes(text.toLowerCase());
    if (!(all ? offers.deleteOfflineVisitors : offers.deleteVisitor))
      throw new CobrowseError('not-offered', 'This deployment deletes no visitors.');
    if (all) return deleteOfflineQuestion();
    if (isForbidden(text, caller)) return watchLinkNotSearched;
    return offeringRetry({ actionId: ACTION.deleteRetry, value: text }, () => choice(text, caller));
  }

  return defineCommand({
    name: 'delete',
    usage: 'delete <name, email, id or --offline>',
    summary: 'Delete one visitor, or all who are offline (admins only, asks first)',
    right: 'delete',
    examples: ['delete jane', 'delete --offline'],
    level: 'admin',
    needs: 'deleteVisitor',
    searches: true,
    argument: requiredSearch('Which visitor?'),
    run: ask,
    presses: [
      definePress({
        actionId: ACTION.deleteRetry,
        answer: 'replace',
        right: 'delete',
        value: z.string().min(1),
        run: ask,
      }),
      definePress({
        actionId: ACTION.deleteVisitor,
        answer: 'replace',
        right: 'delete',
        value: z.string().min(1),
        async run(visitorId, caller) {
          const deletion = { action: 'delete', visitorId } as const;
          const act = () => caller.workspace.cobrowse.deleteVisitor(visitorId);
          await recording.announced(caller, deletion, act);
          return deleted(visitorId, caller.userId);
        },
      }),
      definePress({
        actionId: ACTION.deleteOffline,
        answer: 'add',
        right: 'delete',
        value: z.string(),
        opens: { form: typedForm, content: async () => deleteOfflineForm() },
      }),
    ],
    forms: [typedForm],
  });
}

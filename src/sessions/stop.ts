import { watchLinkNotSearched } from '../messages/refusals.ts';
import { isForbidden } from '../commands/search-text.ts';
import { requiredSearch } from '../commands/search-text.ts';
import { z } from 'zod';
import type { Limits } from '../cobrowse/client.ts';
import type { Visitor } from '../cobrowse/schemas.ts';
import { ACTION, STOP_FORM } from '../messages/action-ids.ts';
import { noVisitors } from '../visitors/visitor-list.ts';
import type { Message } from '../messages/message.ts';
import {
  LONGEST_REASON,
  noVisitorWithId,
  nobodyInSession,
  stopChoice,
  stopForm,
  stopNotOffered,
  stopped,
} from './stop-messages.ts';
import { ifAllowed, mayLook } from '../commands/allowed.ts';
import type { Caller } from '../commands/caller.ts';
import { onlyClue, visitorClues } from '../commands/clues.ts';
import { defineCommand } from '../commands/command.ts';
import type { Form } from '../commands/form.ts';
import { definePress } from '../commands/press.ts';
import type { Uses } from '../services.ts';
import { offeringRetry } from '../commands/retry.ts';
import { byIdAlone, visitorsMeant } from '../visitors/visitors-meant.ts';

const MOST_CHOICES = 5;
/** A stop that was confirmed waits no longer to learn what it stops. */
const LOOK_MS = 1_500;

interface Asking {
  readonly caller: Caller;
  readonly services: Uses<'cobrowse' | 'mayAct' | 'record' | 'recording' | 'linkHosts' | 'partnersOf'>;
}

/** Those in a session; where the service doesn't say who is, those who may be. */
function stoppable(found: readonly Visitor[]): readonly Visitor[] {
  const inSession = found.filter((visitor) => visitor.is_in_session === true);
  const maybe = found.filter((visitor) => visitor.is_in_session === undefined);
  return (inSession.length === 0 ? maybe : inSession).slice(0, MOST_CHOICES);
}

/** A pasted email alone never stops anyone. */
async function choice(text: string, asking: Asking): Promise<Message> {
  const { found, isByIdAlone } = await visitorsMeant(text, asking);
  if (found.length === 0) return isByIdAlone ? noVisitorWithId(text) : noVisitors(text);
  const offered = stoppable(found);
  if (offered.length === 0) return nobodyInSession(found.slice(0, MOST_CHOICES), text);
  const { caller, services } = asking;
  return stopChoice(offered, isByIdAlone ? new Map() : await services.partnersOf(caller, offered));
}

/**
 * The visitor, for its name and whether a session runs; its id if it can't be looked up, and no name for people who can't
 * see customers. Never rejects: a session can be stopped without either.
 */
async function looked(visitorId: string, { caller, services }: Asking, limits: Limits = {}) {
  const [visitor, isShown] = await Promise.all([
    services.cobrowse.visitor(visitorId, limits).catch(() => undefined),
    mayLook({ caller, services }).catch(() => false),
  ]);
  const shown: Visitor | string = visitor === undefined ? visitorId : isShown ? visitor : byIdAlone(visitor);
  return { shown, sessions: visitor?.sessions ?? [] };
}

const form: Form = {
  callbackId: STOP_FORM.callbackId,
  title: 'Stop session',
  complaints: ({ [STOP_FORM.reasonBlock]: reason }) =>
    (reason?.[0] ?? '').length > LONGEST_REASON
      ? { [STOP_FORM.reasonBlock]: `At most ${LONGEST_REASON} characters, please.` }
      : {},
  run: ({ filled, about: visitorId }, caller, services) =>
    ifAllowed('stop', { caller, services }, async () => {
      const { cobrowse, runningSessions, recordingStop } = services;
      const reason = filled[STOP_FORM.reasonBlock]?.[0]?.trim() ?? '';
      // Read before the stop: the service confirms it whether or not a session ran, and doesn't say which.
      const visitor = await looked(visitorId, { caller, services }, { once: true, timeoutMs: LOOK_MS });
      const sessionIds = await runningSessions(caller.workspaceId, visitorId, visitor.sessions);
      const by = { ...caller, sessionIds, ...(reason === '' ? {} : { reason }) };
      const isNamed = await recordingStop(visitorId, by, () => cobrowse.stopSession(visitorId));
      const notPosted = sessionIds.length === 0 ? 'unseen' : 'unsaved';
      return stopped(visitor.shown, caller.userId, reason === '' || isNamed ? undefined : notPosted);
    }),
};

/** Asks which session is meant. @param text an id, or what finds the visitor */
function ask(text: string, caller: Caller, services: Asking['services']): Promise<Message> {
  return ifAllowed('stop', { caller, services }, async () => {
    if (!services.cobrowse.offers.stopSession) return stopNotOffered;
    if (isForbidden(text, services)) return watchLinkNotSearched;
    const again = { actionId: ACTION.stopRetry, value: text };
    return offeringRetry(again, () => choice(text, { caller, services }));
  });
}

export const stopCommand = defineCommand({
  name: 'stop',
  usage: 'stop <name, email or id>',
  summary: 'End a session (asks first)',
  examples: ['stop jane'],
  level: 'everyday',
  needs: 'stopSession',
  searches: true,
  argument: requiredSearch('Whose session?'),
  run: ask,
  forms: [form],
  presses: [
    definePress({ actionId: ACTION.stopRetry, answer: 'replace', value: z.string().min(1), run: ask }),
    definePress({
      actionId: ACTION.stop,
      answer: 'add',
      value: z.string().min(1),
      opens: {
        form,
        content: (visitorId, caller, services) =>
          ifAllowed('stop', { caller, services }, async () => {
            const { cobrowse, linksInUse } = services;
            if (!cobrowse.offers.stopSession) return stopNotOffered;
            const { workspaceId, userId } = caller;
            const [visitor, links] = await Promise.all([
              looked(visitorId, { caller, services }),
              // Whose session it is isn't needed to end it.
              linksInUse(workspaceId, visitorId).catch(() => []),
            ]);
            return stopForm({ visitor: visitor.shown, askedBy: userId, links });
          }),
      },
      run: async () => undefined,
    }),
  ],
  shortcut: {
    callbackId: 'stop_session',
    title: 'Stop session',
    label: 'Visitor',
    asksFor: 'a name, an email or a visitor ID',
    offersNotes: false,
    clues: visitorClues,
    clear: (message) => onlyClue(visitorClues(message)),
    ofVisitor: ask,
  },
});

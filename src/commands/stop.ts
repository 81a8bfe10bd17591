import { z } from 'zod';
import type { CobrowseClient } from '../cobrowse/client.ts';
import { CobrowseError } from '../cobrowse/errors.ts';
import { VisitorSchema } from '../cobrowse/schemas.ts';
import type { Visitor } from '../cobrowse/schemas.ts';
import { ACTION, STOP_FORM } from '../views/action-ids.ts';
import { noVisitors } from '../views/visitor-list.ts';
import type { Message } from '../views/message.ts';
import { LONGEST_REASON, noVisitorWithId, stopChoice, stopForm, stopped } from '../views/stop.ts';
import { ifAllowed, mayLook } from './allowed.ts';
import type { Caller } from './caller.ts';
import { onlyClue, visitorClues } from './clues.ts';
import { defineCommand } from './command.ts';
import type { Form } from './form.ts';
import { definePress } from './press.ts';
import type { Uses } from './services.ts';
import { requiredText } from './slack-input.ts';

const MOST_CHOICES = 5;

interface Asking {
  readonly caller: Caller;
  readonly services: Uses<'cobrowse' | 'mayAct' | 'record' | 'recording'>;
}

/** The visitor with that id; nobody where there is none. */
async function withId(id: string, cobrowse: CobrowseClient): Promise<readonly Visitor[]> {
  try {
    return [await cobrowse.visitor(id)];
  } catch (error) {
    if (!(error instanceof CobrowseError) || error.kind !== 'not-found') throw error;
    return [];
  }
}

/** The visitor with that id; else who is found by that text. A pasted email stops nobody by itself. */
async function candidates(text: string, cobrowse: CobrowseClient): Promise<readonly Visitor[]> {
  const known = await withId(text, cobrowse);
  if (known.length > 0) return known;
  const found = await cobrowse.listVisitors({ search: text, limit: MOST_CHOICES * 4 });
  const inSession = found.filter((visitor) => visitor.is_in_session === true);
  return (inSession.length === 0 ? found : inSession).slice(0, MOST_CHOICES);
}

/** Of the visitor no more than who asks for it by its id knows already, and whether a session runs. */
const byIdAlone = ({ short_id, is_in_session }: Visitor): Visitor =>
  VisitorSchema.parse({ short_id, is_in_session });

/** Who may stop and may not look at customers names the visitor by its id: for them nothing is searched. */
async function choice(text: string, { caller, services }: Asking): Promise<Message> {
  const { cobrowse, recording } = services;
  if (await mayLook({ caller, services })) {
    const visitors = await recording.search(caller, text, () => candidates(text, cobrowse));
    return visitors.length === 0 ? noVisitors(text) : stopChoice(visitors);
  }
  const visitors = await recording.search(caller, text, () => withId(text, cobrowse));
  return visitors.length === 0 ? noVisitorWithId(text) : stopChoice(visitors.map(byIdAlone));
}

/**
 * The visitor, for its name and whether a session runs; its id where it cannot be looked up, and no name for who may not
 * look at customers. Never rejects: without either, a session can be stopped.
 */
async function looked(visitorId: string, { caller, services }: Asking): Promise<Visitor | string> {
  const [visitor, isShown] = await Promise.all([
    services.cobrowse.visitor(visitorId).catch(() => undefined),
    mayLook({ caller, services }).catch(() => false),
  ]);
  if (visitor === undefined) return visitorId;
  return isShown ? visitor : byIdAlone(visitor);
}

/** Before anybody is asked for a reason. */
function checkOffered({ offers }: Pick<CobrowseClient, 'offers'>): void {
  if (!offers.stopSession) throw new CobrowseError('not-offered', 'This deployment stops no sessions.');
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
      const { cobrowse, recordingStop } = services;
      const reason = filled[STOP_FORM.reasonBlock]?.[0]?.trim();
      const by = { ...caller, ...(reason === undefined || reason === '' ? {} : { reason }) };
      // Before the stop, which the service confirms whether or not a session ran; one may have begun since.
      const visitor = await looked(visitorId, { caller, services });
      await recordingStop(visitorId, by, () => cobrowse.stopSession(visitorId));
      return stopped(visitor, caller.userId);
    }),
};

/** Asks which session is meant. @param text an id, or what finds the visitor */
function ask(text: string, caller: Caller, services: Asking['services']): Promise<Message> {
  return ifAllowed('stop', { caller, services }, async () => {
    checkOffered(services.cobrowse);
    return choice(text, { caller, services });
  });
}

export const stopCommand = defineCommand({
  name: 'stop',
  usage: 'stop <visitor id>',
  summary: 'End the session with a visitor; asks before it does.',
  needs: 'stopSession',
  argument: requiredText('Whose session? The visitor id is missing.'),
  run: ask,
  forms: [form],
  presses: [
    definePress({
      actionId: ACTION.stop,
      answer: 'add',
      value: z.string().min(1),
      opens: {
        form,
        content: (visitorId, caller, services) =>
          ifAllowed('stop', { caller, services }, async () => {
            const { cobrowse, linksInUse } = services;
            checkOffered(cobrowse);
            const { workspaceId, userId } = caller;
            const [visitor, links] = await Promise.all([
              looked(visitorId, { caller, services }),
              linksInUse(workspaceId, visitorId),
            ]);
            return stopForm({ visitor, askedBy: userId, links });
          }),
      },
      run: async () => undefined,
    }),
  ],
  shortcut: {
    callbackId: 'stop_session',
    title: 'Stop session',
    label: 'Visitor',
    asksFor: 'a name, an email or a visitor id',
    offersNotes: false,
    clues: visitorClues,
    clear: (message) => onlyClue(visitorClues(message)),
    ofVisitor: ask,
  },
});

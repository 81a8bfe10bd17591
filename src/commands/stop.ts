import { z } from 'zod';
import type { CobrowseClient } from '../cobrowse/client.ts';
import { CobrowseError } from '../cobrowse/errors.ts';
import type { Visitor } from '../cobrowse/schemas.ts';
import { ACTION, STOP_FORM } from '../views/action-ids.ts';
import { noVisitors } from '../views/visitor-list.ts';
import { LONGEST_REASON, stopChoice, stopForm, stopped } from '../views/stop.ts';
import { ifAllowed } from './allowed.ts';
import { visitorClues } from './clues.ts';
import { defineCommand } from './command.ts';
import type { Form } from './form.ts';
import { definePress } from './press.ts';
import { requiredText } from './slack-input.ts';

const MOST_CHOICES = 5;

/** The visitor with that id; else who is found by that text. A pasted email stops nobody by itself. */
async function candidates(text: string, cobrowse: CobrowseClient): Promise<readonly Visitor[]> {
  try {
    return [await cobrowse.visitor(text)];
  } catch (error) {
    if (!(error instanceof CobrowseError) || error.kind !== 'not-found') throw error;
  }
  const found = await cobrowse.listVisitors({ search: text, limit: MOST_CHOICES * 4 });
  const inSession = found.filter((visitor) => visitor.is_in_session === true);
  return (inSession.length === 0 ? found : inSession).slice(0, MOST_CHOICES);
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
      await recordingStop(visitorId, by, () => cobrowse.stopSession(visitorId));
      const visitor = await cobrowse.visitor(visitorId).catch(() => undefined);
      return stopped(visitor ?? visitorId, caller.userId);
    }),
};

export const stopCommand = defineCommand({
  name: 'stop',
  usage: 'stop <visitor id>',
  summary: 'End the session with a visitor; asks before it does.',
  argument: requiredText('Whose session? The visitor id is missing.'),
  run: (text, caller, services) =>
    ifAllowed('stop', { caller, services }, async () => {
      checkOffered(services.cobrowse);
      const { cobrowse, recording } = services;
      const visitors = await recording.search(caller, text, () => candidates(text, cobrowse));
      return visitors.length === 0 ? noVisitors(text) : stopChoice(visitors);
    }),
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
              cobrowse.visitor(visitorId).catch(() => undefined),
              linksInUse(workspaceId, visitorId),
            ]);
            return stopForm({ visitor: visitor ?? visitorId, askedBy: userId, links });
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
    ask: 'when-unclear',
    offersNotes: false,
    clues: visitorClues,
  },
});

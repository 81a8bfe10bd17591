import { z } from 'zod';
import type { CobrowseClient } from '../cobrowse/client.ts';
import { CobrowseError } from '../cobrowse/errors.ts';
import type { Visitor } from '../cobrowse/schemas.ts';
import { ACTION } from '../views/action-ids.ts';
import { noVisitors } from '../views/visitor-list.ts';
import { stopChoice, stopped } from '../views/stop.ts';
import { visitorClues } from './clues.ts';
import { defineCommand } from './command.ts';
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

export const stopCommand = defineCommand({
  name: 'stop',
  usage: 'stop <visitor id>',
  summary: 'End the session with a visitor; asks before it does.',
  argument: requiredText('Whose session? The visitor id is missing.'),
  async run(text, _caller, { cobrowse }) {
    const visitors = await candidates(text, cobrowse);
    return visitors.length === 0 ? noVisitors(text) : stopChoice(visitors);
  },
  presses: [
    definePress({
      actionId: ACTION.stop,
      answer: 'add',
      value: z.string().min(1),
      async run(visitorId, caller, { cobrowse, recordingStop }) {
        await recordingStop(visitorId, caller, () => cobrowse.stopSession(visitorId));
        const name = await cobrowse.visitor(visitorId).catch(() => undefined);
        return stopped(name ?? visitorId, caller.userId);
      },
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

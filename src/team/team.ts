import type { App } from '../parts.ts';
import type { KeyOf } from '../sessions/session-poller.ts';
import type { SessionEvents } from '../sessions/subscribers.ts';
import type { createSessions } from '../sessions/sessions.ts';
import type { Showing } from '../visitors/visitor.ts';
import { createAfterSession, createOutcomes } from './after-session.ts';
import { createAgentCommand } from './agent.ts';
import { createAskKinds, type VisitorToolsOf } from './ask-deliveries.ts';
import { createAskForms } from './ask-forms.ts';
import { removeOldAsks, type Asks } from './asks.ts';
import { createFollowUps, removeOldFollowUps } from './follow-ups.ts';
import { createFollowUpForms } from './follow-up-forms.ts';
import { createFollowUpKind, createFollowUpLists } from './follow-up-lists.ts';
import { createSessionsCommand } from './sessions-command.ts';
import { createStopCommand } from './stop.ts';

interface TeamParts {
  readonly sessions: Pick<ReturnType<typeof createSessions>, 'links' | 'stops' | 'sessionEnds'>;
  readonly asks: Asks;
  readonly events: SessionEvents;
  readonly showing: Showing;
  readonly visitorToolsOf: VisitorToolsOf;
  readonly keyOf: KeyOf;
}

/** What colleagues do around a session: the room's commands, and the buttons of the cards and summaries of `sessions/`. */
export function createTeam(
  app: App,
  { sessions: { links, stops, sessionEnds }, asks, events, showing, visitorToolsOf, keyOf }: TeamParts,
) {
  const { outbox } = app;
  for (const kind of createAskKinds(app, asks, visitorToolsOf)) outbox.register(kind);
  const kept = createFollowUps(app);
  outbox.register(createFollowUpKind(app, kept));
  const forms = createFollowUpForms(app, kept);
  const outcomes = createOutcomes(app, sessionEnds, events);
  const afterSession = createAfterSession(app, outcomes, forms, showing.visitorTools);
  const followUps = createFollowUpLists(app, kept, forms);
  const asking = createAskForms(app, asks, showing);
  const sessionsCommand = createSessionsCommand(app);
  return {
    buttons: {
      presses: [...afterSession.presses, ...asking.presses],
      forms: [...afterSession.forms, ...asking.forms],
    },
    followUps,
    sessionsCommand,
    /** In the order of help. */
    commands: [
      createAgentCommand(app),
      createStopCommand(app, stops, { links, keyOf }, showing.partnersOf),
      sessionsCommand,
      followUps.command,
    ],
    removals: [removeOldAsks, removeOldFollowUps],
  };
}

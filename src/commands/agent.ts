import { CobrowseError } from '../cobrowse/errors.ts';
import { agentCard, noAgent, noEmail } from '../views/agent-card.ts';
import type { Message } from '../views/message.ts';
import { emailsIn } from './clues.ts';
import { defineCommand } from './command.ts';
import type { Caller, Uses } from './command.ts';
import { mentionedUser, requiredText } from './slack-input.ts';

async function show(
  text: string,
  caller: Caller,
  { cobrowse, emailOf }: Uses<'cobrowse' | 'emailOf'>,
): Promise<Message> {
  const slackUserId = mentionedUser(text);
  const email = slackUserId === undefined ? text : await emailOf(caller.workspaceId, slackUserId);
  if (email === undefined) return noEmail(slackUserId ?? caller.userId, 'agent');
  try {
    return agentCard(await cobrowse.lookupAgent({ email }));
  } catch (error) {
    if (error instanceof CobrowseError && error.kind === 'not-found') return noAgent(email, slackUserId);
    throw error;
  }
}

export const agentCommand = defineCommand({
  name: 'agent',
  usage: 'agent <email or @person>',
  summary: 'Show a co-browsing agent and their latest sessions.',
  argument: requiredText('Which agent? Give an email address or @mention a person.').refine(
    (text) => mentionedUser(text) !== undefined || /\S@\S/.test(text),
    'That is no email address and no @mention.',
  ),
  run: show,
  shortcut: {
    callbackId: 'look_up_agent',
    title: 'Look up agent',
    label: 'Email of the agent',
    asksFor: 'the email of the agent',
    ask: 'when-unclear',
    clues: (message) => [
      ...(message.authorId === undefined
        ? []
        : [{ text: 'The author of the message', argument: `<@${message.authorId}>` }]),
      ...emailsIn(message),
    ],
  },
});

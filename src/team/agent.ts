import { z } from 'zod';
import type { AgentKey } from '../cobrowse/client.ts';
import { CobrowseError } from '../cobrowse/errors.ts';
import { ACTION } from '../messages/action-ids.ts';
import { agentCard, noAgent, SESSIONS_SHOWN } from './agent-card.ts';
import { noEmail } from '../messages/failure-words.ts';
import type { Message } from '../messages/message.ts';
import type { Caller } from '../commands/rights.ts';
import { emailClues, type Clues, type SharedMessage } from '../commands/clues.ts';
import { defineCommand, definePress, jsonText } from '../commands/command.ts';
import type { App } from '../parts.ts';
import { mentionedUser, searchText } from '../commands/typed.ts';

/** After a few seconds, people are told that the answer will follow. */
const LOOK_UP_MS = 15_000;

const EXTERNAL = 'external:';

const More = z.object({
  key: z.union([z.object({ email: z.string() }), z.object({ externalId: z.string() })]),
  offset: z.int().min(0),
});

const isNotFound = (error: unknown) => error instanceof CobrowseError && error.kind === 'not-found';

function agentClues(message: SharedMessage): Clues {
  const emails = emailClues(message);
  if (message.authorId === undefined) return emails;
  const author = { text: 'The author of the message', argument: `<@${message.authorId}>` };
  return { all: [author, ...emails.all], clear: emails.isEmpty ? author : undefined, isEmpty: false };
}

export function createAgentCommand({ emailOf, externalIdOf, recording }: App) {
  /** The first that is found by one of these keys; undefined if none is. */
  async function card(
    keys: readonly AgentKey[],
    offset: number,
    caller: Caller,
  ): Promise<Message | undefined> {
    const [typed = ''] = keys.map((key) => ('email' in key ? key.email : `${EXTERNAL}${key.externalId}`));
    const sessions = { newest: offset + SESSIONS_SHOWN };
    let by: AgentKey | undefined;
    const agent = await recording.lookUpAgent(caller, typed, async () => {
      for (const key of keys) {
        try {
          by = key;
          return await caller.workspace.cobrowse.lookupAgent(key, { sessions, timeoutMs: LOOK_UP_MS });
        } catch (error) {
          if (!isNotFound(error)) throw error;
        }
      }
      return undefined;
    });
    const key = by;
    return (
      agent &&
      key &&
      agentCard(agent, offset, (next) => JSON.stringify({ key, offset: next } satisfies z.infer<typeof More>))
    );
  }

  /** A Slack user, found by email, or else as the external agent that their watch links name. */
  async function ofSlackUser(userId: string, caller: Caller): Promise<Message> {
    const email = await emailOf(caller.workspaceId, userId);
    const keys: AgentKey[] = [
      ...(email === undefined ? [] : [{ email }]),
      { externalId: externalIdOf(caller.workspaceId, userId) },
    ];
    const known = await card(keys, 0, caller);
    if (known !== undefined) return known;
    const isYou = userId === caller.userId;
    if (email === undefined) return noEmail(userId, 'agent', isYou);
    return noAgent(email, { userId, isYou, mayWatch: caller.mayNotWatch === undefined });
  }

  async function found(text: string, caller: Caller): Promise<Message> {
    const userId = text === '' ? caller.userId : mentionedUser(text);
    if (userId !== undefined) return ofSlackUser(userId, caller);
    const externalId = text.startsWith(EXTERNAL) ? text.slice(EXTERNAL.length).trim() : undefined;
    const key = externalId === undefined ? { email: text } : { externalId };
    const known = await card([key], 0, caller);
    return known ?? noAgent(externalId ?? text);
  }

  return defineCommand({
    name: 'agent',
    usage: 'agent [email, @person or external:<id>]',
    summary: 'Show an agent and their recent sessions (without a name, you)',
    right: 'look-up-agent',
    level: 'everyday',
    examples: ['agent sam@acme.com', 'agent @sam'],
    needs: 'lookupAgent',
    searches: true,
    argument: searchText.refine(
      (text) =>
        text === '' || mentionedUser(text) !== undefined || /\S@\S/.test(text) || /^external:\S/.test(text),
      'That isn’t an email address, an @mention or external:<id>.',
    ),
    run: found,
    presses: [
      definePress({
        actionId: ACTION.agentMore,
        answer: 'replace',
        right: 'look-up-agent',
        value: jsonText.pipe(More),
        run: async ({ key, offset }, caller) =>
          (await card([key], offset, caller)) ??
          noAgent('email' in key ? key.email : key.externalId, undefined),
      }),
    ],
    shortcut: {
      callbackId: 'look_up_agent',
      title: 'Look up agent',
      label: 'Agent’s email',
      asksFor: 'the agent’s email',
      offersNotes: false,
      clues: agentClues,
    },
  });
}

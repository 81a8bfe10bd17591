import type { AgentKey, FoundAgent } from '../cobrowse/client.ts';
import type { Session } from '../cobrowse/schemas.ts';
import { lines, message, points, rule, type Message } from '../messages/message.ts';
import { bold, code, date, say, short, user, type Line } from '../messages/text.ts';
import { agentName, latestFirst, sessionLineWith } from '../messages/session-words.ts';
import { ifFound } from '../cobrowse/errors.ts';
import { noEmail } from '../messages/failure-words.ts';
import type { Caller } from '../commands/rights.ts';
import { emailClues, type Clues, type SharedMessage } from '../commands/clues.ts';
import { defineCommand } from '../commands/command.ts';
import type { App } from '../parts.ts';
import { mentionedUser, searchText } from '../commands/typed.ts';

const SESSIONS_SHOWN = 10;
/** After a few seconds, people are told that the answer will follow. */
const LOOK_UP_MS = 15_000;
const EXTERNAL = 'external:';

function sessionLine(session: Session): Line {
  const id = short(session.visitor_id ?? '', 40);
  return sessionLineWith(session, id === '' ? [] : [', visitor ', code(id)]);
}

export function agentCard(agent: FoundAgent): Message {
  const email = short(agent.email ?? '');
  const shown = agentName(agent) ?? `Agent ${short(agent.id, 60)}`;
  const lastSeen = new Date(agent.last_request_at ?? Number.NaN);
  const facts = [
    [bold(shown), ...(email && email !== shown ? [' · ', email] : [])],
    !Number.isNaN(lastSeen.getTime()) && ['Last active: ', date(lastSeen)],
    ['Id: ', code(short(agent.id, 60))],
  ];
  const sessions = latestFirst(agent.sessions).slice(0, SESSIONS_SHOWN);
  if (sessions.length === 0) return message(lines(...facts, ['No sessions yet.']));
  const total = agent.sessionCount;
  const title = total > sessions.length ? `Latest ${sessions.length} of ${total} sessions` : 'Sessions';
  return message(lines(...facts), rule, lines([bold(title)]), points(...sessions.map(sessionLine)));
}

/** @param tried an email or an external id  @param userId whose email it is, where a person was named */
export function noAgent(tried: string, userId?: string): Message {
  if (userId === undefined && !tried.includes('@')) {
    return message(
      lines(
        ['No co-browsing agent has the external ID ', bold(short(tried)), '.'],
        ['The service learns an external ID when a session is opened with it.'],
      ),
    );
  }
  const person = userId !== undefined && say`, ${user(userId)}`;
  return message(
    lines(
      say`I can’t find a co-browsing agent for ${bold(short(tried))}${person}.`,
      person && [
        'Without one, customers see the Slack name of who watches. To connect the account, use the same email in both.',
      ],
    ),
  );
}

function agentClues(shared: SharedMessage): Clues {
  const emails = emailClues(shared);
  if (shared.authorId === undefined) return emails;
  const author = `<@${shared.authorId}>`;
  return { all: [author, ...emails.all], clear: emails.isEmpty ? author : undefined };
}

export function createAgentCommand({ emailOf, externalIdOf, recording }: App) {
  /** The card of the first that is found by one of these keys; undefined if none is. */
  async function card(keys: readonly AgentKey[], caller: Caller) {
    const [typed = ''] = keys.map((key) => ('email' in key ? key.email : `${EXTERNAL}${key.externalId}`));
    const limits = { sessions: { newest: SESSIONS_SHOWN }, timeoutMs: LOOK_UP_MS };
    const known = await recording.lookUpAgent(caller, typed, async () => {
      for (const key of keys) {
        const agent = await caller.workspace.cobrowse.lookupAgent(key, limits).catch(ifFound);
        if (agent !== undefined) return agent;
      }
      return undefined;
    });
    return known && agentCard(known);
  }

  /** A Slack user, found by email, or else as the external agent that their watch links name. */
  async function ofSlackUser(userId: string, caller: Caller): Promise<Message> {
    const email = await emailOf(caller.workspaceId, userId);
    const keys: AgentKey[] = [
      ...(email === undefined ? [] : [{ email }]),
      { externalId: externalIdOf(caller.workspaceId, userId) },
    ];
    const known = await card(keys, caller);
    if (known !== undefined) return known;
    return email === undefined ? noEmail(userId, 'agent', userId === caller.userId) : noAgent(email, userId);
  }

  async function found(text: string, caller: Caller): Promise<Message> {
    const userId = text === '' ? caller.userId : mentionedUser(text);
    if (userId !== undefined) return ofSlackUser(userId, caller);
    const externalId = text.startsWith(EXTERNAL) ? text.slice(EXTERNAL.length).trim() : undefined;
    const key = externalId === undefined ? { email: text } : { externalId };
    return (await card([key], caller)) ?? noAgent(externalId ?? text);
  }

  return defineCommand({
    name: 'agent',
    usage: 'agent [email, @person or external:<id>]',
    summary: 'Show an agent and their recent sessions (without a name, you)',
    tool: {
      name: 'find_agent',
      description: 'Shows an agent of the co-browsing service, and their recent sessions.',
      argument: { name: 'email', description: 'The agent’s email; empty for who asks' },
    },
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

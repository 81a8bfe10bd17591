import type { FoundAgent, WantedSessions } from './client.ts';
import { readAs } from './json-text.ts';
import { AgentReplySchema, createSessionSchema, hasId } from './schemas.ts';
import { pathOf, valueAt } from './wire-names.ts';

/*
 * The answer to GET /agents/lookup holds every session the agent ever had, without paging: only those that were asked for
 * are read.
 */

/** Enough for any use of an agent's sessions. */
const MOST_SESSIONS = 10_000;
const MOST_RUNNING = 50;

interface Dated {
  readonly session: object;
  readonly startedAt: number;
}

function startOf(session: object): number {
  const started = valueAt(session, ['started_at']);
  return (typeof started === 'string' && Date.parse(started)) || 0;
}

const isRunning = ({ session }: Dated) => (valueAt(session, ['ended_at']) ?? undefined) === undefined;

/** @param linkIdPath where a session has the id of its link */
function select(
  newestFirst: readonly Dated[],
  wanted: Exclude<WantedSessions, 'none'>,
  linkIdPath: string,
): readonly Dated[] {
  if ('newest' in wanted) {
    const running = newestFirst.filter(isRunning).slice(0, MOST_RUNNING);
    return [...new Set([...newestFirst.slice(0, wanted.newest), ...running])];
  }
  return newestFirst.filter(({ session, startedAt }) => {
    const linkId = valueAt(session, pathOf(linkIdPath));
    return startedAt >= wanted.since.getTime() || (typeof linkId === 'string' && wanted.linkIds.has(linkId));
  });
}

/**
 * Reads an agent with the wanted sessions, newest first.
 *
 * @param linkIdPath where a session has the id of its link
 * @throws UnreadableAnswerError
 */
export function readAgent(reply: unknown, wanted: WantedSessions, linkIdPath: string): FoundAgent {
  const { sessions: all, ...agent } = readAs(AgentReplySchema, reply).agent;
  const sessions = all.filter((entry) => hasId(entry, 'id'));
  if (wanted === 'none') return { ...agent, sessions: [], sessionCount: sessions.length };
  const newestFirst = sessions
    .map((session) => ({ session, startedAt: startOf(session) }))
    .toSorted((a, b) => b.startedAt - a.startedAt);
  const schema = createSessionSchema(linkIdPath);
  const read = select(newestFirst, wanted, linkIdPath)
    .slice(0, MOST_SESSIONS)
    .flatMap(({ session }) => schema.safeParse(session).data ?? []);
  return { ...agent, sessions: read, sessionCount: sessions.length };
}

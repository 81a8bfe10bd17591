import { setImmediate } from 'node:timers/promises';
import type { FoundAgent, WantedSessions } from './client.ts';
import { complaintAbout, type BodyReader } from './http.ts';
import { UnreadableAnswerError, createJsonParts, tooLarge } from './json-parts.ts';
import { AgentReplySchema, createSessionSchema, hasId, type Session } from './schemas.ts';
import { pathOf, valueAt } from './wire-names.ts';

/*
 * The answer to GET /agents/lookup holds every session the agent ever had, without paging: ninety megabytes and more.
 * It's parsed as it arrives, and only what was asked for is kept.
 */

/** Enough for any use of an agent's sessions; each one kept costs memory. */
const MOST_SESSIONS = 10_000;
const MOST_RUNNING = 50;
const MOST_BYTES_KEPT = 32 * 1024 * 1024;
/** Before this much has arrived, reading on is cheaper than a new connection. */
const WORTH_STOPPING_BYTES = 256 * 1024;
/** Sessions parsed in one turn of the event loop: a millisecond or two. */
const SESSIONS_A_TURN = 50;

interface Kept {
  readonly session: object;
  readonly startedAt: number;
  readonly bytes: number;
}

/** Keeps the newest few of what it's given. */
function createNewest(most: number) {
  let kept: Kept[] = [];
  let bytes = 0;
  let oldest = Number.NEGATIVE_INFINITY;

  function trim(): void {
    kept = kept.toSorted((a, b) => b.startedAt - a.startedAt).slice(0, most);
    bytes = kept.reduce((sum, one) => sum + one.bytes, 0);
    if (kept.length === most) oldest = kept.at(-1)?.startedAt ?? oldest;
  }

  return {
    offer(one: Kept): void {
      if (one.startedAt < oldest || most === 0) return;
      kept.push(one);
      bytes += one.bytes;
      if (kept.length < 2 * most + 100 && bytes <= MOST_BYTES_KEPT) return;
      trim();
      // Already at half: otherwise every further session would sort them all again.
      if (bytes > MOST_BYTES_KEPT / 2)
        throw new UnreadableAnswerError('the sessions in the answer are too large');
    },
    all(): readonly Kept[] {
      trim();
      return kept;
    },
  };
}

/** Picks out the wanted sessions. */
function createSelection(wanted: Exclude<WantedSessions, 'none'>, linkIdPath: string) {
  const newest = createNewest('newest' in wanted ? Math.min(wanted.newest, MOST_SESSIONS) : MOST_SESSIONS);
  const others = createNewest('newest' in wanted ? MOST_RUNNING : MOST_SESSIONS);
  const schema = createSessionSchema(linkIdPath);
  return {
    offer(session: object, bytes: number): void {
      const started = valueAt(session, ['started_at']);
      const startedAt = (typeof started === 'string' && Date.parse(started)) || 0;
      const one: Kept = { session, startedAt, bytes };
      if ('newest' in wanted) {
        newest.offer(one);
        if ((valueAt(session, ['ended_at']) ?? undefined) === undefined) others.offer(one);
        return;
      }
      if (startedAt >= wanted.since.getTime()) newest.offer(one);
      const linkId = valueAt(session, pathOf(linkIdPath));
      if (typeof linkId === 'string' && wanted.linkIds.has(linkId)) others.offer(one);
    },
    async read(): Promise<Session[]> {
      const kept = [...new Set([...newest.all(), ...others.all()])];
      const sessions: Session[] = [];
      for (const [index, { session }] of kept.entries()) {
        if (index % SESSIONS_A_TURN === SESSIONS_A_TURN - 1) await setImmediate();
        const read = schema.safeParse(session);
        if (read.success) sessions.push(read.data);
      }
      return sessions;
    },
  };
}

/**
 * @param linkIdPath where a session has the id of its link
 * @param mostBytes of the whole answer
 */
export function createAgentReader(
  wanted: WantedSessions,
  linkIdPath: string,
  mostBytes: number,
): BodyReader<FoundAgent> {
  const selection = wanted === 'none' ? undefined : createSelection(wanted, linkIdPath);
  let sessionCount = 0;
  let bytes = 0;
  let hasEnough = false;
  const parts = createJsonParts(['agent', 'sessions'], (entry, size) => {
    if (typeof entry !== 'object' || entry === null || !hasId(entry, 'id')) return false;
    if (selection === undefined) return true;
    sessionCount += 1;
    selection.offer(entry, size);
    return true;
  });

  return {
    hasEnough: () => hasEnough,
    write(part) {
      bytes += part.length;
      if (bytes > mostBytes) throw tooLarge(mostBytes);
      parts.write(part);
      hasEnough =
        wanted === 'none' &&
        bytes > WORTH_STOPPING_BYTES &&
        AgentReplySchema.safeParse(parts.restSoFar()).data?.agent.name !== undefined;
    },
    async result() {
      const reply = AgentReplySchema.safeParse(hasEnough ? parts.restSoFar() : parts.rest());
      if (!reply.success) throw new UnreadableAnswerError(complaintAbout(reply.error));
      return { ...reply.data.agent, sessions: (await selection?.read()) ?? [], sessionCount };
    },
  };
}

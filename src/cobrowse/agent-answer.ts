import { setImmediate } from 'node:timers/promises';
import { TokenParser, TokenType, Tokenizer } from '@streamparser/json';
import type { FoundAgent, WantedSessions } from './client.ts';
import { UnreadableAnswerError, complaintAbout } from './http.ts';
import type { BodyReader } from './http.ts';
import { AgentReplySchema, AgentSchema, createSessionSchema, hasId } from './schemas.ts';
import type { Session } from './schemas.ts';
import { pathOf, valueAt } from './wire-names.ts';

/*
 * The answer to GET /agents/lookup holds every session the agent ever had, without paging: ninety megabytes and more.
 * It's parsed as it arrives, and only what was asked for is kept.
 */

/** Enough for any use of an agent's sessions; each one kept costs memory. */
const MOST_SESSIONS = 10_000;
const MOST_RUNNING = 50;
/** Entries without an id. Reading a million of them takes seconds, for nothing. */
const MOST_OTHERS = 100_000;
/** For one session, one field of the agent, or one text: anything larger isn't real. */
const MOST_BYTES_OF_ONE = 1024 * 1024;
const MOST_BYTES_KEPT = 32 * 1024 * 1024;
const MOST_NESTED = 64;
/** Before this much has arrived, reading on is cheaper than a new connection. */
const WORTH_STOPPING_BYTES = 256 * 1024;
/** Sessions parsed in one turn of the event loop: a millisecond or two. */
const SESSIONS_A_TURN = 50;

/** The agent object is at depth 2, its list of sessions at 3. */
const AGENT_DEPTH = 2;
const SESSIONS_DEPTH = 3;

const OWN_FIELDS = Object.keys(AgentSchema.shape).filter((field) => field !== 'sessions');
const OWN_FIELD_NAMES: ReadonlySet<string> = new Set(OWN_FIELDS);

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

/** Tracks how deeply the answer is nested, and stops what would fill the memory before it's complete. */
function createBounds() {
  let depth = 0;
  let text = '';
  let field = '';
  let fieldAt = 0;
  let sessionAt = 0;
  let lastAt = 0;

  return {
    follow(token: TokenType, value: unknown, offset: number): void {
      lastAt = offset;
      if (token === TokenType.STRING) text = String(value);
      else if (token === TokenType.COLON && depth === AGENT_DEPTH) [field, fieldAt] = [text, offset];
      else if (token === TokenType.LEFT_BRACE || token === TokenType.LEFT_BRACKET) {
        if (depth === SESSIONS_DEPTH) sessionAt = offset;
        depth += 1;
        if (depth > MOST_NESTED) throw new UnreadableAnswerError('the answer is nested too deeply');
      } else if (token === TokenType.RIGHT_BRACE || token === TokenType.RIGHT_BRACKET) {
        depth -= 1;
        if (depth < AGENT_DEPTH) field = '';
      }
    },
    /** @param written bytes so far */
    check(written: number): void {
      const from = [
        lastAt,
        ...(depth > SESSIONS_DEPTH ? [sessionAt] : []),
        ...(depth > AGENT_DEPTH && OWN_FIELD_NAMES.has(field) ? [fieldAt] : []),
      ];
      if (written - Math.min(...from) > MOST_BYTES_OF_ONE)
        throw new UnreadableAnswerError('one thing in the answer is too large');
    },
    sessionBytes: () => lastAt - sessionAt,
  };
}

/** @param linkIdPath where a session has the id of its link */
export function createAgentReader(wanted: WantedSessions, linkIdPath: string): BodyReader<FoundAgent> {
  const decoder = new TextDecoder();
  const tokenizer = new Tokenizer({ stringBufferSize: 64 * 1024, numberBufferSize: 64 });
  const paths = ['status', ...OWN_FIELDS.map((field) => `agent.${field}`)].map((path) => `$.${path}`);
  const selection = wanted === 'none' ? undefined : createSelection(wanted, linkIdPath);
  const parser = new TokenParser({
    paths: selection === undefined ? paths : [...paths, '$.agent.sessions.*'],
    keepStack: false,
  });
  const bounds = createBounds();
  const agent: Record<string, unknown> = {};
  let status: unknown;
  let sessionCount = 0;
  let others = 0;
  let bytes = 0;

  tokenizer.onToken = (token) => {
    bounds.follow(token.token, token.value, token.offset);
    parser.write(token);
  };
  parser.onValue = ({ value, key, stack, parent }) => {
    if (stack.length === 1) status = value;
    else if (stack.length === AGENT_DEPTH && typeof key === 'string') agent[key] = value;
    else if (selection !== undefined && Array.isArray(parent)) {
      if (typeof value === 'object' && value !== null && hasId(value, 'id')) {
        sessionCount += 1;
        selection.offer(value, bounds.sessionBytes());
      } else if ((others += 1) > MOST_OTHERS) {
        throw new UnreadableAnswerError('the list of sessions holds something else');
      }
    }
  };

  function tokenize(text: string): void {
    if (text === '') return;
    bytes += Buffer.byteLength(text);
    try {
      tokenizer.write(text);
    } catch (error) {
      // The library's message quotes the answer, which may hold anything.
      throw error instanceof UnreadableAnswerError
        ? error
        : new UnreadableAnswerError('the answer is no JSON');
    }
  }

  function hasEnough(): boolean {
    const { id, name } = agent;
    const isNamed = id !== undefined && typeof name === 'string' && name.trim() !== '';
    return wanted === 'none' && isNamed && bytes > WORTH_STOPPING_BYTES;
  }

  return {
    hasEnough,
    write(part) {
      // What isn't UTF-8 is replaced, as everywhere else, instead of refused.
      tokenize(decoder.decode(part, { stream: true }));
      bounds.check(bytes);
    },
    async result() {
      if (!hasEnough()) tokenize(decoder.decode());
      if (!hasEnough() && !parser.isEnded) throw new UnreadableAnswerError('the answer breaks off');
      const reply = AgentReplySchema.safeParse({ status, agent: { ...agent, sessions: [] } });
      if (!reply.success) throw new UnreadableAnswerError(complaintAbout(reply.error));
      return { ...reply.data.agent, sessions: (await selection?.read()) ?? [], sessionCount };
    },
  };
}

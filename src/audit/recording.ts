import { CobrowseError } from '../cobrowse/errors.ts';
import type { Agent } from '../cobrowse/schemas.ts';
import type { NewEntry, Audit } from './audit.ts';

/** An email's, by RFC 5321. */
const LONGEST_NAME = 254;

/** Who does it, and where. Ids are Slack's. */
export interface Who {
  readonly workspaceId: string;
  readonly userId: string;
  readonly channelId?: string;
  /** Where it was asked, if that's another place; empty if in no channel. */
  readonly askedIn?: string;
}

/** Who did something, and where they asked for it. */
export const whereAsked = ({ workspaceId, userId, channelId, askedIn = channelId }: Who) => ({
  workspaceId,
  userId,
  channelId: askedIn === '' ? undefined : askedIn,
});

/** An entry before its outcome is known. */
type Undecided = Pick<NewEntry, 'action' | 'visitorId' | 'detail'>;

/** Does something and records how it turned out: `done`, or the kind of failure. */
export interface Recording {
  /**
   * A search for visitors or agents: records how many were found, who it was if it's one visitor, and a hash of the
   * words.
   */
  readonly search: <Found extends readonly object[]>(
    who: Who,
    typed: string,
    search: () => Promise<Found>,
  ) => Promise<Found>;
  /** The same for looking up one visitor, which fails if there isn't one. */
  readonly lookUp: <Found extends object>(
    who: Who,
    typed: string,
    lookUp: () => Promise<Found>,
  ) => Promise<Found>;
  /** The same for looking up an agent, whom the entry names by email. */
  readonly lookUpAgent: <Found extends Pick<Agent, 'id' | 'email'>>(
    who: Who,
    typed: string,
    lookUp: () => Promise<Found | undefined>,
  ) => Promise<Found | undefined>;
  /** Recorded once it's done or failed. It's done even if the audit can't be written yet. */
  readonly around: <Result>(who: Who, what: Undecided, act: () => Promise<Result>) => Promise<Result>;
  /** Also recorded beforehand, as `asked`. If that can't be written, rejects with a DatabaseError and does nothing. */
  readonly announced: <Result>(who: Who, what: Undecided, act: () => Promise<Result>) => Promise<Result>;
}

const outcomeOf = (error: unknown): string => (error instanceof CobrowseError ? error.kind : 'failed');

function visitorIdOf(found: readonly object[]): Pick<NewEntry, 'visitorId'> {
  const [only, ...others] = found;
  const isOneVisitor = only !== undefined && others.length === 0 && 'short_id' in only;
  return isOneVisitor && typeof only.short_id === 'string' ? { visitorId: only.short_id } : {};
}

interface Searching<Found> {
  readonly who: Who;
  readonly typed: string;
  readonly search: () => Promise<Found>;
  /** The single results of a search. */
  readonly listOf: (found: Found) => readonly object[];
}

const entryOf = (who: Who, what: Undecided, outcome: string): NewEntry => ({
  ...whereAsked(who),
  ...what,
  outcome,
});

export function createRecording({
  record,
  announce,
  hashOf,
}: Pick<Audit, 'record' | 'announce' | 'hashOf'>): Recording {
  const write = (who: Who, what: Undecided, outcome: string) => record(entryOf(who, what, outcome));

  async function around<Result>(who: Who, what: Undecided, act: () => Promise<Result>): Promise<Result> {
    const [result] = await Promise.allSettled([act()]);
    const outcome = result.status === 'fulfilled' ? 'done' : outcomeOf(result.reason);
    await write(who, what, outcome);
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  }

  async function searching<Found>({ who, typed, search, listOf }: Searching<Found>): Promise<Found> {
    const query = hashOf(typed);
    const [result] = await Promise.allSettled([search()]);
    if (result.status === 'fulfilled') {
      const found = listOf(result.value);
      const what = {
        action: 'search',
        ...visitorIdOf(found),
        detail: { query, found: found.length },
      } as const;
      await write(who, what, 'done');
      return result.value;
    }
    await write(who, { action: 'search', detail: { query } }, outcomeOf(result.reason));
    throw result.reason;
  }

  return {
    around,

    search: (who, typed, search) => searching({ who, typed, search, listOf: (found) => found }),

    lookUp: (who, typed, search) => searching({ who, typed, search, listOf: (found) => [found] }),

    async lookUpAgent(who, typed, lookUp) {
      const query = hashOf(typed);
      const [result] = await Promise.allSettled([lookUp()]);
      if (result.status === 'rejected') {
        await write(who, { action: 'agent', detail: { query } }, outcomeOf(result.reason));
        throw result.reason;
      }
      const { value: agent } = result;
      const name = agent?.email ?? agent?.id;
      const detail = { query, ...(name === undefined ? {} : { agent: name.slice(0, LONGEST_NAME) }) };
      await write(who, { action: 'agent', detail }, agent === undefined ? 'not-found' : 'done');
      return agent;
    },

    // Deleting can't be undone, so nothing is removed before it's on record who asked for it.
    async announced(who, what, act) {
      await announce(entryOf(who, what, 'asked'));
      return around(who, what, act);
    },
  };
}

import { CobrowseError } from '../cobrowse/errors.ts';
import type { Agent } from '../cobrowse/schemas.ts';
import type { Audit, NewEntry } from './audit.ts';

export interface Who {
  readonly workspaceId: string;
  readonly userId: string;
  readonly channelId?: string;
  /** Where it was asked, if that's another place; empty if in no channel. */
  readonly askedIn?: string;
}

export const whereAsked = ({ workspaceId, userId, channelId, askedIn = channelId }: Who) => ({
  workspaceId,
  userId,
  channelId: askedIn === '' ? undefined : askedIn,
});

type Undecided = Pick<NewEntry, 'action' | 'visitorId' | 'detail'>;

const outcomeOf = (error: unknown): string => (error instanceof CobrowseError ? error.kind : 'failed');

function foundIn(query: string, found: readonly object[]) {
  const [only, ...others] = found;
  const id = others.length === 0 && only !== undefined && 'short_id' in only ? only.short_id : undefined;
  return { visitorId: typeof id === 'string' ? id : undefined, detail: { query, found: found.length } };
}

/** Does something and records how it turned out: `done`, or the kind of failure. */
export function createRecording({ record, announce, hashOf }: Pick<Audit, 'record' | 'announce' | 'hashOf'>) {
  async function settled<Result>(
    who: Who,
    what: Undecided,
    act: () => Promise<Result>,
    doneOf: (result: Result) => Partial<NewEntry>,
  ): Promise<Result> {
    const [result] = await Promise.allSettled([act()]);
    if (result.status === 'rejected') {
      await record({ ...whereAsked(who), ...what, outcome: outcomeOf(result.reason) });
      throw result.reason;
    }
    await record({ ...whereAsked(who), ...what, outcome: 'done', ...doneOf(result.value) });
    return result.value;
  }

  /** It's done even if the audit can't be written yet. */
  const around = <Result>(who: Who, what: Undecided, act: () => Promise<Result>) =>
    settled(who, what, act, () => ({}));

  /** Records how many were found, who it was if it's one visitor, and a hash of the words. */
  function search<Found extends readonly object[]>(who: Who, typed: string, find: () => Promise<Found>) {
    const query = hashOf(typed);
    return settled(who, { action: 'search', detail: { query } }, find, (found) => foundIn(query, found));
  }

  return {
    around,
    search,
    lookUp: async <Found extends object>(who: Who, typed: string, lookUp: () => Promise<Found>) =>
      (await search(who, typed, async () => [await lookUp()] as const))[0],

    /** The entry names the agent by email. */
    lookUpAgent: <Found extends Pick<Agent, 'id' | 'email'>>(
      who: Who,
      typed: string,
      lookUp: () => Promise<Found | undefined>,
    ) => {
      const query = hashOf(typed);
      return settled(who, { action: 'agent', detail: { query } }, lookUp, (agent) => ({
        outcome: agent === undefined ? 'not-found' : 'done',
        detail: { query, agent: agent?.email ?? agent?.id },
      }));
    },

    /** Also recorded beforehand, as `asked`; if that rejects with a DatabaseError, nothing is done: deleting can't be undone. */
    announced: async <Result>(who: Who, what: Undecided, act: () => Promise<Result>): Promise<Result> => {
      await announce({ ...whereAsked(who), ...what, outcome: 'asked' });
      return around(who, what, act);
    },
  };
}

export type Recording = ReturnType<typeof createRecording>;

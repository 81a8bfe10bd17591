import { LRUCache } from 'lru-cache';
import type { z } from 'zod';
import { readAs, UnreadableAnswerError } from './http.ts';
import { hasId, VisitorsReplySchema, type Visitor } from './schemas.ts';
import type { CobrowseClient } from './client.ts';
import { CobrowseError } from './errors.ts';

export interface Visitors extends ReadonlyArray<Visitor> {
  /** How many MiB were read, where the service sent more. */
  readonly cutAtMiB?: number;
}

/** Marks visitors as cut where others were. */
export const cutLike = (visitors: readonly Visitor[], other: Visitors | undefined): Visitors =>
  Object.assign([...visitors], { cutAtMiB: other?.cutAtMiB });

/** Skips entries without a usable id. A list of nothing but those isn't empty: it throws. @throws UnreadableAnswerError */
export function readVisitors(
  reply: unknown,
  schema: z.ZodType<Visitor>,
  limit: number,
  cutAtMiB: number | undefined,
): Visitors {
  const entries = readAs(VisitorsReplySchema, reply).visitors ?? [];
  const visitors: Visitor[] = [];
  for (const entry of entries) {
    if (visitors.length >= limit) break;
    const read = hasId(entry, 'short_id') ? schema.safeParse(entry).data : undefined;
    if (read !== undefined) visitors.push(read);
  }
  if (entries.length > 0 && visitors.length === 0)
    throw new UnreadableAnswerError('no usable short_id in the list');
  return visitors.length < limit ? Object.assign(visitors, { cutAtMiB }) : visitors;
}

/** What only asking a service shows: whether it takes names that we guess, and can list who is online (`listLatest`). */
export type Guess = 'listLimit' | 'searchOnline' | 'searchOffline' | 'listLatest';

/** The account or the installation may be another by then. */
const REMEMBERED_MS = 60 * 60 * 1_000;

type Guesses = ReturnType<typeof createGuesses>;

/** Only in memory, since finding out again costs one request. */
export function createGuesses(now: () => Date) {
  const perf = { now: () => now().getTime() };
  const learned = new LRUCache<Guess, boolean>({ max: 10, ttl: REMEMBERED_MS, ttlResolution: 0, perf });
  return {
    isRight: (guess: Guess): boolean | undefined => learned.get(guess),
    learn: (guess: Guess, isRight: boolean) => void learned.set(guess, isRight),
  };
}

/** A service's own way to list only who is online, or only who isn't. */
export interface PresenceSearch {
  readonly guess: Guess;
  /** The word to search for, which a service may take for a name. */
  readonly word?: string;
  /** The document has this list: who doesn't say whether they're online fits, too. */
  readonly isDocumented?: boolean;
  /** Undefined if the service refuses to be asked so. */
  readonly list: (limit: number) => Promise<Visitors | undefined>;
}

const LOOKED_THROUGH = 1_000;

export const isRefusedRequest = (error: unknown): boolean =>
  error instanceof CobrowseError && (error.status === 400 || error.status === 422);

/** Whether a search for this word as a name can't be why a visitor was found. */
function isFoundOtherwise(visitor: Visitor, word = ''): boolean {
  const [name = ''] = word.match(/[a-z]+$/i) ?? [];
  return name === '' || !JSON.stringify(Object.values(visitor)).toLowerCase().includes(name.toLowerCase());
}

function unlessUnknown(visitors: readonly Visitor[]): readonly Visitor[] {
  if (visitors.length === 0 || visitors.some(({ is_online }) => is_online !== undefined)) return visitors;
  const words = 'No visitor in the answer says whether they are online.';
  throw new CobrowseError('not-understood', words, { code: 'presence-unknown' });
}

/**
 * Lists visitors so that nobody who is online is missing. The service's own search is believed once it was seen to work; until
 * then, or if it doesn't, the latest visitors are looked through. What each visitor says decides who is online.
 * @param search who fits the text; without one, the latest
 */
export function createListVisitors(
  search: (text: string, limit: number) => Promise<Visitors>,
  presence: (online: boolean) => PresenceSearch | undefined,
  guesses: Guesses,
): CobrowseClient['listVisitors'] {
  async function withPresence(text: string, online: boolean, limit: number): Promise<Visitors> {
    // A service may know such a word only alone.
    const own = text === '' ? presence(online) : undefined;
    const before = own && guesses.isRight(own.guess);
    const answer = before === false ? undefined : await own?.list(limit);
    const isDocumented = own?.isDocumented === true;
    const usual = isDocumented ? online : undefined;
    const asked = (answer ?? []).filter(({ is_online = usual }) => is_online === online);
    const isFit = answer !== undefined && (isDocumented || asked.length === answer.length);
    const isProven = isFit && asked.some((visitor) => isFoundOtherwise(visitor, own?.word));
    if (own !== undefined && isProven) guesses.learn(own.guess, true);
    if (isProven || (isFit && before === true)) return cutLike(asked, answer);

    const all = await search(text, Math.max(limit, LOOKED_THROUGH));
    const known = isDocumented && answer !== undefined ? all : unlessUnknown(all);
    const found = known.filter(({ is_online }) => is_online === online).slice(0, limit);
    if (own !== undefined && before !== false && !(isFit && asked.length >= found.length))
      guesses.learn(own.guess, false);
    return cutLike(found, all);
  }

  return async ({ search: typed = '', online, limit }) => {
    const text = typed.trim() === '' ? '' : typed;
    return online === undefined ? search(text, limit) : withPresence(text, online, limit);
  };
}

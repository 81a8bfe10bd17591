import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { NewEntry, PreparedEntry } from '../audit/audit.ts';
import type { Viewer } from '../commands/caller.ts';
import type { RetryAnswer } from '../messages/delivery-words.ts';
import type { Message } from '../messages/message.ts';
import type { Overview, TroubledDelivery as Entry } from '../outbox/overview.ts';
import type { EntryOf, RetryAndDrop } from '../outbox/retry-and-drop.ts';
import { isPerson } from '../slack-ids.ts';
import { DELIVERIES_ON_A_PAGE, retryAnswer } from './undelivered-list.ts';
import type { DeliveriesNow, DeliveryPlace, TroubledDelivery } from './undelivered-list.ts';

/** After this, a reader starts at the first page again. */
const PAGE_KEPT_MS = 10 * 60 * 1_000;
const MOST_READERS = 1_000;
/** A summary that waits longer is late. */
const LATE_AFTER_MS = 60_000;

/** Home's section about summaries, for admins, and its buttons. */
export interface AdminDeliveries {
  readonly of: (viewer: Viewer) => Promise<DeliveriesNow>;
  /** Sets the page that `of` shows, by how many come before it. Ignores what isn't a number. */
  readonly turn: (viewer: Viewer, before: string) => void;
  readonly retry: (viewer: Viewer, id: string) => Promise<Message>;
  readonly drop: (viewer: Viewer, id: string) => Promise<Message>;
}

function stateOf(entry: Entry): TroubledDelivery['state'] {
  if (entry.state === 'failed') return { is: 'failed', at: new Date(entry.failedAt) };
  const { acceptedAt, attempts, nextAt } = entry;
  return { is: 'waiting', since: new Date(acceptedAt), attempts, nextAt: new Date(nextAt) };
}

const Before = z
  .string()
  .regex(/^\d{1,6}$/)
  .transform(Number)
  .pipe(z.number().multipleOf(DELIVERIES_ON_A_PAGE));

const readerOf = ({ workspaceId, userId }: Viewer) => `${workspaceId} ${userId}`;

/** How many come before the last page of so many. */
const lastPage = (count: number) =>
  Math.max(0, Math.ceil(count / DELIVERIES_ON_A_PAGE) - 1) * DELIVERIES_ON_A_PAGE;

export function createAdminDeliveries({
  overview,
  retryAndDrop,
  canSee,
  nameOf,
  prepare,
  now,
}: {
  readonly overview: Pick<Overview, 'list' | 'waiting' | 'oldest'>;
  readonly retryAndDrop: RetryAndDrop;
  /** Whether a person can see a channel. Never rejects. */
  readonly canSee: (viewer: Viewer, channelId: string) => Promise<boolean>;
  /** A visitor's name; undefined if it can't be looked up. Never rejects. */
  readonly nameOf: (workspaceId: string, visitorId: string) => Promise<string | undefined>;
  readonly prepare: (entry: NewEntry) => PreparedEntry;
  readonly now: () => number;
}): AdminDeliveries {
  /** How many come before the page that someone is on. Memory is enough: at worst they start at the first page again. */
  const pages = new LRUCache<string, number>({ max: MOST_READERS, ttl: PAGE_KEPT_MS });

  async function placeOf(viewer: Viewer, to: string): Promise<DeliveryPlace> {
    if (to === '') return { is: 'unknown' };
    if (isPerson(to)) return { is: 'person', userId: to };
    return (await canSee(viewer, to)) ? { is: 'channel', channelId: to } : { is: 'private-channel' };
  }

  async function placesOf(viewer: Viewer, entries: readonly Entry[]) {
    const ids = [...new Set(entries.map(({ to }) => to))];
    const places = await Promise.all(ids.map(async (to) => [to, await placeOf(viewer, to)] as const));
    return new Map(places);
  }

  async function visitorsOf(
    workspaceId: string,
    entries: readonly Entry[],
  ): Promise<ReadonlyMap<string, string>> {
    const ids = new Set(entries.flatMap(({ about }) => (about === undefined ? [] : [about.visitorId])));
    const named = [...ids].map(
      async (id) => [id, (await nameOf(workspaceId, id)) ?? `visitor ${id}`] as const,
    );
    return new Map(await Promise.all(named));
  }

  async function oldestOf(workspaceId: string): Promise<Pick<DeliveriesNow, 'oldest'>> {
    const found = await overview.oldest(workspaceId);
    if (found === undefined) return {};
    const { since, isInTurn } = found;
    return { oldest: { since: new Date(since), isLate: now() - since > LATE_AFTER_MS, isInTurn } };
  }

  async function act(
    viewer: Viewer,
    action: { readonly act: 'retry' | 'drop'; readonly id: string },
    work: (entryOf: EntryOf) => Promise<RetryAnswer>,
  ): Promise<Message> {
    const detail = { act: action.act, delivery: action.id };
    const { workspaceId, userId } = viewer;
    const entryOf: EntryOf = (outcome) =>
      prepare({ workspaceId, userId, action: 'delivery', outcome, detail });
    return retryAnswer(await work(entryOf));
  }

  return {
    async of(viewer) {
      const { workspaceId } = viewer;
      const wanted = pages.get(readerOf(viewer)) ?? 0;
      const { entries: all, more } = await overview.list(workspaceId, wanted + DELIVERIES_ON_A_PAGE);
      // There may be fewer before them by now.
      const before = Math.min(wanted, lastPage(all.length));
      const entries = all.slice(before);
      const [places, visitors] = await Promise.all([
        placesOf(viewer, entries),
        visitorsOf(workspaceId, entries),
      ]);
      const troubled = entries.map((entry): TroubledDelivery => {
        const { id, to, trouble, about } = entry;
        const place = places.get(to) ?? { is: 'private-channel' };
        const visitor = about && visitors.get(about.visitorId);
        const named = about && visitor !== undefined ? { about: { visitor, userId: about.userId } } : {};
        return { id, place, trouble, ...named, state: stateOf(entry) };
      });
      const [count, longest] = await Promise.all([overview.waiting(workspaceId), oldestOf(workspaceId)]);
      return { waiting: count, ...longest, troubled, before, more };
    },
    turn(viewer, before) {
      const wanted = Before.safeParse(before).data;
      if (wanted !== undefined) pages.set(readerOf(viewer), wanted);
    },
    retry: (viewer, id) =>
      act(viewer, { act: 'retry', id }, (entryOf) => retryAndDrop.retry(viewer.workspaceId, id, entryOf)),
    drop: (viewer, id) =>
      act(viewer, { act: 'drop', id }, (entryOf) =>
        retryAndDrop.drop(viewer.workspaceId, id, viewer.userId, entryOf),
      ),
  };
}

import { createCleaner, type Cleaner, type FieldKind, type PageEvent } from './clean-event.js';
import type { ToAgent } from './page-messages.ts';
import type { Wire } from './wire.ts';

/** One agent page that shows the visitor's. */
export interface Watcher {
  readonly wire: Wire<ToAgent>;
  readonly sessionId: string;
  /** Gets nothing until the next complete snapshot. */
  needsSnapshot: boolean;
  /** So much is waiting to be sent that later events were dropped. */
  isBehind: boolean;
}

/** Most bytes waiting for one agent page. */
export const MOST_QUEUED = 2 * 1024 * 1024;
/** Bytes of events kept for agents whose connection breaks. */
const MOST_KEPT = 1024 * 1024;
/** How long to wait for a requested snapshot before requesting it again. */
const SNAPSHOT_WAIT_MS = 2_000;
/** After how long an agent who hasn't seen the latest events is acting on a stale picture. */
const STALE_MS = 2_000;

interface Kept {
  readonly seq: number;
  readonly at: number;
  readonly text: string;
}

/** Passes the events of one visitor's pages to the agents, in order. */
export interface PageStream {
  /** Events of a page load; undefined counts are those before the first. */
  readonly receive: (
    pageId: string,
    seq: number,
    events: readonly unknown[],
    watchers: Iterable<Watcher>,
  ) => 'taken' | 'snapshot' | 'out-of-order';
  /** The last events of this page load that arrived. */
  readonly got: (pageId: string) => number;
  /** Whether it continued where the watcher's connection broke; if not, the watcher waits for a snapshot. */
  readonly resume: (
    watcher: Watcher,
    from: { readonly stream: string | null; readonly seen: number },
  ) => boolean;
  /** Requests a snapshot unless one is on its way. */
  readonly wantSnapshot: () => void;
  /** Whether what this agent last saw is too old to act on. */
  readonly isStale: (seen: number) => boolean;
  readonly field: (node: number) => FieldKind | undefined;
  /** Catches up agents who were behind, and requests a missing snapshot again. */
  readonly beat: (watchers: Iterable<Watcher>) => void;
}

const META = 4;

/** @param askPage requests a snapshot from the visitor's page */
export function createPageStream(options: {
  readonly id: string;
  readonly now: () => number;
  readonly askPage: () => void;
  readonly onSnapshot: () => void;
}): PageStream {
  const { id, now } = options;
  let cleaner: Cleaner = createCleaner();
  let page = { id: '', got: 0, isWhole: false };
  let seq = 0;
  let [snapshotSeq, snapshotAskedAt] = [0, Number.NEGATIVE_INFINITY];
  let isSnapshotWanted = false;
  const kept: Kept[] = [];
  let keptBytes = 0;

  function wantSnapshot() {
    isSnapshotWanted = true;
    if (now() - snapshotAskedAt < SNAPSHOT_WAIT_MS) return;
    snapshotAskedAt = now();
    options.askPage();
  }

  function keep(text: string) {
    kept.push({ seq, at: now(), text });
    keptBytes += text.length;
    while (keptBytes > MOST_KEPT) keptBytes -= kept.shift()?.text.length ?? keptBytes;
  }

  function pass(events: readonly PageEvent[], startsAnew: boolean, watchers: Iterable<Watcher>) {
    seq += 1;
    if (startsAnew) {
      snapshotSeq = seq;
      [isSnapshotWanted, snapshotAskedAt] = [false, Number.NEGATIVE_INFINITY];
    }
    const message: ToAgent = { t: 'events', seq, events };
    const text = JSON.stringify(message);
    keep(text);
    for (const watcher of watchers) {
      if (watcher.wire.queued() > MOST_QUEUED) [watcher.isBehind, watcher.needsSnapshot] = [true, true];
      if (startsAnew && !watcher.isBehind) watcher.needsSnapshot = false;
      if (!watcher.needsSnapshot) watcher.wire.sendText(text);
    }
    if (startsAnew) options.onSnapshot();
  }

  return {
    receive(pageId, number, events, watchers) {
      if (page.id !== pageId) {
        page = { id: pageId, got: 0, isWhole: false };
        cleaner = createCleaner();
      }
      // Sent again after a broken connection.
      if (number <= page.got) return 'taken';
      const startsAnew = events.some((event) => isMeta(event));
      if (!startsAnew && (number !== page.got + 1 || !page.isWhole)) {
        wantSnapshot();
        return 'out-of-order';
      }
      [page.got, page.isWhole] = [number, true];
      const cleaned = events.map((event) => cleaner.clean(event)).filter((event) => event !== null);
      if (cleaned.length > 0) pass(cleaned, startsAnew, watchers);
      if (cleaner.needsSnapshot()) wantSnapshot();
      return startsAnew ? 'snapshot' : 'taken';
    },
    got: (pageId) => (page.id === pageId ? page.got : 0),
    resume(watcher, from) {
      const first = kept.find((one) => one.seq === from.seen + 1);
      if (from.stream === id && (first !== undefined || (from.seen === seq && seq > 0))) {
        for (const one of kept) if (one.seq > from.seen) watcher.wire.sendText(one.text);
        return true;
      }
      watcher.needsSnapshot = true;
      watcher.wire.send({ t: 'gap', stream: id });
      wantSnapshot();
      return false;
    },
    wantSnapshot,
    isStale(seen) {
      if (seen < snapshotSeq) return true;
      const unseen = kept.find((one) => one.seq > seen);
      return unseen !== undefined && now() - unseen.at > STALE_MS;
    },
    field: (node) => cleaner.field(node),
    beat(watchers) {
      for (const watcher of watchers) {
        if (!watcher.isBehind || watcher.wire.queued() > MOST_QUEUED / 4) continue;
        watcher.isBehind = false;
        wantSnapshot();
      }
      if (isSnapshotWanted) wantSnapshot();
    },
  };
}

function isMeta(event: unknown): boolean {
  return typeof event === 'object' && event !== null && 'type' in event && event.type === META;
}

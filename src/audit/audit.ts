import { createHmac } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import { newestFirst } from '../storage/newest-first.ts';
import { getReadable } from '../storage/readable.ts';
import type { Store } from '../storage/store.ts';

const LAST_OF_A_MILLISECOND = 10 ** 6;
const PAGE = 200;
const DAY_MS = 24 * 60 * 60 * 1_000;

/** What is written down of what people do. */
const ACTIONS = [
  'search',
  'link',
  'proxy-link',
  'refusal',
  'stop',
  'delete',
  'setting',
  'subscription',
  'delivery',
  'audit',
  'usage',
] as const;

/**
 * One line of the audit: who did what to whom, where, when, and what came of it. Ids and words of ours only: never a
 * link, a ticket, a token, or what somebody typed, but for the host that a proxy session starts at.
 */
export const AuditEntry = z.object({
  at: z.iso.datetime(),
  workspaceId: z.string(),
  userId: z.string(),
  action: z.enum(ACTIONS),
  /** A word of ours: `given`, `refused`, `done`, or the kind of a failure. */
  outcome: z.string(),
  channelId: z.string().optional(),
  visitorId: z.string().optional(),
  /** More about it, in words and numbers of ours. */
  detail: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
});
export type AuditEntry = z.infer<typeof AuditEntry>;

/** A action as it is told: the time is the audit's. */
export type NewEntry = Omit<AuditEntry, 'at'>;

/** The audit audit: what was written stays as it is until its time is over. There is no way to change or remove it. */
export interface Audit {
  /** Resolves once it is durable. Rejects with a DatabaseError; the log has the record even then. */
  record(action: NewEntry): Promise<void>;
  /**
   * All that is kept of a workspace, newest first; stops being asked when the reader has enough. What cannot be read
   * is left out.
   *
   * @param before only what is older than this, to the millisecond
   */
  read(workspaceId: string, before?: Date): AsyncGenerator<AuditEntry>;
  /**
   * What was typed, as a keyed hash: the same search is recognised, and cannot be guessed back without the key. With
   * another key, as after the newest of SECRET_KEYS was changed, the same search has another hash.
   */
  hashOf(typed: string): string;
}

interface AuditParts {
  readonly store: Store;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly newId: () => string;
  readonly keptDays: number;
  readonly secret: string;
  /** Told of each record, for the log. */
  readonly report: (record: AuditEntry) => void;
}

/** Numbers the records of one millisecond downwards, so that the newest of them sorts first, too. */
function createCountdown(): (time: number) => string {
  let last = { time: 0, left: LAST_OF_A_MILLISECOND };
  return (time) => {
    last = { time, left: (time === last.time ? last.left : LAST_OF_A_MILLISECOND) - 1 };
    return String(last.left).padStart(6, '0');
  };
}

export function createAudit({ store, now, newId, keptDays, secret, report }: AuditParts): Audit {
  const countdown = createCountdown();

  async function recordAt(key: string): Promise<readonly AuditEntry[]> {
    // One damaged record must not hide all that is older.
    const record = AuditEntry.safeParse(await getReadable(store, key));
    return record.success ? [record.data] : [];
  }

  return {
    async record(action) {
      const time = now();
      const record: AuditEntry = { at: new Date(time).toISOString(), ...action };
      report(record);
      const key = `${action.workspaceId}:${newestFirst(time)}:${countdown(time)}:${newId()}`;
      await store.set(key, record, keptDays * DAY_MS);
    },

    async *read(workspaceId, before) {
      const start = `${workspaceId}:`;
      // A semicolon sorts after the colon: past all records of that very millisecond.
      let after = before === undefined ? start : `${start}${newestFirst(before.getTime())};`;
      for (;;) {
        const keys = (await store.keys(after, PAGE)).filter((key) => key.startsWith(start));
        for (const key of keys) yield* await recordAt(key);
        const last = keys.at(-1);
        if (last === undefined || keys.length < PAGE) return;
        after = last;
        // The store may answer without ever waiting: what else the process has to do comes in between.
        await setImmediate();
      }
    },

    hashOf: (typed) =>
      createHmac('sha256', secret)
        .update(`audit ${typed.trim().toLowerCase()}`)
        .digest('base64url')
        .slice(0, 22),
  };
}

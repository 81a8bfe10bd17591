import { DatabaseSync, StatementSync } from 'node:sqlite';
import pg from 'pg';
import { expect, vi } from 'vitest';
import { z } from 'zod';

const inOneLine = (text: string) => text.replaceAll(/\s+/gu, ' ').trim();
const Asked = z.object({ text: z.string() }).transform(({ text }) => text);
const Statement = z.object({ sourceSQL: z.string() }).transform(({ sourceSQL }) => inOneLine(sourceSQL));
/** What looks for work by the clock, the turn of a card, and hints: nobody waits for them. */
const BESIDE =
  /^SELECT pg_notify|^WITH clock AS|^SELECT .* FROM watch_links WHERE .*look_at|^WITH picked AS .* FROM channels|^UPDATE channels SET claim|^UPDATE deliveries SET state = 'sending'/u;
const WRITES = /^(?:INSERT|UPDATE|DELETE|WITH .* UPDATE) /u;

interface OneAsked {
  readonly order: number;
  readonly text: string;
  /** Undefined for a statement in SQLite, which is always in a transaction where it writes. */
  readonly connection?: unknown;
}

/** What the app asks of its databases from now on, those in memory included. */
export function askedOfDatabases() {
  const query = vi.spyOn(pg.Client.prototype, 'query');
  const exec = vi.spyOn(DatabaseSync.prototype, 'exec');
  const runs = [vi.spyOn(StatementSync.prototype, 'run'), vi.spyOn(StatementSync.prototype, 'all')];
  const queryText = (index: number) =>
    inOneLine(Asked.safeParse(query.mock.calls[index]?.[0]).data ?? String(query.mock.calls[index]?.[0]));

  const allAsked = (): readonly OneAsked[] =>
    [
      ...query.mock.contexts.map((connection, index) => ({
        order: query.mock.invocationCallOrder[index] ?? 0,
        text: queryText(index),
        connection,
      })),
      ...exec.mock.contexts.map((connection, index) => ({
        order: exec.mock.invocationCallOrder[index] ?? 0,
        text: exec.mock.calls[index]?.[0] ?? '',
        connection,
      })),
      ...runs.flatMap((run) =>
        run.mock.contexts.map((statement: unknown, index) => ({
          order: run.mock.invocationCallOrder[index] ?? 0,
          text: Statement.parse(statement),
        })),
      ),
    ].toSorted((one, other) => one.order - other.order);

  return {
    /** Whether a statement with these words has its answer. */
    isAnswered: (words: string) =>
      query.mock.settledResults.some(
        ({ type }, index) => type === 'fulfilled' && queryText(index).includes(words),
      ) ||
      runs.some((run) =>
        run.mock.contexts.some((statement: unknown) => Statement.parse(statement).includes(words)),
      ),
    /** The statements so far, and how many commits of writes there were. */
    read() {
      const statements: string[] = [];
      /** The connections in a transaction, and whether anything of the click was in it. */
      const inTransaction = new Map<unknown, boolean>();
      let commits = 0;
      for (const { text, connection } of allAsked()) {
        if (text.startsWith('BEGIN')) inTransaction.set(connection, false);
        else if (text === 'COMMIT') {
          commits += inTransaction.get(connection) === true ? 1 : 0;
          inTransaction.delete(connection);
        } else if (text === 'ROLLBACK') inTransaction.delete(connection);
        else if (!/^(?:SAVEPOINT|RELEASE)/u.test(text) && !BESIDE.test(text)) {
          statements.push(text);
          // A statement in SQLite doesn't say whose transaction it's in: there is one at a time.
          const its = connection === undefined ? [...inTransaction.keys()] : [connection];
          for (const one of its) if (inTransaction.has(one)) inTransaction.set(one, true);
          if (connection !== undefined && WRITES.test(text) && !inTransaction.has(connection)) commits += 1;
        }
      }
      return { statements, commits };
    },
  };
}

/** Does something, and waits until a statement with these words, which it leads to by and by, has its answer. */
export async function untilAnswered(words: string, action: () => Promise<unknown>): Promise<void> {
  const asked = askedOfDatabases();
  try {
    await action();
    await expect.poll(() => asked.isAnswered(words)).toBe(true);
  } finally {
    vi.restoreAllMocks();
  }
}

import { StatementSync } from 'node:sqlite';
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

/** What the app asks of its databases from now on, those in memory included. */
export function askedOfDatabases() {
  const query = vi.spyOn(pg.Client.prototype, 'query');
  const runs = [vi.spyOn(StatementSync.prototype, 'run'), vi.spyOn(StatementSync.prototype, 'all')];
  const inSqlite = () =>
    runs.flatMap((run) => run.mock.contexts.map((statement: unknown) => Statement.parse(statement)));
  const queryText = (index: number) => {
    const asked: unknown = query.mock.calls[index]?.[0];
    return inOneLine(Asked.safeParse(asked).data ?? String(asked));
  };

  return {
    /** Whether a statement with these words has its answer. */
    isAnswered: (words: string) =>
      inSqlite().some((text) => text.includes(words)) ||
      query.mock.settledResults.some(
        ({ type }, index) => type === 'fulfilled' && queryText(index).includes(words),
      ),
    /** The statements so far, and how many commits of writes PostgreSQL was asked for. */
    read() {
      const statements = inSqlite().filter((text) => !BESIDE.test(text));
      /** The connections in a transaction, and whether anything of the click was in it. */
      const inTransaction = new Map<unknown, boolean>();
      let commits = 0;
      for (const [index, connection] of query.mock.contexts.entries()) {
        const text = queryText(index);
        if (text.startsWith('BEGIN')) inTransaction.set(connection, false);
        else if (text === 'COMMIT') {
          commits += inTransaction.get(connection) === true ? 1 : 0;
          inTransaction.delete(connection);
        } else if (text === 'ROLLBACK') inTransaction.delete(connection);
        else if (!BESIDE.test(text)) {
          statements.push(text);
          if (inTransaction.has(connection)) inTransaction.set(connection, true);
          else if (WRITES.test(text)) commits += 1;
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

import pg from 'pg';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { endedSession } from '../../sessions/ended-session.ts';
import { isPosted, webhooksOf } from '../../sessions/webhook-stage.ts';
import { checkedSandbox } from '../../support/checked-sandbox.ts';
import { hasPostgres, storeOnPostgres } from '../../support/engines.ts';

const Asked = z.object({ text: z.string() }).transform(({ text }) => text.replaceAll(/\s+/gu, ' ').trim());
/** Work by the clock, as the look every five seconds for what has waited long, and hints: nothing waits for them. `SET LOCAL` goes with BEGIN. */
const BESIDE =
  /^SET LOCAL|^SELECT pg_notify|^WITH clock AS|^SELECT d\.id, d\.accepted_at, d\.reason|^SELECT .* FROM agent_looks/u;
const WRITES = /^(?:INSERT|UPDATE|DELETE|WITH .* UPDATE) /u;

/** What the app asks of the server from now on. */
function listen() {
  const query = vi.spyOn(pg.Client.prototype, 'query');
  return () => {
    const statements: string[] = [];
    const inTransaction = new Set<unknown>();
    let commits = 0;
    for (const [index, [asked]] of query.mock.calls.entries()) {
      const client: unknown = query.mock.contexts[index];
      const text = Asked.safeParse(asked).data ?? '';
      if (text === 'BEGIN') inTransaction.add(client);
      else if (text === 'COMMIT') commits += inTransaction.delete(client) ? 1 : 0;
      else if (text === 'ROLLBACK') inTransaction.delete(client);
      else if (text !== '' && !BESIDE.test(text)) {
        statements.push(text);
        if (WRITES.test(text) && !inTransaction.has(client)) commits += 1;
      }
    }
    query.mockRestore();
    return { statements, commits };
  };
}

describe.skipIf(!hasPostgres)('what the whole app costs in PostgreSQL', () => {
  const storeUrl = storeOnPostgres();
  const { sandbox, logLines } = checkedSandbox(() => ({ storeUrl: storeUrl(), schedulerMs: 3_600_000 }));

  it('is at most seventeen statements in four commits from a webhook to its summary', async () => {
    const webhooks = webhooksOf(sandbox());
    const tell = async (id: string) => {
      expect((await webhooks.send(endedSession(id))).status).toBe(200);
      await webhooks.summaryOf(id);
      await expect.poll(() => isPosted(logLines, id)).toBe(true);
    };
    // By then nothing of the start is left to do.
    await tell('first');
    const heard = listen();
    await tell('counted');
    const { statements, commits } = heard();
    expect(statements.slice(17)).toEqual([]);
    expect(commits).toBeLessThanOrEqual(4);
  });
});

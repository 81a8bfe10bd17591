import pg from 'pg';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { startSandbox, type Sandbox } from '../../../sandbox/sandbox.ts';
import type { Database } from '../../../src/database/database.ts';
import { openDatabase } from '../../../src/database/open.ts';
import { BackendKey } from '../../../src/database/postgres-statements.ts';
import { createSubscriptionRepository } from '../../../src/subscriptions/repository.ts';
import { createOnlineRequests } from '../../../src/visitors/online.ts';
import { alexInSupport, endedSession } from '../../sessions/ended-session.ts';
import { webhooksOf } from '../../sessions/webhook-stage.ts';
import { PATIENT_MS } from '../../support/checked-sandbox.ts';
import { hasPostgres, postgresql } from '../../support/engines.ts';
import { ALEX, SUPPORT, personIn } from '../../support/person.ts';
import { holdTable } from '../../database/held-table.ts';

const HOUR_MS = 3_600_000;
/** More than the app has connections. */
const MANY = Array.from({ length: 20 }, (_, index) => String(index));
/** Those for what nobody waits for. */
const IN_BACKGROUND = 3;

/** The server's processes behind the connections that are kept for people, Slack and webhooks. */
function watchKept() {
  const connect = vi.spyOn(pg.Pool.prototype, 'connect');
  onTestFinished(() => connect.mockRestore());
  return () =>
    connect.mock.settledResults.flatMap(({ value }, index) => {
      const pool: unknown = connect.mock.contexts[index];
      if (!(pool instanceof pg.Pool) || pool.options.max === IN_BACKGROUND) return [];
      return BackendKey.safeParse(value).data?.processID ?? [];
    });
}

async function addDigests(database: Database): Promise<void> {
  const due = new Date(Date.now() - HOUR_MS);
  const schedule = { hour: due.getUTCHours(), minute: due.getUTCMinutes(), zone: 'Etc/UTC' };
  const filters = { agents: [], groups: [], tags: [] };
  const digest = { channelId: 'C1', filters, form: 'full', schedule, setUpBy: ALEX, setUpAt: 0 } as const;
  const repository = createSubscriptionRepository(database);
  for (const id of MANY) await repository.add({ workspaceId: `T${id}`, ...digest }, 1, due.getTime());
}

async function waitForCustomers(database: Database): Promise<void> {
  const requests = createOnlineRequests(database, () => '', Date.now);
  for (const id of MANY) await requests.ask(`T${id}`, 'jane', ALEX, Date.now() + HOUR_MS);
}

/** Each in a channel of its own. */
async function endSessions(sandbox: Sandbox): Promise<void> {
  const { address, send } = webhooksOf(sandbox);
  for (const id of MANY) {
    const to = address({ ...alexInSupport, channelId: `C${id}`, linkId: id });
    const ended = endedSession(id, { ended_at: new Date().toISOString() });
    expect((await send(ended, { to })).status).toBe(200);
  }
}

interface Work {
  readonly what: string;
  /** The table that it waits for, and what of it. */
  readonly waitsFor: readonly [table: string, mode?: 'SHARE'];
  /** What makes it due: before the app starts, or then. */
  readonly before?: (database: Database) => Promise<void>;
  readonly begin?: (sandbox: Sandbox) => Promise<unknown>;
  /** Whether webhooks need all of the table, too. */
  readonly holdsWebhooks?: true;
}

/** What nobody waits for. */
const WORK: readonly Work[] = [
  { what: 'digests', waitsFor: ['subscriptions', 'SHARE'], before: addDigests },
  { what: 'looks for customers', waitsFor: ['claims', 'SHARE'], before: waitForCustomers },
  { what: 'summaries', waitsFor: ['stops'], begin: endSessions },
  {
    what: 'webhooks to an address that refuses them',
    waitsFor: ['webhook_addresses', 'SHARE'],
    async begin(sandbox) {
      sandbox.receiver.answerWith(500);
      await endSessions(sandbox);
    },
  },
  {
    what: 'files of sessions',
    waitsFor: ['session_ends'],
    async begin(sandbox) {
      const text = '/cobrowse sessions csv';
      for (const _one of MANY) await sandbox.slack.command({ as: ALEX, channel: SUPPORT, text });
    },
    holdsWebhooks: true,
  },
];

describe.skipIf(!hasPostgres)('the app, while its PostgreSQL server keeps others waiting', () => {
  it.each(WORK)(
    'answers people, Slack and webhooks: $what',
    async ({ waitsFor, before, begin, holdsWebhooks }) => {
      const storeUrl = await postgresql.newUrl();
      const database = await openDatabase(storeUrl);
      await before?.(database);
      await database.close();
      const keptFor = watchKept();
      const hold = () => holdTable(storeUrl, ...waitsFor);
      const heldBefore = before && (await hold());
      const sandbox = await startSandbox({
        storeUrl,
        paceMs: 0,
        schedulerMs: 50,
        pageWaitMs: PATIENT_MS,
        sendsWebhooks: true,
      });
      onTestFinished(() => sandbox.close());
      const { waitingForTable, release } = heldBefore ?? (await hold());
      onTestFinished(async () => void (await release()));
      await begin?.(sandbox);
      await expect.poll(() => waitingForTable()).not.toEqual([]);

      const alex = personIn(sandbox);
      const { send } = webhooksOf(sandbox);
      const told = holdsWebhooks ? [] : MANY.map((id) => send(endedSession(`another ${id}`)));
      const page = await alex.watch(await alex.type('/cobrowse watch jane4821'));
      expect(page.status).toBe(302);
      expect((await Promise.all(told)).filter(({ status }) => status !== 200)).toEqual([]);
      const kept = new Set(keptFor());
      expect((await waitingForTable()).filter((pid) => kept.has(pid))).toEqual([]);
      expect(kept.size).toBeGreaterThan(0);
    },
  );
});

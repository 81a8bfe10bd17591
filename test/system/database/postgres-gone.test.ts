import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startSandbox } from '../../../sandbox/sandbox.ts';
import { LEASE_MS } from '../../../src/outbox/channels.ts';
import { alexInSupport, endedSession } from '../../sessions/ended-session.ts';
import { webhooksOf } from '../../sessions/webhook-stage.ts';
import { failuresOf } from '../../support/at-once.ts';
import { PATIENT_MS, expectSound, keptLog } from '../../support/checked-sandbox.ts';
import { hasPostgres, postgresql } from '../../support/engines.ts';
import { postgresPrograms } from '../../support/machine.ts';
import { startOwnPostgres, startStandby } from '../../support/own-postgres.ts';
import { ALEX, personIn, readable } from '../../support/person.ts';
import { startGate } from '../../support/postgres-gate.ts';

type Gate = Awaited<ReturnType<typeof startGate>>;

/** The app, with a way to its server that can be bad. */
async function start(serverUrl: string) {
  const gate = await startGate(new URL(serverUrl));
  const { log, lines } = keptLog();
  const sandbox = await startSandbox({ paceMs: 0, pageWaitMs: PATIENT_MS, storeUrl: gate.url, log });
  onTestFinished(() => sandbox.close());
  const webhooks = webhooksOf(sandbox);
  const acknowledged: string[] = [];
  const alex = personIn(sandbox);
  const ready = async () => (await fetch(`${sandbox.publicUrl}/readyz`)).status;
  const watchNoah = async () => (await alex.watch(await alex.type('/cobrowse watch noah'))).status;
  /** A webhook, whose session has to come through if it's acknowledged. */
  const report = async (id: string) => {
    const answer = await webhooks.send(endedSession(id), {
      to: webhooks.address({ ...alexInSupport, linkId: id }),
    });
    if (answer.status === 200) acknowledged.push(id);
    return answer;
  };
  return {
    gate,
    sandbox,
    alex,
    lines,
    offer: await alex.type('/cobrowse watch jane4821'),
    ready,
    report,
    /** That everything works, and each session that was acknowledged has its summary once. */
    async expectWell() {
      await expect.poll(ready, { timeout: 30_000 }).toBe(200);
      // A connection from when the server accepted no changes is found out by the first one that it refuses; whoever asked for
      // that reads so, and it works the next time.
      await expect.poll(async () => (await report('afterwards')).status, { timeout: 60_000 }).toBe(200);
      // A turn that was taken while its answer was lost is free after its lease.
      for (const id of acknowledged) await webhooks.summaryOf(id, 2 * LEASE_MS);
      const all = await webhooks.allUntilNow();
      expect(all.toSorted()).toEqual(expect.arrayContaining(acknowledged.toSorted()));
      expect(new Set(all).size).toBe(all.length);
      await expect.poll(watchNoah, { timeout: 60_000 }).toBe(302);
      expect(lines.filter((line) => line.includes('unexpected failure'))).toEqual([]);
      expectSound(sandbox);
    },
  };
}
type Started = Awaited<ReturnType<typeof start>>;

const WORDS = /can’t use its database|can’t tell whether|couldn’t check your permission|wasn’t done/;

/** What people and programs ask for, at once. */
async function askAll({ alex, offer, ready, report }: Started, id: string) {
  const [webhook, readiness, page, told] = await Promise.all([
    report(id),
    ready(),
    alex.watch(offer),
    alex.type('/cobrowse subscribe #support'),
  ]);
  return { webhook, readiness, page, told: readable(told.blocks) };
}

async function homeSays({ sandbox }: Started, words: RegExp): Promise<void> {
  await sandbox.slack.openHome({ as: ALEX });
  await sandbox.slack.until(ALEX, ({ home }) => words.test(readable(home?.view?.blocks ?? [])) || undefined);
}

async function onServer(url: string, ...statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

const nameIn = (url: string) => new URL(url).pathname.slice(1);

type Step = (gate: Gate, url: string) => unknown;
/** What is wrong with the server, and how that ends. */
const TROUBLES: readonly (readonly [string, begin: Step, end: Step])[] = [
  ['is away', (gate) => gate.shut(), (gate) => gate.reopen()],
  ['says nothing', (gate) => gate.mute(), (gate) => gate.unmute()],
  ['loses each connection that asks', (gate) => gate.breakAll(true), (gate) => gate.breakAll(false)],
  [
    'accepts no changes',
    async (gate, url) => {
      await onServer(url, `ALTER DATABASE ${nameIn(url)} SET default_transaction_read_only = on`);
      gate.cut();
    },
    // What is connected by then stays read-only.
    (_gate, url) =>
      onServer(
        url,
        'SET default_transaction_read_only = off',
        `ALTER DATABASE ${nameIn(url)} RESET default_transaction_read_only`,
      ),
  ],
];

async function isInTrouble(begin: Step, end: Step): Promise<void> {
  const url = await postgresql.newUrl();
  const app = await start(url);
  for (const id of ['before 1', 'before 2']) expect((await app.report(id)).status).toBe(200);
  await begin(app.gate, url);
  const { webhook, readiness, page, told } = await askAll(app, 'meanwhile');
  await homeSays(app, /can’t use its database|Online now/);

  expect([webhook.status, webhook.headers.get('retry-after')]).toEqual([503, '10']);
  expect(readiness).toBe(503);
  expect([page.status, page.headers.get('location')]).toEqual([503, null]);
  expect(await page.text()).toMatch(WORDS);
  expect(told).toMatch(WORDS);
  expect((await fetch(`${app.sandbox.publicUrl}/healthz`)).status).toBe(200);

  await end(app.gate, url);
  await app.expectWell();
}

/** Those that wait are told, and nobody gets the same connection again. */
async function losesItsConnections(): Promise<void> {
  const app = await start(await postgresql.newUrl());
  // As many as there can be.
  await Promise.all(Array.from({ length: 30 }, (_, index) => app.report(`before ${index}`)));
  app.gate.swallow();
  const first = await askAll(app, 'meanwhile');
  expect([200, 503]).toContain(first.webhook.status);
  expect(first.page.status).not.toBe(500);
  // Nothing was repaired: whoever got one of those waited for it, or the next one does.
  const again = () => Promise.all(Array.from({ length: 30 }, (_, index) => app.report(`again ${index}`)));
  const statuses = async () => [...new Set((await again()).map(({ status }) => status))];
  await expect.poll(statuses, { timeout: 30_000 }).toEqual([200]);
  await app.expectWell();
}

async function isSlow(): Promise<void> {
  const app = await start(await postgresql.newUrl());
  app.gate.delay(300);
  const { webhook, readiness, page, told } = await askAll(app, 'slowly');
  expect([webhook.status, readiness, page.status]).toEqual([200, 200, 302]);
  expect(told).toMatch(/now gets summaries/);
  app.gate.delay(0);
  await app.expectWell();
}

describe.skipIf(!hasPostgres)('the app, whatever is wrong with its PostgreSQL server', () => {
  it('answers everybody, loses nothing, and works again by itself', async () => {
    const troubles = TROUBLES.map(([what, begin, end]) => [what, () => isInTrouble(begin, end)] as const);
    const failures = await failuresOf({
      'is no longer reached by the connections there are': losesItsConnections,
      ...Object.fromEntries(troubles),
      'takes a while for everything': isSlow,
    });
    expect(failures).toEqual([]);
  });
});

// If it's skipped, the run says so: see test/support/machine.ts.
describe.skipIf(postgresPrograms === undefined)('the app, where a standby takes over', () => {
  it('goes on there by itself, with all that was acknowledged', async () => {
    const primary = await startOwnPostgres();
    onTestFinished(() => primary.close().catch(() => undefined));
    const standby = await startStandby(primary.url);
    onTestFinished(() => standby.close());
    const app = await start(primary.url);
    const before = Array.from({ length: 10 }, (_, index) => `before ${index}`);
    await Promise.all(before.map(app.report));
    await primary.close();
    app.gate.leadTo(standby.url);
    // It reads, and changes nothing yet.
    const { webhook, readiness, told } = await askAll(app, 'meanwhile');
    expect([webhook.status, readiness]).toEqual([503, 503]);
    expect(told).toMatch(WORDS);
    standby.promote();
    await app.expectWell();
  });
});

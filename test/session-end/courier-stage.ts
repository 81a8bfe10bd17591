import { onTestFinished, vi } from 'vitest';
import { blockKitProblems } from '../../src/sandbox/slack/block-kit.ts';
import { createCompose } from '../../src/session-end/compose.ts';
import { createCourier } from '../../src/session-end/courier.ts';
import type { DeliveryReport, Tell, Told } from '../../src/session-end/endings.ts';
import type { Deliverable } from '../../src/session-end/delivery.ts';
import { createLedgerRecords } from '../../src/session-end/ledger-records.ts';
import { createOutbox } from '../../src/session-end/outbox.ts';
import type { Destination, PostOutcome } from '../../src/session-end/post.ts';
import { createStopRecords } from '../../src/session-end/stops.ts';
import { openDatabase } from '../../src/database/open.ts';
import { createStorage } from '../../src/storage/open.ts';
import type { Store } from '../../src/storage/store.ts';

/** A post that the courier asked for. */
export interface Asked extends Destination {
  readonly id: string;
  readonly text: string;
  readonly at: number;
}

type Answer = (asked: Asked, times: number) => PostOutcome | Promise<PostOutcome>;
type Hooks = Partial<Pick<Parameters<typeof createCourier>[0], 'gate' | 'tell' | 'cards' | 'find'>>;
type Stores = Readonly<Record<'waiting' | 'settled' | 'claims' | 'begun', Store>>;

const took: PostOutcome = { outcome: 'posted', ts: '1700000000.000100' };

/** Turns of the event loop, in which the store's writes are committed: time stands still meanwhile. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 60; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** Lets time pass by steps; after each, everything that it set off comes to its rest. */
export async function pass(ms: number, stepMs = 500): Promise<void> {
  const end = Date.now() + ms;
  await turns();
  for (;;) {
    const before = Date.now();
    await vi.advanceTimersByTimeAsync(Math.min(stepMs, end - before));
    await turns();
    if (Date.now() >= end) return;
  }
}

/** Stores in memory on the test's clock, which starts at 0, and couriers over them: each is a process of its own. */
export async function openCourierStage(change: (stores: Stores) => Stores = (stores) => stores) {
  vi.useFakeTimers({ now: 0, toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  const database = await openDatabase('memory:');
  const storage = createStorage(database, { now: Date.now });
  onTestFinished(async () => {
    vi.useRealTimers();
    await storage.close();
  });
  const namespaces = {
    waiting: storage.store('w'),
    settled: storage.store('s'),
    claims: storage.store('c'),
    begun: storage.store('b'),
  };
  const outbox = createOutbox({ ...change(namespaces), now: Date.now });
  const records = createLedgerRecords({ waits: storage.store('t'), givenUp: storage.store('g') });
  const finds: string[] = [];
  const blind: string[] = [];
  const suspects: string[] = [];
  const asked: Asked[] = [];
  const reports: string[] = [];
  const report: DeliveryReport = (outcome, { id, reason }) =>
    void reports.push([outcome, id, reason].filter((part) => part !== undefined).join(' '));

  const told: (readonly [Deliverable, Told])[] = [];
  const tell: Tell = async (delivery, outcome) => void told.push([delivery, outcome]);

  /** @param answer what Slack says to each post; `times` counts those of the same delivery before it */
  function courierThat(answer: Answer = () => took, hooks: Hooks = {}) {
    return createCourier({
      outbox,
      records,
      shortened: storage.store('h'),
      async find({ to }, id) {
        finds.push(`${id} in ${to}`);
        return { found: [], channelId: to };
      },
      doubles: { suspect: async (id) => void suspects.push(id) },
      blind: (reason, scope) => void blind.push(`${reason} ${scope}`),
      async post(to, { text, blocks }, id) {
        const problems = blockKitProblems('message', { text, blocks });
        if (problems.length > 0) throw new Error(problems.join('\n'));
        const times = asked.filter((earlier) => earlier.id === id).length;
        const now = { ...to, id, text, at: Date.now() };
        asked.push(now);
        return answer(now, times);
      },
      compose: createCompose({
        showVisitor: async (_workspaceId, visitor) => ({ visitor, isCut: false }),
        stops: createStopRecords(database, Date.now),
        pictureOf: () => undefined,
      }),
      cards: { take: async () => undefined },
      tell,
      ...hooks,
      report,
      paceMs: 1_000,
      now: Date.now,
    });
  }
  const order = () => asked.map(({ id, at }) => `${id} at ${at}`);
  return {
    outbox,
    records,
    stores: namespaces,
    asked,
    told,
    finds,
    suspects,
    blind,
    reports,
    order,
    courierThat,
  };
}

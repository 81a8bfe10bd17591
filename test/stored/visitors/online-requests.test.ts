import { describe, expect, it, vi } from 'vitest';
import type { NewEntry } from '../../../src/audit/audit.ts';
import { CobrowseError } from '../../../src/cobrowse/errors.ts';
import { VisitorSchema } from '../../../src/cobrowse/schemas.ts';
import type { Sql } from '../../../src/database/database.ts';
import { createNamedClaims } from '../../../src/database/named-claims.ts';
import type { PostOutcome } from '../../../src/outbox/transport.ts';
import { RightUnknownError, type Verdict } from '../../../src/permissions/permissions.ts';
import {
  createOnlineRequests,
  createOnlineWatch,
  type OnlineRequests,
} from '../../../src/visitors/online.ts';
import {
  DAY_MS,
  MINUTE_MS,
  START,
  down,
  limited,
  lost,
  openStage,
  revoked,
  took,
} from '../../outbox/stage.ts';
import { onlySqlite, engines, sqlite } from '../../support/engines.ts';
import { ALEX, SAM } from '../../support/person.ts';

const EVENING = START + 12 * 60 * MINUTE_MS;
const toldOfJane = (id: string) => `${id} Visitor jane came online.\nOnline\nYou asked to be told.`;

/** What the service says of customers of these ids. */
const failing = new Map([
  ['gone', new CobrowseError('not-found', 'gone')],
  ['broken', new CobrowseError('unreachable', 'down')],
]);

/** Two processes with one database, before one service and one Slack. */
async function openWorld(newUrl: () => Promise<string>) {
  const outboxes = await openStage({ url: await newUrl(), isShared: true });
  const online = new Set<string>();
  const world = {
    /** Whether a person may watch; rejects where that isn't known. */
    mayAct: async (): Promise<Verdict> => ({ allowed: true }),
    answer: (): PostOutcome => took(),
    /** What the service takes for a look. */
    look: async (): Promise<void> => undefined,
  };
  const asked: string[] = [];
  const audit: NewEntry[] = [];
  const failures: unknown[] = [];
  async function open() {
    const parts = Promise.withResolvers<{
      readonly requests: OnlineRequests;
      /** Resolves when all that it looks for is looked at. */
      readonly round: (stopping?: AbortSignal) => Promise<void>;
    }>();
    await outboxes.start({
      answer: () => world.answer(),
      find: async () => ({ found: [], channelId: 'D1' }),
      also(outbox, database) {
        const requests = createOnlineRequests(database, outbox.newId, Date.now);
        const watch = createOnlineWatch({
          requests,
          claims: createNamedClaims(database, Date.now),
          cobrowseOf: async () => ({
            async visitor(id) {
              asked.push(id);
              await world.look();
              const failure = failing.get(id);
              if (failure !== undefined) throw failure;
              return VisitorSchema.parse({ short_id: id, is_online: online.has(id) });
            },
          }),
          mayAct: () => world.mayAct(),
          outbox,
          record: async (entry) => void audit.push(entry),
          report: (error) => void failures.push(error),
        });
        parts.resolve({ requests, round: (stopping) => watch.round(stopping).then(watch.idle) });
      },
    });
    return parts.promise;
  }
  return {
    here: await open(),
    there: await open(),
    online,
    world,
    asked,
    audit,
    failures,
    pass: outboxes.pass,
    told: () => outboxes.asked.map(({ to, text }) => `${to} ${text}`),
  };
}

describe.each(engines)('who is told when a visitor comes online, in $engine', ({ newUrl }) => {
  const stage = () => openWorld(newUrl);

  it('is each who asked, once, by one of two processes, for at most one request a visitor and minute', async () => {
    const { here, there, pass, online, told, audit, asked } = await stage();
    await here.requests.ask('T1', 'jane', ALEX, EVENING);
    await there.requests.ask('T1', 'jane', SAM, EVENING);
    await Promise.all([here.round(), there.round(), here.round()]);
    await pass(MINUTE_MS - 1_000);
    await there.round();
    expect([told(), asked]).toEqual([[], ['jane']]);
    online.add('jane');
    await pass(1_000);
    await Promise.all([here.round(), there.round()]);
    expect(asked).toEqual(['jane', 'jane']);
    await pass(MINUTE_MS);
    await Promise.all([here.round(), there.round()]);
    await pass(5_000);
    expect(told().toSorted()).toEqual([ALEX, SAM].map(toldOfJane));
    const sent = { action: 'online-notice', outcome: 'sent' };
    expect(audit).toMatchObject([sent, sent]);
  });

  it('is not who canceled, though their message already waited', async () => {
    const { here, there, pass, online, told, world } = await stage();
    for (const person of [ALEX, SAM]) await here.requests.ask('T1', 'jane', person, EVENING);
    await here.requests.ask('T1', 'liam', ALEX, EVENING);
    for (const id of ['jane', 'liam']) online.add(id);
    world.answer = () => limited(30);
    await here.round();
    await pass(10_000);
    world.answer = took;
    const before = told().length;
    expect(await there.requests.cancel('T1', 'jane', ALEX)).toBe(true);
    expect(await there.requests.cancel('T1', 'jane', ALEX)).toBe(false);
    await pass(MINUTE_MS);
    expect(told().slice(before).toSorted()).toEqual([
      `${ALEX} Visitor liam came online.\nOnline\nYou asked to be told.`,
      toldOfJane(SAM),
    ]);
  });

  it('is nobody after the day, and the service is asked no more', async () => {
    const { here, pass, online, asked, told } = await stage();
    await here.requests.ask('T1', 'jane', ALEX, EVENING);
    online.add('jane');
    vi.setSystemTime(EVENING);
    await here.round();
    await pass(2_000);
    expect({ asked, told: told() }).toEqual({ asked: [], told: [] });
    expect(await here.requests.ask('T1', 'jane', ALEX, EVENING + DAY_MS)).toBe('set');
  });

  it('waits for at most fifty visitors of a workspace, and as many of another', async () => {
    const { here, asked } = await stage();
    for (let index = 0; index < 50; index += 1) await here.requests.ask('T1', `v${index}`, ALEX, EVENING);
    expect(await here.requests.ask('T1', 'jane', ALEX, EVENING)).toBe('full');
    expect(await here.requests.ask('T1', 'v1', SAM, EVENING)).toBe('set');
    expect(await here.requests.ask('T2', 'jane', ALEX, EVENING)).toBe('set');
    await here.round();
    expect(new Set(asked).size).toBe(51);
  });
});

/** Alex waits for Jane, who is there. */
async function openForJane() {
  const world = await openWorld(sqlite.newUrl);
  await world.here.requests.ask('T1', 'jane', ALEX, EVENING);
  world.online.add('jane');
  return world;
}

const unreachable: PostOutcome = { outcome: 'never', reason: 'user_disabled' };
const unknown = new RightUnknownError(new Error('no answer'));

// What no statement decides is the same in both.
describe.each(onlySqlite)('who is told when a visitor comes online', () => {
  it('is queued in the order of their channels, so that two processes never wait for each other', async () => {
    const taken = [SAM, ALEX].map((id) => ({
      user_id: id,
      message_id: id,
      asked_at: START,
      until_at: EVENING,
    }));
    const queued: Sql[] = [];
    const requests = createOnlineRequests(
      {
        read: async () => [],
        write: async () => [],
        async writeThen(_statements, next) {
          queued.push(...(next([{ changed: 2, returned: taken }]) ?? []));
          return [];
        },
      },
      () => 'd1',
      Date.now,
    );
    await requests.queue('T1', 'jane');
    const people = queued.map(({ values }) => [ALEX, SAM].find((id) => values.includes(id)) ?? 'wake');
    expect(people).toEqual([ALEX, 'wake', SAM, 'wake']);
  });

  it('is nobody who may not watch by then', async () => {
    const { here, pass, world, told, audit } = await openForJane();
    world.mayAct = async () => ({ allowed: false, why: 'not-named' });
    await here.round();
    await pass(5_000);
    expect(told()).toEqual([]);
    expect(audit).toMatchObject([{ userId: ALEX, visitorId: 'jane', outcome: 'not-named' }]);
  });

  it.each([
    ['Slack is busy', { answer: () => down }, 'sent'],
    ['Slack refuses the token', { answer: () => revoked }, 'sent'],
    ['Slack lost its answer', { answer: () => lost }, 'sent'],
    ['Slack can’t reach them', { answer: () => unreachable }, 'user_disabled'],
    ['Slack says nothing of their rights', { mayAct: () => Promise.reject(unknown) }, 'sent'],
  ] satisfies readonly [string, object, string][])(
    'is each of them once it works, if it ever does, though at first %s',
    async (_words, trouble, outcome) => {
      const { here, pass, world, told, audit } = await openForJane();
      await here.requests.ask('T1', 'jane', SAM, EVENING);
      const works = { ...world };
      Object.assign(world, trouble);
      await here.round();
      await pass(MINUTE_MS / 2);
      Object.assign(world, works);
      await pass(2 * MINUTE_MS);
      expect(new Set(told())).toEqual(new Set([ALEX, SAM].map(toldOfJane)));
      expect(audit.map((entry) => entry.outcome)).toEqual([outcome, outcome]);
      expect(await here.requests.watched()).toEqual([]);
    },
  );

  it('is looked for by five looks at once, beside other workspaces, and a stop waits for these alone', async () => {
    const { here, asked, world } = await openWorld(sqlite.newUrl);
    for (let index = 0; index < 12; index += 1) await here.requests.ask('T1', `v${index}`, ALEX, EVENING);
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    world.look = () => answered;
    const stopping = new AbortController();
    const round = here.round(stopping.signal);
    await expect.poll(() => asked).toHaveLength(5);
    await here.requests.ask('T2', 'liam', ALEX, EVENING);
    const beside = here.round();
    await expect.poll(() => asked.slice(5)).toEqual(['liam']);
    stopping.abort();
    answer();
    await Promise.all([round, beside]);
    expect(asked).toHaveLength(6);
    await here.round();
    expect(asked).toHaveLength(13);
  });

  it('is told of the others where one is gone or the service fails for it', async () => {
    const { here, pass, online, told, failures } = await openWorld(sqlite.newUrl);
    for (const id of ['gone', 'broken', 'jane']) await here.requests.ask('T1', id, ALEX, EVENING);
    online.add('jane');
    await here.round();
    await pass(2_000);
    expect(told()).toHaveLength(1);
    expect(failures).toMatchObject([{ kind: 'unreachable' }]);
  });
});

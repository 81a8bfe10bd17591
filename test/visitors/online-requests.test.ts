import { describe, expect, it, onTestFinished } from 'vitest';
import type { NewEntry } from '../../src/audit/audit.ts';
import { CobrowseError } from '../../src/cobrowse/errors.ts';
import { VisitorSchema } from '../../src/cobrowse/schemas.ts';
import { createNamedClaims } from '../../src/database/named-claims.ts';
import { openDatabase } from '../../src/database/open.ts';
import type { PostOutcome, Sighting } from '../../src/outbox/post.ts';
import { RightUnknownError } from '../../src/permissions/acts.ts';
import type { Verdict } from '../../src/permissions/acts.ts';
import { createOnlineRequests } from '../../src/visitors/online-requests.ts';
import { createOnlineWatch } from '../../src/visitors/online-watch.ts';
import { engines } from '../support/engines.ts';
import { ALEX, SAM } from '../support/person.ts';

const NOON = Date.UTC(2026, 2, 1, 12);
const EVENING = NOON + 12 * 60 * 60_000;
const MINUTE_MS = 60_000;
const posted: PostOutcome = { outcome: 'posted', ts: '1.0' };
const mayNotLook: Sighting = { outcome: 'never', reason: 'missing_scope' };
const toldOfJane = (id: string) => `${id} online: Visitor jane is online now.\nYou asked to be told.`;

/** What Slack says. */
interface World {
  verdict: Verdict | RightUnknownError;
  outcome: PostOutcome;
  sighting: Sighting;
  /** What the service takes for a look. */
  look: () => Promise<void>;
}

describe.each(engines)('who is told when a visitor comes online, in $engine', ({ newUrl }) => {
  /** Two processes with one database, before one service and one Slack. */
  async function stage() {
    const url = await newUrl();
    const clock = { now: NOON };
    const now = () => clock.now;
    const online = new Set<string>();
    const world: World = {
      verdict: { allowed: true },
      outcome: posted,
      sighting: { found: [], channelId: 'D1' },
      look: async () => undefined,
    };
    const asked: string[] = [];
    const told: string[] = [];
    const audit: NewEntry[] = [];
    const failures: unknown[] = [];
    async function open() {
      const database = await openDatabase(url);
      onTestFinished(() => database.close());
      const requests = createOnlineRequests(database, now);
      const round = createOnlineWatch({
        requests,
        claims: createNamedClaims(database, now),
        cobrowseOf: async () => ({
          async visitor(id) {
            asked.push(id);
            await world.look();
            if (id === 'gone') throw new CobrowseError('not-found', 'gone');
            if (id === 'broken') throw new CobrowseError('unreachable', 'down');
            return VisitorSchema.parse({ short_id: id, is_online: online.has(id) });
          },
        }),
        async mayAct() {
          if (world.verdict instanceof RightUnknownError) throw world.verdict;
          return world.verdict;
        },
        async post({ to }, { text }, id) {
          told.push(`${to} ${id.slice(0, 7)} ${text}`);
          return world.outcome;
        },
        find: async () => world.sighting,
        record: async (entry) => void audit.push(entry),
        report: (error) => void failures.push(error),
      });
      return { requests, round };
    }
    return { here: await open(), there: await open(), clock, online, world, asked, told, audit, failures };
  }

  it('is each who asked, once, by one of two processes', async () => {
    const { here, there, clock, online, told, audit } = await stage();
    await here.requests.ask('T1', 'jane', ALEX, EVENING);
    await there.requests.ask('T1', 'jane', SAM, EVENING);
    await here.round();
    expect(told).toEqual([]);
    online.add('jane');
    clock.now += MINUTE_MS;
    await Promise.all([here.round(), there.round()]);
    clock.now += MINUTE_MS;
    await Promise.all([here.round(), there.round()]);
    expect(told.toSorted()).toEqual([ALEX, SAM].map(toldOfJane));
    expect(audit.map(({ action, outcome }) => `${action} ${outcome}`)).toEqual([
      'online-notice sent',
      'online-notice sent',
    ]);
  });

  it('costs the service at most one request a visitor and minute, whoever waits', async () => {
    const { here, there, clock, asked } = await stage();
    await here.requests.ask('T1', 'jane', ALEX, EVENING);
    await here.requests.ask('T1', 'jane', SAM, EVENING);
    await Promise.all([here.round(), there.round(), here.round()]);
    clock.now += MINUTE_MS - 1;
    await there.round();
    expect(asked).toEqual(['jane']);
    clock.now += 1;
    await there.round();
    expect(asked).toEqual(['jane', 'jane']);
  });

  it('is nobody after the day, and the service is asked no more', async () => {
    const { here, clock, online, asked, told } = await stage();
    await here.requests.ask('T1', 'jane', ALEX, EVENING);
    online.add('jane');
    clock.now = EVENING;
    await here.round();
    expect({ asked, told }).toEqual({ asked: [], told: [] });
    expect(await here.requests.ask('T1', 'jane', ALEX, EVENING + 1)).toMatchObject({ is: 'set' });
  });

  it('is nobody who canceled', async () => {
    const { here, online, told } = await stage();
    await here.requests.ask('T1', 'jane', ALEX, EVENING);
    expect(await here.requests.ask('T1', 'jane', ALEX, EVENING + 1)).toEqual({
      is: 'already',
      until: new Date(EVENING),
    });
    expect(await here.requests.cancel('T1', 'jane', ALEX)).toBe(true);
    expect(await here.requests.cancel('T1', 'jane', ALEX)).toBe(false);
    online.add('jane');
    await here.round();
    expect(told).toEqual([]);
  });

  it('is nobody who may not watch by then', async () => {
    const { here, clock, online, world, told, audit } = await stage();
    await here.requests.ask('T1', 'jane', ALEX, EVENING);
    online.add('jane');
    world.verdict = { allowed: false, why: 'not-named' };
    await here.round();
    world.verdict = { allowed: true };
    clock.now += 2 * MINUTE_MS;
    await here.round();
    expect(told).toEqual([]);
    expect(audit).toMatchObject([{ userId: ALEX, visitorId: 'jane', outcome: 'not-named' }]);
  });

  it('is told later where Slack is busy, and not twice where the first message arrived', async () => {
    const { here, clock, online, world, told } = await stage();
    await here.requests.ask('T1', 'jane', ALEX, EVENING);
    online.add('jane');
    world.outcome = { outcome: 'later', reason: 'no_answer', unclear: true };
    await here.round();
    clock.now += MINUTE_MS;
    await here.round();
    expect(told).toHaveLength(2);
    world.sighting = { found: ['1.0'], channelId: 'D1' };
    clock.now += MINUTE_MS;
    await here.round();
    clock.now += MINUTE_MS;
    await here.round();
    expect(told).toHaveLength(2);
  });

  it.each([
    ['Slack refuses the token', { outcome: { outcome: 'never', reason: 'token_revoked' } }],
    ['Slack limits the app', { outcome: { outcome: 'later', reason: 'ratelimited', afterMs: 1_000 } }],
    ['Slack says nothing of their rights', { verdict: new RightUnknownError(new Error('no answer')) }],
  ] satisfies readonly [string, Partial<World>][])(
    'is each of them once it works, though at first %s, where the app may not read the history',
    async (_words, trouble) => {
      const { here, clock, online, world, told, audit } = await stage();
      await here.requests.ask('T1', 'jane', ALEX, EVENING);
      await here.requests.ask('T1', 'jane', SAM, EVENING);
      online.add('jane');
      world.sighting = mayNotLook;
      Object.assign(world, trouble);
      for (let minute = 0; minute < 2; minute += 1) {
        await here.round();
        clock.now += MINUTE_MS;
      }
      expect(audit).toEqual([]);
      Object.assign(world, { outcome: posted, verdict: { allowed: true } });
      told.length = 0;
      await here.round();
      clock.now += MINUTE_MS;
      await here.round();
      expect(told.toSorted()).toEqual([ALEX, SAM].map(toldOfJane));
      expect(audit.map(({ outcome }) => outcome)).toEqual(['sent', 'sent']);
    },
  );

  it('stays with whoever took it since, where a slow look gives it back', async () => {
    const { here, there, clock } = await stage();
    await here.requests.ask('T1', 'jane', ALEX, EVENING);
    const [slow] = await here.requests.take('T1', 'jane');
    clock.now += MINUTE_MS;
    const [taken] = await there.requests.take('T1', 'jane');
    expect([slow?.isAgain, taken?.isAgain]).toEqual([false, true]);
    if (slow !== undefined) await here.requests.release(slow);
    expect(await here.requests.take('T1', 'jane')).toEqual([]);
    clock.now += MINUTE_MS;
    expect(await here.requests.take('T1', 'jane')).toMatchObject([{ isAgain: true }]);
  });

  it('is told again, rather than never, after a message that may have arrived and can’t be looked for', async () => {
    const { here, clock, online, world, told } = await stage();
    await here.requests.ask('T1', 'jane', ALEX, EVENING);
    online.add('jane');
    world.outcome = { outcome: 'later', reason: 'no_answer', unclear: true };
    await here.round();
    world.outcome = posted;
    for (const sighting of [{ outcome: 'later', reason: 'ratelimited' } as const, mayNotLook]) {
      world.sighting = sighting;
      clock.now += MINUTE_MS;
      await here.round();
    }
    expect(told).toHaveLength(2);
    expect(await here.requests.watched()).toEqual([]);
  });

  it('is told by another process where the first one ended before it sent anything, and may not look', async () => {
    const { here, there, clock, online, world, told, audit } = await stage();
    await here.requests.ask('T1', 'jane', ALEX, EVENING);
    online.add('jane');
    // As far as the first one came.
    expect(await here.requests.take('T1', 'jane')).toHaveLength(1);
    world.sighting = mayNotLook;
    await there.round();
    expect(told).toEqual([]);
    clock.now += MINUTE_MS;
    await there.round();
    expect(told).toEqual([toldOfJane(ALEX)]);
    expect(audit).toMatchObject([{ outcome: 'sent' }]);
    expect(await there.requests.watched()).toEqual([]);
  });

  it.each([
    ['token_revoked', 'told once the app is installed rightly again', 2],
    ['user_disabled', 'not told again', 1],
  ])('is, where Slack answers %s, %s', async (reason, _words, times) => {
    const { here, clock, online, world, told } = await stage();
    await here.requests.ask('T1', 'jane', ALEX, EVENING);
    online.add('jane');
    world.outcome = { outcome: 'never', reason };
    await here.round();
    world.outcome = posted;
    clock.now += MINUTE_MS;
    await here.round();
    clock.now += MINUTE_MS;
    await here.round();
    expect(told).toHaveLength(times);
  });

  it('waits for at most fifty visitors of a workspace, and as many of another', async () => {
    const { here, asked } = await stage();
    for (let index = 0; index < 50; index += 1) await here.requests.ask('T1', `v${index}`, ALEX, EVENING);
    expect(await here.requests.ask('T1', 'jane', ALEX, EVENING)).toEqual({ is: 'full', most: 50 });
    expect(await here.requests.ask('T1', 'v1', SAM, EVENING)).toMatchObject({ is: 'set' });
    expect(await here.requests.ask('T2', 'jane', ALEX, EVENING)).toMatchObject({ is: 'set' });
    await here.round();
    expect(new Set(asked).size).toBe(51);
  });

  it('is looked for by five looks at once, and a stop waits for these alone', async () => {
    const { here, asked, world } = await stage();
    for (let index = 0; index < 12; index += 1) await here.requests.ask('T1', `v${index}`, ALEX, EVENING);
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    world.look = () => answered;
    const stopping = new AbortController();
    const round = here.round(stopping.signal);
    await expect.poll(() => asked).toHaveLength(5);
    stopping.abort();
    answer();
    await round;
    expect(asked).toHaveLength(5);
    await here.round();
    expect(asked).toHaveLength(12);
  });

  it('is told of the others where one is gone or the service fails for it', async () => {
    const { here, online, told, failures } = await stage();
    for (const id of ['gone', 'broken', 'jane']) await here.requests.ask('T1', id, ALEX, EVENING);
    online.add('jane');
    await here.round();
    expect(told).toHaveLength(1);
    expect(failures).toMatchObject([{ kind: 'unreachable' }]);
  });
});

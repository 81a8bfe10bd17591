import { describe, expect, it } from 'vitest';
import { CobrowseError } from '../../../src/cobrowse/errors.ts';
import { VisitorSchema } from '../../../src/cobrowse/schemas.ts';
import { DatabaseError, sql } from '../../../src/database/database.ts';
import type { Shared } from '../../../src/messages/visitor-pieces.ts';
import type { PostOutcome, Sighting } from '../../../src/outbox/transport.ts';
import { createSubscriptionRepository } from '../../../src/subscriptions/repository.ts';
import { createWaitKinds, createWaits, removeOldWaits } from '../../../src/subscriptions/waits.ts';
import { createOnIt } from '../../../src/visitors/on-it.ts';
import { DAY_MS, MINUTE_MS, lost, openStage, took } from '../../outbox/stage.ts';
import { newSubscription } from '../../subscriptions/new-subscription.ts';
import { engines, onlySqlite } from '../../support/engines.ts';
import { ALEX, SAM, SUPPORT } from '../../support/person.ts';

const WAITING = 'Jane is waiting for help on /checkout.';
const ON_IT = `${WAITING}\n<@${ALEX}> is on it.`;
const OVER = 'Jane isn’t waiting for help any more.';
const UNTAKEN = 'Nobody has taken this yet: Jane has been waiting for 5 minutes.';

const jane = { short_id: 'jane', is_online: true, is_waiting_for_call: true };
const known = VisitorSchema.parse({
  ...jane,
  identities: ['Jane'],
  last_url: 'https://shop.acme.example/checkout?card=1',
});
const liam = { short_id: 'liam', is_online: true, is_waiting_for_call: false };

interface World {
  visitors: readonly object[];
  failure: CobrowseError | undefined;
  shared: Shared;
  answer: () => PostOutcome;
  sighting: Sighting;
}

/** Two processes with one database, before one service and one Slack. */
async function openWorld(newUrl: () => Promise<string>) {
  const stage = await openStage({ url: await newUrl(), isShared: true });
  const world: World = {
    visitors: [jane, liam],
    failure: undefined,
    shared: false,
    answer: took,
    sighting: { found: [], channelId: SUPPORT },
  };
  const lists: object[] = [];
  const failures: unknown[] = [];
  const cobrowse = {
    async listVisitors(query: object) {
      lists.push(query);
      if (world.failure !== undefined) throw world.failure;
      return world.visitors.map((visitor) => VisitorSchema.parse(visitor));
    },
  };

  async function open() {
    const made = Promise.withResolvers<ReturnType<typeof createWaits>>();
    const { watched, database } = await stage.start({
      answer: () => world.answer(),
      find: async () => world.sighting,
      also(outbox, own) {
        const repository = createSubscriptionRepository(own);
        const app = { database: own, outbox, cobrowseOf: async () => cobrowse, now: Date.now };
        made.resolve(createWaits(app, repository, (error) => void failures.push(error)));
        const kinds = createWaitKinds(
          {
            database: own,
            outbox,
            now: Date.now,
            isShared: async () => world.shared,
            workspaceOf: async () => ({ cobrowse: { visitor: async () => known } }),
          },
          {
            formNow: async (workspaceId, id) =>
              (await repository.one(workspaceId, id)) ? { form: 'full' } : { skip: 'subscription_removed' },
            onOutcome: async () => undefined,
          },
        );
        for (const kind of kinds) outbox.register(kind);
      },
    });
    const waits = await made.promise;
    const onIt = createOnIt(database, Date.now);
    return {
      database,
      watched,
      repository: createSubscriptionRepository(database),
      round: () => waits.round().then(waits.idle),
      /** Somebody takes Jane, or lets go. */
      async toggle(userId: string) {
        await onIt.toggle('T1', 'jane', userId);
        waits.taken('T1');
      },
    };
  }

  const here = await open();
  const { repository } = here;
  const subscribe = (channelId = SUPPORT, more: object = {}) =>
    repository.add(newSubscription({ channelId, remindMinutes: 5, ...more }), 100);

  /** A minute passes, and another list comes. */
  async function minutes(count: number, one = here) {
    for (let minute = 0; minute < count; minute += 1) {
      await stage.pass(MINUTE_MS);
      await one.round();
      await stage.pass(2_000);
    }
  }
  const said = () => stage.asked.map(({ text }) => text);
  return { ...stage, world, here, open, subscribe, minutes, said, lists, failures };
}

describe.each(engines)('a customer who waits, in $engine', ({ newUrl }) => {
  it('is posted once a wait, the post says when the wait is over, and another begins only ten minutes later', async () => {
    const { subscribe, minutes, said, asked, world, lists } = await openWorld(newUrl);
    await subscribe(SUPPORT, { remindMinutes: 30 });
    await minutes(3);
    expect(said()).toEqual([WAITING]);
    world.visitors = [{ ...jane, is_in_session: true }];
    await minutes(2);
    expect(said()).toEqual([WAITING, OVER]);
    expect(asked[1]).toMatchObject({ to: SUPPORT, replaces: expect.any(String) });
    expect(lists).toHaveLength(5);
    expect(lists[0]).toEqual({ online: true, limit: 1_000 });
    world.visitors = [jane];
    await minutes(7);
    expect(said()).toHaveLength(2);
    await minutes(3);
    expect(said()).toEqual([WAITING, OVER, WAITING]);
  });

  it('is posted by one of two processes that ask, and the service is asked by one of them', async () => {
    const { subscribe, here, open, pass, said, lists } = await openWorld(newUrl);
    const there = await open();
    await subscribe();
    await Promise.all([here.round(), there.round()]);
    await pass(2_000);
    expect(said()).toEqual([WAITING]);
    expect(lists).toHaveLength(1);
  });

  it('is posted once where the process ends before it wrote what the service said, or in the middle of the post', async () => {
    const { subscribe, here, open, pass, minutes, said, asked, world } = await openWorld(newUrl);
    await subscribe();
    here.watched.fail = (statement) => {
      if (statement.startsWith('INSERT INTO waits')) throw new DatabaseError('unknown');
    };
    await minutes(1);
    expect(said()).toEqual([]);
    world.answer = () => lost;
    world.sighting = { found: ['1700000000.000001'], channelId: SUPPORT };
    await minutes(1, await open());
    world.answer = took;
    await pass(MINUTE_MS);
    expect(new Set(said())).toEqual(new Set([WAITING]));
    // What was found in Slack is made to say what is so by now.
    const [first, ...changes] = asked.map(({ replaces }) => replaces);
    expect([first, new Set(changes)]).toEqual([undefined, new Set(['1700000000.000001'])]);
  });

  it.each([
    ['somebody took them', ON_IT, false],
    ['the wait is over', OVER, false],
    ['the wait is over, and the channel no longer wants to know', OVER, true],
  ])('says so in the post that is found once its answer was lost: %s', async (_words, then, isRemoved) => {
    const { subscribe, here, minutes, said, asked, world } = await openWorld(newUrl);
    const added = await subscribe(SUPPORT, { remindMinutes: 30 });
    world.answer = () => lost;
    world.sighting = { outcome: 'later', reason: 'service_unavailable' };
    await minutes(1);
    if (then === OVER) world.visitors = [{ ...jane, is_in_session: true }];
    else await here.toggle(ALEX);
    if (isRemoved) await here.repository.remove('T1', added?.id ?? '');
    await minutes(1);
    expect(said()).toEqual([WAITING]);
    world.answer = took;
    world.sighting = { found: ['1700000000.000001'], channelId: SUPPORT };
    await minutes(5);
    expect(said()).toEqual([WAITING, then]);
    expect(asked[1]?.replaces).toBe('1700000000.000001');
  });

  it('says who is on it, until they let go or their time is over', async () => {
    const { subscribe, here, minutes, pass, said } = await openWorld(newUrl);
    await subscribe(SUPPORT, { remindMinutes: 30 });
    await minutes(1);
    await here.toggle(ALEX);
    await pass(7_000);
    expect(said()).toEqual([WAITING, ON_IT]);
    await here.toggle(ALEX);
    await pass(5_000);
    expect(said().slice(2)).toEqual([WAITING]);
    await here.toggle(ALEX);
    await minutes(11);
    expect(said().slice(3)).toEqual([ON_IT, WAITING]);
  });

  it('is over after three lists without them, not after two', async () => {
    const { subscribe, minutes, said, world } = await openWorld(newUrl);
    await subscribe();
    await minutes(1);
    world.visitors = [liam];
    await minutes(2);
    world.visitors = [jane];
    await minutes(1);
    world.visitors = [liam];
    await minutes(2);
    expect(said()).toEqual([WAITING]);
    await minutes(1);
    expect(said()[1]).toBe(OVER);
  });

  it('is said in the thread once that nobody took it', async () => {
    const { subscribe, minutes, said, asked } = await openWorld(newUrl);
    await subscribe();
    await minutes(12);
    expect(said()).toEqual([WAITING, UNTAKEN]);
    expect(asked[1]?.threadTs).toEqual(expect.any(String));
  });

  it('isn’t said in the thread where somebody took it', async () => {
    const { subscribe, here, minutes, said } = await openWorld(newUrl);
    await subscribe();
    await minutes(1);
    await here.toggle(SAM);
    await minutes(8);
    expect(said()).not.toContainEqual(expect.stringMatching(/^Nobody/));
  });

  it('isn’t said in a channel that no longer wants to know, where the post says when the wait is over all the same', async () => {
    const { subscribe, here, minutes, said, world, lists } = await openWorld(newUrl);
    const added = [await subscribe(), await subscribe('C2', { remindMinutes: 10 })];
    await minutes(2);
    await here.repository.remove('T1', added[0]?.id ?? '');
    await minutes(6);
    await here.repository.remove('T1', added[1]?.id ?? '');
    world.visitors = [{ ...jane, is_waiting_for_call: false }];
    await minutes(3);
    expect(said()).toEqual([WAITING, WAITING, OVER, OVER]);
    expect(lists).toHaveLength(9);
  });
});

describe.each(onlySqlite)('asking who waits, in $engine', ({ newUrl }) => {
  it('doesn’t happen without a subscription, or where the channel can’t be posted to', async () => {
    const { subscribe, here, minutes, lists } = await openWorld(newUrl);
    await here.repository.add(newSubscription({ channelId: SUPPORT }), 100);
    await minutes(2);
    const added = await subscribe();
    await here.database.write(
      sql`UPDATE subscriptions SET paused_reason = 'is_archived', paused_since = 1 WHERE number = ${Number(added?.id)}`,
    );
    await minutes(2);
    expect(lists).toEqual([]);
  });

  it('is rarer while the service fails, and goes on once it answers', async () => {
    const { subscribe, minutes, lists, world, failures, said } = await openWorld(newUrl);
    await subscribe();
    world.failure = new CobrowseError('unreachable', 'down');
    await minutes(60);
    expect(lists.length).toBeLessThanOrEqual(12);
    expect(failures).toHaveLength(lists.length);
    world.failure = undefined;
    await minutes(6);
    expect(said()[0]).toBe(WAITING);
  });

  it('ends no wait where the service doesn’t tell', async () => {
    const { subscribe, minutes, world, said } = await openWorld(newUrl);
    await subscribe(SUPPORT, { remindMinutes: 30 });
    await minutes(1);
    world.visitors = [{ short_id: 'jane', is_online: true }];
    await minutes(10);
    expect(said()).toEqual([WAITING]);
  });

  it('asks for everybody where the service doesn’t say who is online', async () => {
    const { subscribe, minutes, world, lists, said } = await openWorld(newUrl);
    await subscribe();
    world.failure = new CobrowseError('not-understood', 'no presence', { code: 'presence-unknown' });
    await minutes(1);
    expect(lists).toEqual([{ online: true, limit: 1_000 }, { limit: 1_000 }]);
    expect(said()).toEqual([]);
  });

  it('names nobody in a channel that others read, and waits where Slack doesn’t say', async () => {
    const { subscribe, minutes, pass, world, said, here } = await openWorld(newUrl);
    await subscribe();
    world.shared = 'unknown';
    await minutes(1);
    expect(said()).toEqual([]);
    world.shared = false;
    await pass(MINUTE_MS);
    expect(said()).toEqual([WAITING]);
    world.shared = true;
    await here.toggle(ALEX);
    await minutes(1);
    expect(said()).toEqual([WAITING]);
  });

  it('forgets waits after a day', async () => {
    const { subscribe, minutes, here } = await openWorld(newUrl);
    await subscribe();
    await minutes(1);
    const left = async () => {
      const [removed] = await here.database.write(removeOldWaits(Date.now(), 10));
      return removed?.changed;
    };
    expect(await left()).toBe(0);
    await here.database.write(sql`UPDATE waits SET began_at = began_at - ${DAY_MS}`);
    expect(await left()).toBe(1);
  });
});

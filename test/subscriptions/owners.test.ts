import { describe, expect, it } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import type { Outbox } from '../../src/outbox/outbox.ts';
import type { PostOutcome } from '../../src/outbox/transport.ts';
import { createOwnerKind, createPauses } from '../../src/subscriptions/pauses.ts';
import type { ChannelState } from '../../src/permissions/permissions.ts';
import { createSubscriptionRepository } from '../../src/subscriptions/repository.ts';
import { MINUTE_MS, openStage, revoked, took } from '../outbox/stage.ts';
import { ALL_SESSIONS, newSubscription, noEntry } from './new-subscription.ts';

const PAUSED = 'Your subscription for <#C1> is paused: it’s archived.';
const RESUMED = 'Your subscription for <#C1> works again: subscription 1.';
const busy = { outcome: 'later', reason: 'service_unavailable' } as const;

/** Pauses of one subscription, number 1 of C1, in a process whose Slack answers in this order, and then takes everything. */
async function openPauses(...answers: (PostOutcome | Promise<PostOutcome>)[]) {
  const stage = await openStage();
  const world: { state: ChannelState } = { state: 'archived' };
  function pausesIn(outbox: Outbox, database: Database) {
    const repository = createSubscriptionRepository(database);
    outbox.register(createOwnerKind(repository));
    const app = {
      outbox,
      stateOf: async () => world.state,
      prepare: noEntry,
      now: () => Date.now(),
    };
    return { repository, pauses: createPauses(app, repository) };
  }
  const made: ReturnType<typeof pausesIn>[] = [];
  const process = await stage.start({
    answer: () => answers.shift() ?? took(),
    also: (outbox, database) => void made.push(pausesIn(outbox, database)),
  });
  const [parts] = made;
  if (parts === undefined) throw new Error('Nothing was registered.');
  const { repository, pauses } = parts;
  let length = 0;
  const add = (setUpBy: string) =>
    // Two of one channel differ in something.
    repository.add(
      newSubscription({ setUpBy, filters: { ...ALL_SESSIONS, minSeconds: (length += 1) } }),
      100,
    );
  await add('U1');
  return {
    ...stage,
    ...process,
    repository,
    pauses,
    world,
    add,
    told: () => stage.asked.map(({ to, text }) => `${to}: ${text.split('\n')[0]}`),
    /** Slack says what became of the channel. */
    changed: async (state: ChannelState): Promise<void> => {
      world.state = state;
      await pauses.changed('T1', 'C1', false);
      await stage.settle();
    },
  };
}

describe('whoever set a subscription up', () => {
  it.each([
    ['Slack is busy', busy, 2],
    ['Slack refuses the token', revoked, 2],
    ['a scope is missing', { outcome: 'never', reason: 'missing_scope' }, 2],
    ['they can’t be reached at all', { outcome: 'never', reason: 'user_not_found' }, 1],
  ] satisfies readonly [string, PostOutcome, number][])(
    'is told as soon as it works, if it ever does: %s',
    async (_words, answer, times) => {
      const { changed, pass, told, overview } = await openPauses(answer);
      await changed('archived');
      await pass(3 * MINUTE_MS);
      expect(told()).toEqual(Array.from({ length: times }, () => `U1: ${PAUSED}`));
      // Admins have nothing to do about it.
      expect(await overview.inTrouble()).toEqual({ waiting: 0, failed: 0 });
    },
  );

  it('hears of a pause’s end that comes while word of the pause is on its way', async () => {
    const { promise, resolve } = Promise.withResolvers<PostOutcome>();
    const { changed, pass, told } = await openPauses(promise);
    await changed('archived');
    await pass(1_000);
    await changed('member');
    resolve(took());
    await pass(MINUTE_MS);
    expect(told()).toEqual([`U1: ${PAUSED}`, `U1: ${RESUMED}`]);
  });

  it.each(['channel_not_found', 'restricted_action', 'missing_scope', 'no_permission'])(
    'hears of the pause after a post that Slack refused with %s',
    async (reason) => {
      const { repository, pauses, pass, told } = await openPauses();
      await pauses.failed('T1', 'C1', reason);
      await pass(2_000);
      expect(told()).toHaveLength(1);
      expect((await repository.one('T1', '1'))?.paused?.reason).toBe(reason);
    },
  );

  it('hears nothing of what says nothing of the channel', async () => {
    const { repository, pauses, changed, pass, told } = await openPauses();
    await changed('unknown');
    await pauses.changed('T1', 'C2', true);
    const busyOrOurs = ['ratelimited', 'http_500', 'no_answer', 'account_inactive', 'filter_unknown'];
    for (const reason of ['msg_too_long', 'new_code', ...busyOrOurs]) await pauses.failed('T1', 'C1', reason);
    await pass(2_000);
    expect(told()).toEqual([]);
    expect((await repository.one('T1', '1'))?.paused).toBeUndefined();
  });
});

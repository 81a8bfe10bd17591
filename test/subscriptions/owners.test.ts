import { describe, expect, it, onTestFinished } from 'vitest';
import { sql } from '../../src/database/database.ts';
import { openDatabase } from '../../src/database/open.ts';
import type { Arrival } from '../../src/outbox/post.ts';
import { troubleKind } from '../../src/outbox/trouble.ts';
import type { Announce, Announced } from '../../src/subscriptions/announce.ts';
import { createOwners } from '../../src/subscriptions/owners.ts';
import { createPauses } from '../../src/subscriptions/pauses.ts';
import { createSubscriptionRepository } from '../../src/subscriptions/repository.ts';

/** Pauses of one subscription, number 1 of C1, whose owner Slack answers for when the test says so. */
async function openPauses(state: () => 'archived' | 'member' | 'unknown' = () => 'archived') {
  const database = await openDatabase('memory:');
  onTestFinished(() => database.close());
  const repository = createSubscriptionRepository(database, () => undefined);
  const filters = { agents: [], groups: [], tags: [] };
  await repository.add(
    {
      workspaceId: 'T1',
      channelId: 'C1',
      filters,
      form: 'full',
      setUpBy: 'U1',
      setUpAt: 0,
    },
    100,
  );
  const told: string[] = [];
  const ids: string[] = [];
  const answers: ((answer: Announced) => void)[] = [];
  /** What is seen of a notice whose answer was lost, one after the other. */
  const arrivals: Arrival[] = [];
  const lookedFor: string[] = [];
  const owners = createOwners({
    repository,
    announce(_workspaceId, to, { text }, id) {
      told.push(`${to}: ${text.split('\n')[0]}`);
      ids.push(id);
      return new Promise((resolve) => answers.push(resolve));
    },
    async arrivalOf(_workspaceId, to, { id }) {
      lookedFor.push(`${to}: ${id}`);
      return arrivals.shift() ?? 'later';
    },
    kindOf: troubleKind,
    newId: () => `notice-${ids.length + 1}`,
    now: () => 0,
  });
  const pauses = createPauses({
    repository,
    owners,
    kindOf: troubleKind,
    stateOf: async () => state(),
    prepare: () => ({ statement: sql`UPDATE schema_version SET checked = 0`, report: () => undefined }),
    now: () => 0,
  });
  const answer = async (outcome: Announced) => {
    await expect.poll(() => answers.length).toBeGreaterThan(0);
    answers.shift()?.(outcome);
  };
  /** Does what sends a notice, and answers that. */
  const answered = async (work: () => Promise<void>, outcome: Announced) => {
    const done = work();
    await answer(outcome);
    await done;
  };
  const noticeDue = async () => (await repository.one('T1', '1'))?.noticeDue;
  return { repository, pauses, told, ids, answer, answered, arrivals, lookedFor, noticeDue };
}

const LOST: Announced = { outcome: 'later', reason: 'no_answer', unclear: true };

const PAUSED = 'U1: Your subscription for <#C1> is paused: it’s archived.';
const RESUMED = 'U1: Your subscription for <#C1> works again: subscription 1.';

describe('whoever set a subscription up', () => {
  it('is told once, though it is looked for what is owed meanwhile, and the news comes twice', async () => {
    const { pauses, told, answer } = await openPauses();
    const first = pauses.changed('T1', 'C1', false);
    await expect.poll(() => told).toEqual([PAUSED]);
    await Promise.all([pauses.tellOwners(), pauses.changed('T1', 'C1', false), pauses.tellOwners()]);
    await answer({ outcome: 'posted' });
    await first;
    await pauses.tellOwners();
    expect(told).toEqual([PAUSED]);
  });

  it('is told later where Slack is busy, and never again where they cannot be told at all', async () => {
    const { pauses, told, answer } = await openPauses();
    const first = pauses.changed('T1', 'C1', false);
    await answer({ outcome: 'later', reason: 'ratelimited' });
    await first;
    const second = pauses.tellOwners();
    await answer({ outcome: 'never', reason: 'user_not_found' });
    await second;
    await pauses.tellOwners();
    expect(told).toEqual([PAUSED, PAUSED]);
  });

  it('hears of the end of a pause, and of neither where it was over before they could be told', async () => {
    let state: 'archived' | 'member' = 'archived';
    const { repository, pauses, told, answer } = await openPauses(() => state);
    const first = pauses.changed('T1', 'C1', false);
    await answer({ outcome: 'later', reason: 'ratelimited' });
    await first;
    state = 'member';
    await pauses.changed('T1', 'C1', false);
    await pauses.tellOwners();
    expect(told).toEqual([PAUSED]);
    expect((await repository.one('T1', '1'))?.paused).toBeUndefined();
    const failed = pauses.failed('T1', ['1'], 'is_archived');
    await answer({ outcome: 'posted' });
    await failed;
    const worked = pauses.worked('T1', ['1']);
    await answer({ outcome: 'posted' });
    await worked;
    expect(told).toEqual([PAUSED, PAUSED, RESUMED]);
  });

  it.each([
    'channel_not_found',
    'not_in_channel',
    'is_archived',
    'restricted_action',
    'restricted_action_thread_locked',
    'posting_to_general_channel_denied',
    'is_inactive',
    'missing_scope',
    'cannot_dm_bot',
    'user_disabled',
    'messages_tab_disabled',
    'no_permission',
    'team_access_not_granted',
    'ekm_access_denied',
  ])('hears of the pause after a post that Slack refused with %s', async (reason) => {
    const { repository, pauses, told, answered } = await openPauses();
    await answered(() => pauses.failed('T1', ['1'], reason), { outcome: 'posted' });
    expect(told).toHaveLength(1);
    expect((await repository.one('T1', '1'))?.paused?.reason).toBe(reason);
  });

  it('hears nothing of what says nothing of the channel', async () => {
    const { repository, pauses, told } = await openPauses(() => 'unknown');
    await pauses.changed('T1', 'C1', false);
    await pauses.changed('T1', 'C2', true);
    const ofOthers = [
      'ratelimited',
      'http_500',
      'no_answer',
      'account_inactive',
      'filter_unknown',
      'new_code',
    ];
    for (const reason of ['msg_too_long', ...ofOthers]) await pauses.failed('T1', ['1'], reason);
    expect(told).toEqual([]);
    expect((await repository.one('T1', '1'))?.paused).toBeUndefined();
  });

  it('keeps a pause for what only a post can disprove', async () => {
    const { repository, pauses, answer } = await openPauses(() => 'member');
    const failed = pauses.failed('T1', ['1'], 'restricted_action');
    await answer({ outcome: 'posted' });
    await failed;
    await pauses.changed('T1', 'C1', false);
    expect((await repository.one('T1', '1'))?.paused?.reason).toBe('restricted_action');
  });

  it('is not told again where Slack lost its answer, but the notice arrived', async () => {
    const { pauses, told, answered, arrivals, lookedFor, noticeDue } = await openPauses();
    await answered(() => pauses.changed('T1', 'C1', false), LOST);
    arrivals.push('later', 'yes');
    await pauses.tellOwners();
    expect(await noticeDue()).toBe('paused');
    await pauses.tellOwners();
    await pauses.tellOwners();
    expect(told).toEqual([PAUSED]);
    expect(lookedFor).toEqual(['U1: notice-1', 'U1: notice-1']);
    expect(await noticeDue()).toBeUndefined();
  });

  it('is told again, by the same id, where the notice is not there', async () => {
    const { pauses, told, ids, answered, arrivals, noticeDue } = await openPauses();
    await answered(() => pauses.changed('T1', 'C1', false), LOST);
    arrivals.push('no');
    await answered(() => pauses.tellOwners(), { outcome: 'posted' });
    await pauses.tellOwners();
    expect(told).toEqual([PAUSED, PAUSED]);
    expect(ids).toEqual(['notice-1', 'notice-1']);
    expect(await noticeDue()).toBeUndefined();
  });

  it.each(['invalid_auth', 'account_inactive', 'missing_scope'])(
    'is told once the app is installed rightly again, after %s',
    async (reason) => {
      const { pauses, told, answered, noticeDue } = await openPauses();
      await answered(() => pauses.changed('T1', 'C1', false), { outcome: 'never', reason });
      await answered(() => pauses.tellOwners(), { outcome: 'posted' });
      expect(told).toEqual([PAUSED, PAUSED]);
      expect(await noticeDue()).toBeUndefined();
    },
  );

  it('hears of the end of a pause that ended while word of it was on its way', async () => {
    let state: 'archived' | 'member' = 'archived';
    const { pauses, told, answer, answered, noticeDue } = await openPauses(() => state);
    const first = pauses.changed('T1', 'C1', false);
    await expect.poll(() => told).toEqual([PAUSED]);
    state = 'member';
    await pauses.changed('T1', 'C1', false);
    await answer({ outcome: 'posted' });
    await first;
    await answered(() => pauses.tellOwners(), { outcome: 'later', reason: 'ratelimited' });
    await answered(() => pauses.tellOwners(), { outcome: 'posted' });
    expect(told).toEqual([PAUSED, RESUMED, RESUMED]);
    expect(await noticeDue()).toBeUndefined();
  });

  it('hears of the end of a pause where nobody knows whether word of it arrived', async () => {
    let state: 'archived' | 'member' = 'archived';
    const { pauses, told, answered } = await openPauses(() => state);
    await answered(() => pauses.changed('T1', 'C1', false), LOST);
    state = 'member';
    await answered(() => pauses.changed('T1', 'C1', false), { outcome: 'posted' });
    expect(told).toEqual([PAUSED, RESUMED]);
  });

  it('hears of neither where word of the pause was on its way and did not arrive', async () => {
    let state: 'archived' | 'member' = 'archived';
    const { pauses, told, answer, noticeDue } = await openPauses(() => state);
    const first = pauses.changed('T1', 'C1', false);
    await expect.poll(() => told).toEqual([PAUSED]);
    state = 'member';
    await pauses.changed('T1', 'C1', false);
    await answer({ outcome: 'later', reason: 'ratelimited' });
    await first;
    expect(await noticeDue()).toBeUndefined();
    await pauses.tellOwners();
    expect(told).toEqual([PAUSED]);
  });
});

describe('two processes with the same notice to send', () => {
  it('tell it once, and look for it first where the one that told it died', async () => {
    const database = await openDatabase('memory:');
    onTestFinished(() => database.close());
    const repository = createSubscriptionRepository(database, () => undefined);
    const filters = { agents: [], groups: [], tags: [] };
    const asked = {
      workspaceId: 'T1',
      channelId: 'C1',
      filters,
      form: 'full',
      setUpBy: 'U1',
      setUpAt: 0,
    } as const;
    await repository.add(asked, 100);
    await repository.change('T1', '1', (now) => ({
      ...now,
      paused: { reason: 'is_archived', since: 0 },
      noticeDue: 'paused',
    }));
    const clock = { time: 0 };
    const told: string[] = [];
    const lookedFor: string[] = [];
    const process = (name: string, announce: Announce) =>
      createOwners({
        repository,
        announce: async (workspaceId, to, message, id) => {
          told.push(id);
          return announce(workspaceId, to, message);
        },
        arrivalOf: async (_workspaceId, _to, { id }) => {
          lookedFor.push(id);
          return 'yes';
        },
        kindOf: troubleKind,
        newId: () => `notice of ${name}`,
        now: () => clock.time,
      });
    const dies = process('one', () => new Promise(() => undefined));
    const lives = process('two', async () => ({ outcome: 'posted' }));
    const [owing] = await repository.withNoticeDue(1);
    if (owing === undefined) throw new Error('Nothing is owed.');
    void dies.notify(owing);
    await expect.poll(() => told).toEqual(['notice of one']);
    await lives.notify(owing);
    expect([told, lookedFor]).toEqual([['notice of one'], []]);
    clock.time += 60_000;
    await lives.notify(owing);
    expect([told, lookedFor]).toEqual([['notice of one'], ['notice of one']]);
    expect(await repository.withNoticeDue(1)).toEqual([]);
  });
});

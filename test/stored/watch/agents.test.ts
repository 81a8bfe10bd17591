import { describe, expect, it } from 'vitest';
import type { FoundAgent } from '../../../src/cobrowse/client.ts';
import { CobrowseError } from '../../../src/cobrowse/errors.ts';
import { AgentSchema } from '../../../src/cobrowse/schemas.ts';
import { DatabaseError } from '../../../src/database/database.ts';
import type { LinkAgent } from '../../../src/sessions/session-poller.ts';
import { createAgents, recordAgent, recordedAgent } from '../../../src/watch/agents.ts';
import { onlySqlite, engines, openUntilTestEnds, openForTwo } from '../../support/engines.ts';

const HOUR = 60 * 60_000;
const START = Date.UTC(2026, 0, 1);
const found = (fields: object): FoundAgent => ({ ...AgentSchema.parse(fields), sessionCount: 0 });
const agentAlex = { id: 'agent_alex', name: 'Alex at the service' };
const account = found(agentAlex);
const ofNobody = { id: 'slack-T1-U1', name: 'Slack user U1' };
const unnamed = async () => ({ name: undefined, email: undefined });
const inSlack = { id: 'slack-T1-U1', name: 'Alex Rivera' };

const asksByEmail = [{ email: 'alex@acme.com' }];
const fails = (error: Error) => async () => {
  throw error;
};
const notFound = fails(new CobrowseError('not-found', 'no such agent'));
const busy = new CobrowseError('busy', 'answered 503', { status: 503 });
const isBusy = fails(busy);
const rejected = (work: Promise<unknown>) =>
  work.then(
    () => 'no error',
    (error: unknown) => error,
  );

/** Slack and a service whose answers the test changes as it goes on, and the agents of each process over one store. */
async function openWorld() {
  const database = await openUntilTestEnds('memory:');
  const world = {
    time: START,
    profile: async (): Promise<{ name: string | undefined; email: string | undefined }> => ({
      name: 'Alex Rivera',
      email: 'alex@acme.com',
    }),
    agent: async (): Promise<FoundAgent> => account,
    /** What may hold back the answers of the database. */
    reading: async (): Promise<unknown> => undefined,
  };
  const asked: unknown[] = [];
  const reported: unknown[] = [];
  const changes: unknown[] = [];
  const lookupAgent = (key: unknown) => {
    asked.push(key);
    return world.agent();
  };
  const cobrowse = { offers: { lookupAgent: true }, lookupAgent };
  function start(accountId = 'account', patienceMs = 5_000) {
    const workspace = (id: string) => ({ id, accountId, cobrowse });
    const agents = createAgents(
      {
        database: { ...database, read: (...query) => world.reading().then(() => database.read(...query)) },
        profileOf: () => world.profile(),
        colleagueOf: () => world.profile(),
        now: () => world.time,
      },
      {
        report: (error) => void reported.push(error),
        changed: (change) => void changes.push(change),
      },
      patienceMs,
    );
    return {
      ...agents,
      agentOf: (workspaceId: string, userId: string) => agents.agentOf(workspace(workspaceId), userId),
      keyOf: ({ workspaceId, ...agent }: LinkAgent) => agents.keyOf(workspace(workspaceId), agent),
    };
  }
  return { world, asked, reported, changes, start, agents: start() };
}

describe.each(onlySqlite)('the agent that a Slack user is', () => {
  it.each([
    ['the account with the email of the profile', {}, agentAlex, asksByEmail],
    ['one of their own where the service knows no such email', { agent: notFound }, inSlack, asksByEmail],
    ['that, unasked, where the profile has neither email nor name', { profile: unnamed }, ofNobody, []],
  ])('is %s', async (_, changes, agent, questions) => {
    const { agents, world, asked, reported } = await openWorld();
    Object.assign(world, changes);
    expect(await agents.agentOf('T1', 'U1')).toEqual(agent);
    expect([asked, reported]).toEqual([questions, []]);
  });

  it('is never that of anybody else', async () => {
    const { agents, world } = await openWorld();
    world.agent = notFound;
    const ids = new Set<string>();
    for (const workspaceId of ['T1', 'T2'])
      for (const userId of ['U1', 'U2', 'W1']) ids.add((await agents.agentOf(workspaceId, userId)).id);
    expect(ids.size).toBe(6);
  });

  it('is known to the service by the email that found their account, otherwise by the id that links name', async () => {
    const { agents, start, world } = await openWorld();
    const named = { workspaceId: 'T1', userId: 'U1', agentId: 'agent_alex' };
    expect(await agents.keyOf(named)).toEqual({ externalId: 'agent_alex' });
    await agents.agentOf('T1', 'U1');
    world.profile = async () => ({ name: 'Alex Rivera', email: undefined });
    expect(await agents.keyOf(named)).toEqual({ email: 'alex@acme.com' });
    // From before they had an account.
    expect(await agents.keyOf({ ...named, agentId: inSlack.id })).toEqual({ externalId: inSlack.id });
    expect(await start('other account').keyOf(named)).toEqual({ externalId: 'agent_alex' });
  });

  it('is asked for once, however many wait', async () => {
    const { agents, asked } = await openWorld();
    const all = await Promise.all(Array.from({ length: 20 }, () => agents.agentOf('T1', 'U1')));
    expect(new Set(all.map(({ id }) => id))).toEqual(new Set(['agent_alex']));
    expect(asked).toHaveLength(1);
  });

  it('is another in another account of the service, and after a restart the same again with the first', async () => {
    const { agents, start, world } = await openWorld();
    await agents.agentOf('T1', 'U1');
    world.agent = async () => found({ id: 'other', name: 'Alex' });
    expect((await start('other account').agentOf('T1', 'U1')).id).toBe('other');
    expect(await start().agentOf('T1', 'U1')).toEqual(agentAlex);
  });

  it('is one and the same in two processes that ask together and get different answers', async () => {
    const { agents, start, world } = await openWorld();
    const other = start();
    const first = Promise.withResolvers<FoundAgent>();
    world.agent = () => first.promise;
    const slow = agents.agentOf('T1', 'U1');
    await pass();
    world.agent = notFound;
    expect(await other.agentOf('T1', 'U1')).toEqual(inSlack);
    first.resolve(account);
    expect(await slow).toEqual(inSlack);
    expect(await agents.agentOf('T1', 'U1')).toEqual(inSlack);
  });
});

/** Lets work go on that waits for nothing from outside. */
const pass = async () => {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

describe.each(onlySqlite)('who is remembered', () => {
  it('is asked for again after three hours, beside a press that does not wait for it', async () => {
    const { agents, world, asked, changes } = await openWorld();
    world.agent = notFound;
    await agents.agentOf('T1', 'U1');
    world.agent = async () => account;
    world.time += 3 * HOUR - 1;
    await agents.agentOf('T1', 'U1');
    await pass();
    expect(asked).toHaveLength(1);
    world.time += 1;
    expect(await agents.agentOf('T1', 'U1')).toEqual(inSlack);
    await pass();
    expect(await agents.agentOf('T1', 'U1')).toEqual(agentAlex);
    expect(asked).toHaveLength(2);
    expect(changes).toEqual([{ workspaceId: 'T1', userId: 'U1', from: 'slack-T1-U1', to: 'agent_alex' }]);
  });

  it('is asked for again where their profile has another email by now, beside the press that shows it', async () => {
    const { agents, world, asked } = await openWorld();
    world.agent = notFound;
    await agents.agentOf('T1', 'U1');
    world.agent = async () => account;
    world.profile = async () => ({ name: 'Alex Rivera', email: 'alex@new.example' });
    expect(await agents.agentOf('T1', 'U1')).toEqual(inSlack);
    await pass();
    expect(await agents.agentOf('T1', 'U1')).toEqual(agentAlex);
    expect(asked).toEqual([...asksByEmail, { email: 'alex@new.example' }]);
  });

  it('stays for as long as nobody can say otherwise, who is asked beside each press', async () => {
    const { agents, world, asked, reported, changes } = await openWorld();
    await agents.agentOf('T1', 'U1');
    world.agent = isBusy;
    world.time += 4 * HOUR;
    for (let press = 0; press < 2; press += 1) {
      expect(await agents.agentOf('T1', 'U1')).toEqual(agentAlex);
      await pass();
    }
    expect(asked).toHaveLength(1 + 2);
    expect(reported).toEqual([busy, busy]);
    world.profile = () => Promise.reject(new Error('Slack is down'));
    world.time += HOUR;
    expect(await agents.agentOf('T1', 'U1')).toEqual(agentAlex);
    expect(changes).toEqual([]);
  });

  it('stays who they are where Slack shows emails no more', async () => {
    const { agents, world, asked } = await openWorld();
    await agents.agentOf('T1', 'U1');
    world.profile = async () => ({ name: 'Alex', email: undefined });
    world.time += 4 * HOUR;
    await agents.agentOf('T1', 'U1');
    await pass();
    expect(await agents.agentOf('T1', 'U1')).toEqual(agentAlex);
    expect(asked).toEqual([...asksByEmail, ...asksByEmail]);
  });
});

describe.each(onlySqlite)('a person of whom nothing is known yet', () => {
  const slackIsDown = new Error('Slack is down');
  const refusedKey = new CobrowseError('refused-key', 'answered 401', { code: 'no_subscription' });
  const mistake = new TypeError('no such field');
  const locked = new DatabaseError('locked');

  it.each([
    ['the service fails', { agent: isBusy }, { kind: 'busy', status: 503, code: 'agent-unknown' }],
    ['Slack fails', { profile: fails(slackIsDown) }, { name: 'RightUnknownError', cause: slackIsDown }],
    ['the service refuses the app', { agent: fails(refusedKey) }, { code: 'no_subscription' }],
    ['the app has a mistake', { agent: fails(mistake) }, mistake],
    ['the database fails', { reading: fails(locked) }, locked],
  ])('is nobody else because %s, learns that, and is known at the next press', async (_, failing, error) => {
    const { agents, world } = await openWorld();
    const before = { ...world };
    Object.assign(world, failing);
    expect(await rejected(agents.agentOf('T1', 'U1'))).toMatchObject(error);
    Object.assign(world, before);
    expect(await agents.agentOf('T1', 'U1')).toEqual(agentAlex);
  });

  it('waits as long as a press can, and is known when the answer has come', async () => {
    const { start, world, asked } = await openWorld();
    const agents = start('account', 20);
    const late = Promise.withResolvers<FoundAgent>();
    world.agent = () => late.promise;
    const error = await rejected(agents.agentOf('T1', 'U1'));
    expect(error).toMatchObject({ kind: 'timed-out', code: 'agent-unknown' });
    late.resolve(account);
    expect(await agents.agentOf('T1', 'U1')).toEqual(agentAlex);
    expect(asked).toHaveLength(1);
  });
});

describe.each(engines)('the record of an agent, in $engine', ({ newUrl }) => {
  const key = { accountId: 'a', workspaceId: 'T1', userId: 'U1' };
  const first = { agentId: 'one', name: 'One', checkedAt: 1 };
  const second = { agentId: 'two', name: 'Two', email: 'a@b.example', checkedAt: 2 };

  it('is written by one of two processes at once, and only where it is still what the writer saw', async () => {
    const [here, there] = await openForTwo(await newUrl());
    const kept = () => recordedAgent(here, key);
    const both = (agent: typeof first, before?: typeof first) =>
      Promise.all([
        recordAgent(here, key, agent, before),
        recordAgent(there, key, { ...agent, agentId: `${agent.agentId}-there` }, before),
      ]);
    expect((await both(first)).filter(Boolean)).toHaveLength(1);
    const known = await kept();
    expect(known?.name).toBe('One');
    const changed = await both(second, { ...first, ...known });
    expect(changed.filter(Boolean)).toHaveLength(1);
    expect(await kept()).toMatchObject({ name: 'Two', email: 'a@b.example', checkedAt: 2 });
    expect(await recordAgent(here, key, first, { ...first, ...known })).toBe(false);
    for (const other of [{ accountId: 'b' }, { workspaceId: 'T2' }, { userId: 'U2' }])
      expect(await recordedAgent(here, { ...key, ...other })).toBeUndefined();
  });
});

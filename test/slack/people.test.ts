import { describe, expect, it } from 'vitest';
import { CobrowseError } from '../../src/cobrowse/errors.ts';
import { AgentSchema } from '../../src/cobrowse/schemas.ts';
import type { Agent } from '../../src/cobrowse/schemas.ts';
import { createPeople } from '../../src/slack/people.ts';
import type { Profile } from '../../src/slack/people.ts';

const MINUTE = 60_000;
const plain = {
  isAdmin: false,
  isExternal: false,
  isGuest: false,
  isBot: false,
  isDeactivated: false,
  utcOffsetSeconds: 0,
};
const alex: Profile = { ...plain, name: 'Alex Rivera', email: 'alex@acme.com' };
const found = AgentSchema.parse({ id: 'agent_alex', name: 'Alex at the desk' });
const derived = { id: 'slack-T1-U1', name: 'Alex Rivera' };
const nameless = { id: 'slack-T1-U1', name: 'Slack user U1' };
const agentAlex = { id: 'agent_alex', name: 'Alex at the desk' };

const notFound = () => Promise.reject(new CobrowseError('not-found', 'no such agent'));
const busy = new CobrowseError('busy', 'answered 503');
const never = () => new Promise<never>(() => undefined);

/** People between a Slack and a service whose answers the test changes as it goes on. */
function people(patienceMs?: number) {
  const world = {
    time: 1_000,
    profile: (): Promise<Profile> => Promise.resolve(alex),
    agent: (): Promise<Agent> => Promise.resolve(found),
  };
  const asked: { readonly profiles: string[]; readonly agents: unknown[] } = { profiles: [], agents: [] };
  const reported: unknown[] = [];
  const known = createPeople({
    profile(workspaceId, userId) {
      asked.profiles.push(`${workspaceId} ${userId}`);
      return world.profile();
    },
    lookupAgent(key) {
      asked.agents.push(key);
      return world.agent();
    },
    report: (error) => reported.push(error),
    now: () => world.time,
    ...(patienceMs === undefined ? {} : { patienceMs }),
  });
  return { world, asked, reported, people: known };
}

describe('the agent that a Slack user is', () => {
  it('is found by the email of the profile', async () => {
    const { people: known, asked } = people();
    expect(await known.agentFor('T1', 'U1')).toEqual(agentAlex);
    expect(asked).toEqual({ profiles: ['T1 U1'], agents: [{ email: 'alex@acme.com' }] });
  });

  it('is derived where the service knows no such email', async () => {
    const { people: known, world, reported } = people();
    world.agent = notFound;
    expect(await known.agentFor('T1', 'U1')).toEqual(derived);
    expect(reported).toEqual([]);
  });

  it('is derived, and nobody is asked, where the profile has no email', async () => {
    const { people: known, world, asked } = people();
    world.profile = async () => ({ ...plain, name: undefined, email: undefined });
    expect(await known.agentFor('T1', 'U1')).toEqual(nameless);
    expect(asked.agents).toEqual([]);
  });

  it('is never that of anybody else', async () => {
    const { people: known, world } = people();
    world.agent = notFound;
    const ids = [];
    for (const workspaceId of ['T1', 'T2']) {
      for (const userId of ['U1', 'U2', 'W1']) ids.push((await known.agentFor(workspaceId, userId)).id);
    }
    expect(new Set(ids).size).toBe(6);
  });

  it.each([
    [{ name: 'Name', agent_nickname: 'Nick' }, 'Name'],
    [{ agent_nickname: 'Nick' }, 'Nick'],
    [{ name: null, agent_nickname: 'Nick' }, 'Nick'],
    [{ name: '', agent_nickname: ' ' }, 'alex@acme.com'],
    [{}, 'alex@acme.com'],
  ])('with %j is called %s', async (fields, name) => {
    const { people: known, world } = people();
    world.agent = async () => AgentSchema.parse({ id: 7, ...fields });
    expect(await known.agentFor('T1', 'U1')).toEqual({ id: '7', name });
  });
});

describe('what is known of people', () => {
  it('is kept for minutes, then asked for again', async () => {
    const { people: known, world, asked } = people();
    await known.agentFor('T1', 'U1');
    world.time += 9 * MINUTE;
    await known.agentFor('T1', 'U1');
    expect(asked.profiles).toHaveLength(1);
    world.time += 2 * MINUTE;
    world.agent = async () => AgentSchema.parse({ id: 'agent_alex', name: 'Alex renamed' });
    expect(await known.agentFor('T1', 'U1')).toEqual({ id: 'agent_alex', name: 'Alex renamed' });
    expect(asked.profiles).toHaveLength(2);
  });

  it('is asked for once, however many wait for it', async () => {
    const { people: known, asked } = people();
    const agents = await Promise.all(Array.from({ length: 20 }, () => known.agentFor('T1', 'U1')));
    expect(new Set(agents.map(({ id }) => id))).toEqual(new Set(['agent_alex']));
    expect(asked.agents).toHaveLength(1);
  });

  it('shows an agent who was added meanwhile after minutes', async () => {
    const { people: known, world } = people();
    world.agent = notFound;
    expect(await known.agentFor('T1', 'U1')).toEqual(derived);
    world.agent = async () => found;
    expect(await known.agentFor('T1', 'U1')).toEqual(derived);
    world.time += 11 * MINUTE;
    expect(await known.agentFor('T1', 'U1')).toEqual(agentAlex);
  });
});

describe('a look-up that fails', () => {
  it('at the service leaves a derived agent, and is tried again soon', async () => {
    const { people: known, world, reported } = people();
    world.agent = () => Promise.reject(busy);
    expect(await known.agentFor('T1', 'U1')).toEqual(derived);
    expect(reported).toEqual([busy]);
    world.agent = async () => found;
    world.time += MINUTE;
    expect(await known.agentFor('T1', 'U1')).toEqual(agentAlex);
  });

  it('at Slack leaves a derived agent, and is tried again at the next press', async () => {
    const { people: known, world, reported } = people();
    const down = new Error('Slack is down');
    world.profile = () => Promise.reject(down);
    expect(await known.agentFor('T1', 'U1')).toEqual(nameless);
    expect(reported).toEqual([down]);
    world.profile = async () => alex;
    expect(await known.agentFor('T1', 'U1')).toEqual(agentAlex);
  });

  it.each([
    ['the service', { agent: () => Promise.reject(busy) }],
    ['Slack', { profile: () => Promise.reject(busy) }],
  ])('at %s leaves who was found: another id would cost another licence', async (_, failing) => {
    const { people: known, world, reported, asked } = people();
    await known.agentFor('T1', 'U1');
    world.time += 11 * MINUTE;
    Object.assign(world, failing);
    expect(await known.agentFor('T1', 'U1')).toEqual(agentAlex);
    expect(await known.agentFor('T1', 'U1')).toEqual(agentAlex);
    expect(reported).toEqual([busy]);
    expect(asked.profiles).toHaveLength(2);
    // And again after the pause, and for as long as it fails.
    for (let hour = 0; hour < 3; hour += 1) {
      world.time += 60 * MINUTE;
      expect(await known.agentFor('T1', 'U1')).toEqual(agentAlex);
    }
    expect(reported).toHaveLength(4);
  });

  it('to come back keeps nobody waiting, and fills in what was waited for', async () => {
    const { people: known, world, asked } = people(20);
    const late = Promise.withResolvers<Agent>();
    world.agent = () => late.promise;
    expect(await known.agentFor('T1', 'U1')).toEqual(nameless);
    late.resolve(found);
    expect(await known.agentFor('T1', 'U1')).toEqual(agentAlex);
    expect(asked.agents).toHaveLength(1);
  });

  it('to come back leaves who was found', async () => {
    const { people: known, world } = people(20);
    await known.agentFor('T1', 'U1');
    world.time += 11 * MINUTE;
    world.profile = never;
    expect(await known.agentFor('T1', 'U1')).toEqual(agentAlex);
    expect(await known.agentFor('T1', 'U1')).toEqual(agentAlex);
  });
});

describe('the email of a Slack user', () => {
  it('is that of the profile, as it is now', async () => {
    const { people: known, world } = people();
    expect(await known.emailOf('T1', 'U1')).toBe('alex@acme.com');
    world.profile = async () => ({ ...plain, name: 'Alex', email: undefined });
    expect(await known.emailOf('T1', 'U1')).toBeUndefined();
  });

  it('is an error where Slack cannot be asked', async () => {
    const { people: known, world } = people();
    world.profile = () => Promise.reject(new Error('Slack is down'));
    await expect(known.emailOf('T1', 'U1')).rejects.toThrow('Slack is down');
  });
});

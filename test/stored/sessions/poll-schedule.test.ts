import { describe, expect, it } from 'vitest';
import { sql } from '../../../src/database/database.ts';
import { createPollSchedule, type LinkAgent } from '../../../src/sessions/session-poller.ts';
import { recordLink } from '../../../src/sessions/watch-links.ts';
import { engines, openUntilTestEnds } from '../../support/engines.ts';

const NOON = Date.UTC(2026, 2, 1, 12);
const MINUTE_MS = 60_000;
const alex = { workspaceId: 'T1', userId: 'U1', agentId: 'alex' };

describe.each(engines)('the look-ups of an agent in $engine', ({ newUrl }) => {
  const open = async () => {
    const database = await openUntilTestEnds(await newUrl());
    const clock = { time: NOON };
    /** Puts a link on record whose end is to be looked for then. */
    const issue = async (agent: LinkAgent, lookAt: number) => {
      const { workspaceId, userId, agentId } = agent;
      const linkId = crypto.randomUUID();
      const link = { workspaceId, userId, visitorId: 'jane', access: 'full', linkId } as const;
      await database.write(recordLink({ link, agentId, issuedAt: clock.time }, lookAt));
      return link;
    };
    return { database, clock, issue, schedule: createPollSchedule(database, () => clock.time) };
  };

  it('go on from what an earlier version kept, which asked each agent in two ways', async () => {
    const { database, schedule } = await open();
    await schedule.claim(alex, MINUTE_MS);
    const asked = { at: NOON - MINUTE_MS, answered: [NOON - MINUTE_MS] };
    const kept = { lookedAt: NOON - MINUTE_MS, failures: 2, seen: ['link-1'], isSoon: true };
    const inTwoWays = { externalId: asked, email: asked, hasEmail: true, isHalf: false, worked: 'email' };
    const earlier = { ...kept, ...inTwoWays };
    await database.write(sql`UPDATE agent_looks SET looks = ${JSON.stringify(earlier)}`);
    expect(await schedule.of(alex)).toEqual({ ...kept, answered: [] });
  });

  it('are due outside the workspaces whose look-ups are paused', async () => {
    const { issue, schedule } = await open();
    await issue(alex, NOON - MINUTE_MS);
    await issue({ ...alex, workspaceId: 'T2' }, NOON);
    expect(await schedule.dueOutside([])).toMatchObject({ workspaceId: 'T1' });
    expect(await schedule.dueOutside(['T1'])).toMatchObject({ workspaceId: 'T2' });
    expect(await schedule.nextAt(['T1', 'T3'])).toBe(NOON);
    expect(await schedule.dueOutside(['T1', 'T2'])).toBeUndefined();
    expect(await schedule.nextAt(['T1', 'T2'])).toBeUndefined();
  });

  it('are never canceled if a link was issued since', async () => {
    const { clock, issue, schedule } = await open();
    await issue(alex, NOON);
    const due = await schedule.dueOutside([]);
    await issue(alex, NOON + 10 * MINUTE_MS);
    if (due !== undefined) await schedule.plan(due, undefined);
    expect(await schedule.nextAt([])).toBe(NOON + 10 * MINUTE_MS);
    clock.time += 10 * MINUTE_MS;
    expect(await schedule.dueOutside([])).toMatchObject(alex);
    await schedule.plan({ ...alex, readAt: clock.time }, undefined);
    expect(await schedule.nextAt([])).toBeUndefined();
  });

  it('are claimed for one user and one agent at a time, by one of many', async () => {
    const { clock, schedule } = await open();
    const kim = { workspaceId: 'T1', userId: 'U3', agentId: 'kim' };
    expect(await schedule.claim(alex, MINUTE_MS)).toBe(true);
    for (const agent of [alex, { ...alex, agentId: 'other-id' }, { ...alex, userId: 'U2' }])
      expect(await schedule.claim(agent, MINUTE_MS)).toBe(false);
    expect(await schedule.claim(kim, MINUTE_MS)).toBe(true);
    clock.time += MINUTE_MS;
    expect(await schedule.claim(alex, MINUTE_MS)).toBe(true);
  });
});

import { describe, expect, it, onTestFinished } from 'vitest';
import { sql } from '../../../src/database/database.ts';
import { openDatabase } from '../../../src/database/open.ts';
import { createLookUpRecords, type LinkAgent } from '../../../src/sessions/look-up-records.ts';
import { nextLookUp, usualWaits } from '../../../src/sessions/look-up.ts';
import { endLink, recordLink } from '../../../src/sessions/watch-links.ts';
import { engines } from '../../support/engines.ts';

const NOON = Date.UTC(2026, 2, 1, 12);
const MINUTE_MS = 60_000;
const alex = { workspaceId: 'T1', userId: 'U1', agentId: 'alex' };

describe.each(engines)('the look-ups of an agent in $engine', ({ newUrl }) => {
  const open = async () => {
    const database = await openDatabase(await newUrl());
    onTestFinished(() => database.close());
    const clock = { time: NOON };
    /** Puts a link on record whose end is to be looked for then. */
    const issue = async (agent: LinkAgent, lookAt: number) => {
      const { workspaceId, userId, agentId } = agent;
      const linkId = crypto.randomUUID();
      const link = { workspaceId, userId, visitorId: 'jane', access: 'full', linkId } as const;
      await database.write(recordLink({ link, agentId, issuedAt: clock.time }, { lookAt }));
      return link;
    };
    return {
      database,
      clock,
      issue,
      records: createLookUpRecords(database, () => clock.time, 60 * MINUTE_MS),
    };
  };

  it('start again if the stored ones are damaged', async () => {
    const { database, records } = await open();
    const never = await records.of(alex);
    await records.claim(alex, MINUTE_MS);
    await records.write(alex, { ...never, failures: 3 });
    expect(await records.of(alex)).toMatchObject({ failures: 3 });
    await database.write(sql`UPDATE agent_looks SET looks = '{"failures":'`);
    expect(await records.of(alex)).toEqual(never);
  });

  it('go on from what an earlier version kept, which asked each agent in two ways', async () => {
    const { database, records } = await open();
    await records.claim(alex, MINUTE_MS);
    const asked = { at: NOON - MINUTE_MS, answered: [NOON - MINUTE_MS] };
    const kept = { lookedAt: NOON - MINUTE_MS, failures: 2, seen: ['link-1'], isSoon: true };
    const earlier = {
      ...kept,
      externalId: asked,
      email: asked,
      hasEmail: true,
      isHalf: false,
      worked: 'email',
    };
    await database.write(sql`UPDATE agent_looks SET looks = ${JSON.stringify(earlier)}`);
    expect(await records.of(alex)).toEqual({ ...kept, answered: [] });
  });

  it('are due in order, or immediately if planned by a clock that was ahead', async () => {
    const { clock, issue, records } = await open();
    await issue(alex, NOON + 2 * MINUTE_MS);
    await issue({ ...alex, userId: 'U2', agentId: 'kim' }, NOON + MINUTE_MS);
    expect(await records.dueOutside([])).toBeUndefined();
    expect(await records.nextAt([])).toBe(NOON + MINUTE_MS);
    clock.time += 2 * MINUTE_MS;
    expect(await records.dueOutside([])).toMatchObject({ agentId: 'kim' });
    clock.time -= 24 * 60 * MINUTE_MS;
    expect(await records.dueOutside([])).toMatchObject({ agentId: 'kim' });
  });

  it('are due outside the workspaces whose look-ups are paused', async () => {
    const { issue, records } = await open();
    await issue(alex, NOON - MINUTE_MS);
    await issue({ ...alex, workspaceId: 'T2' }, NOON);
    expect(await records.dueOutside([])).toMatchObject({ workspaceId: 'T1' });
    expect(await records.dueOutside(['T1'])).toMatchObject({ workspaceId: 'T2' });
    expect(await records.nextAt(['T1', 'T3'])).toBe(NOON);
    expect(await records.dueOutside(['T1', 'T2'])).toBeUndefined();
    expect(await records.nextAt(['T1', 'T2'])).toBeUndefined();
  });

  it('are never canceled if a link was issued since', async () => {
    const { clock, issue, records } = await open();
    await issue(alex, NOON);
    const due = await records.dueOutside([]);
    await issue(alex, NOON + 10 * MINUTE_MS);
    if (due !== undefined) await records.plan(due, undefined);
    expect(await records.nextAt([])).toBe(NOON + 10 * MINUTE_MS);
    clock.time += 10 * MINUTE_MS;
    expect(await records.dueOutside([])).toMatchObject(alex);
    await records.plan({ ...alex, readAt: clock.time }, undefined);
    expect(await records.nextAt([])).toBeUndefined();
  });

  it.each([0, 1, 2, 3])('can be planned for a link that is an hour and %i ms old', async (more) => {
    const { clock, issue, records } = await open();
    await issue(alex, NOON);
    clock.time = NOON + 60 * MINUTE_MS + more;
    const next = nextLookUp(NOON, clock.time, usualWaits('webhook'));
    await records.plan({ ...alex, readAt: clock.time }, next);
    expect(await records.nextAt([])).toBe(clock.time + 15 * MINUTE_MS + Math.round(more / 4));
  });

  it('end with the link', async () => {
    const { database, issue, records } = await open();
    await database.write(endLink(await issue(alex, NOON), { sessionId: 's1', endedAt: NOON }));
    expect(await records.dueOutside([])).toBeUndefined();
  });

  it('are claimed for one user and one agent at a time, by one of many', async () => {
    const { clock, records } = await open();
    const others = [
      { ...alex, agentId: 'other-id' },
      { ...alex, userId: 'U2' },
    ];
    const kim = { workspaceId: 'T1', userId: 'U3', agentId: 'kim' };
    expect(await records.claim(alex, MINUTE_MS)).toBe(true);
    for (const agent of [alex, ...others]) expect(await records.claim(agent, MINUTE_MS)).toBe(false);
    expect(await records.claim(kim, MINUTE_MS)).toBe(true);
    clock.time += MINUTE_MS;
    expect(await records.claim(alex, MINUTE_MS)).toBe(true);
    // A clock that ran days ahead claimed until then.
    clock.time -= 24 * 60 * MINUTE_MS;
    expect(await records.claim(alex, MINUTE_MS)).toBe(true);
  });
});

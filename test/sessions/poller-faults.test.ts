import { describe, expect, it } from 'vitest';
import { changedDatabase } from '../database/changed-database.ts';
import type { AgentKey } from '../../src/cobrowse/client.ts';
import { CobrowseError, type CobrowseErrorKind } from '../../src/cobrowse/errors.ts';
import { DatabaseError, type Database } from '../../src/database/database.ts';
import { pass } from '../support/fake-time.ts';
import { KIM } from '../support/person.ts';
import {
  HOUR_MS,
  START,
  openPollerStage,
  openWithSession,
  passMinutes,
  type Change,
} from './poller-stage.ts';
import { resultOf } from './link-result.ts';

const failure = (kind: CobrowseErrorKind) => new CobrowseError(kind, 'GET /agents/lookup: it failed');

describe('a service that fails', () => {
  it.each(['busy', 'refused-key'] as const)(
    'with "%s" for an hour says nothing about any link, and the session is found once it answers',
    async (kind) => {
      const answer = (_: AgentKey, at: number) => (at < START + HOUR_MS ? failure(kind) : undefined);
      const stage = await openWithSession({}, { answer });
      await passMinutes(59);
      expect(stage.shown).toEqual([]);
      const asked = stage.lookups.length;
      expect(asked).toBeGreaterThan(4);
      expect(asked).toBeLessThan(12);
      expect(new Set(stage.reports)).toEqual(new Set([`failed ${kind}`]));
      await passMinutes(17);
      expect(stage.given()).toEqual(['s1 to grant-1']);
    },
  );

  it('in one workspace is asked about each agent less and less, and keeps no other workspace waiting', async () => {
    const stage = await openPollerStage({
      answer: (key) =>
        'externalId' in key && key.externalId.startsWith('down') ? failure('unreachable') : undefined,
    });
    for (let agent = 0; agent < 5; agent += 1) {
      const agentId = `down-${agent}`;
      await stage.issueLink('liam0042', { workspaceId: 'T0OTHER', userId: `U${agent}`, agentId });
    }
    const { linkId } = await stage.issueLink('jane4821');
    stage.list({ id: 's1', startMinute: 1, endMinute: 4, linkId });
    await passMinutes(10);
    expect(stage.given()).toEqual([`s1 to ${linkId}`]);
    await passMinutes(60);
    expect(stage.lookups.length).toBeLessThan(5 * 10);
  });

  it('for a week leaves the outcome unknown', async () => {
    const stage = await openPollerStage({ answer: () => failure('unreachable') });
    await stage.issueLink('jane4821');
    await passMinutes(7 * 24 * 60 - 1, HOUR_MS);
    expect(stage.shown).toEqual([]);
    await passMinutes(120);
    expect(stage.shown).toEqual(['grant-1 unknown']);
  });
});

describe('an answer of the service', () => {
  it('with a session that can’t be stored still gives the others, also from a clock far ahead', async () => {
    const stage = await openPollerStage();
    const { linkId } = await stage.issueLink('jane4821');
    const far = { startMinute: 100, endMinute: 104, linkId };
    stage.list({ id: '\ud800', ...far }, { id: 's2', ...far });
    await passMinutes(11);
    expect(stage.given()).toEqual(['s2 to grant-1']);
  });
});

describe('a database that fails', () => {
  it.each([
    'INSERT INTO session_ends',
    'UPDATE watch_links',
    'UPDATE agent_looks SET looks',
    'INSERT INTO agent_looks',
  ])('at "%s" loses no session and doubles none, wherever the process was', async (name) => {
    let isFailing = false;
    const change: Change = (database) =>
      changedDatabase(database, {
        write: (...statements) =>
          isFailing && statements.some(({ sql: words }) => words.includes(name))
            ? Promise.reject(new DatabaseError('failed'))
            : database.write(...statements),
      });
    const stage = await openWithSession({}, { change });
    isFailing = true;
    await passMinutes(15);
    expect(stage.reports).toContain('broken');
    isFailing = false;
    await passMinutes(60);
    expect(stage.given()).toEqual(['s1 to grant-1']);
    expect(await stage.links.lookedFor('T0ACME00000', 'U0ALEX00001')).toEqual([]);
  });
});

const never = <T>() => new Promise<T>(() => undefined);

/** The database of a process that is killed at a write: nothing is written from then on, and nothing is answered any more. */
function killedAt(write: number) {
  let left = write;
  const isDead = () => left <= 0;
  const counted = <T>(work: () => Promise<T>) => {
    left -= 1;
    return left < 0 ? never<T>() : work().then((result) => (isDead() ? never<T>() : result));
  };
  const change = (database: Database): Database =>
    changedDatabase(database, {
      read: (query, row) => (isDead() ? never() : database.read(query, row)),
      write: (...statements) => counted(() => database.write(...statements)),
    });
  return { change, isDead };
}

/** One more than a process needs for two sessions that it finds. */
const WRITES = Array.from({ length: 8 }, (_, index) => index + 1);

describe('a process that is killed', () => {
  it.each(WRITES)('at its write %i loses no session and doubles none', async (write) => {
    const stage = await openPollerStage();
    await stage.stop();
    const { linkId } = await stage.issueLink('jane4821');
    const other = await stage.issueLink('liam0042');
    stage.list(
      { id: 's1', startMinute: 1, endMinute: 4, linkId },
      { id: 's2', visitorId: 'liam0042', startMinute: 1, endMinute: 4, linkId: other.linkId },
    );
    const { change, isDead } = killedAt(write);
    stage.startProcess(change);
    await passMinutes(15);
    expect(isDead()).toBe(write < WRITES.length);
    stage.startProcess();
    await passMinutes(30);
    expect(await stage.durable()).toEqual(['T0ACME00000:s1', 'T0ACME00000:s2']);
    expect(await stage.links.lookedFor('T0ACME00000', 'U0ALEX00001')).toEqual([]);
    for (const link of [other, { ...other, linkId }])
      expect(await resultOf(stage.links, link)).toMatchObject({ endedAt: expect.any(Number) });
  });
});

describe('a session that was found', () => {
  it('counts from when it is stored, however long the steps before it took', async () => {
    const slowMs = 20_000;
    const stage = await openPollerStage({
      endSource: 'lookup',
      show: () => new Promise((resolve) => setTimeout(resolve, slowMs)),
    });
    // Nothing is listed for the first, so that its card is changed before the second is looked at.
    await stage.issueLink('liam0042');
    await passMinutes(7);
    const { linkId } = await stage.issueLink('jane4821');
    stage.list({ id: 's1', startMinute: 7.5, endMinute: 8.5, linkId });
    await passMinutes(10);
    expect(stage.given()).toEqual([`s1 to ${linkId}`]);
    const { receivedAt = 0 } = stage.summaries[0] ?? {};
    const lookedAt = stage.lookups.map(({ at }) => at).findLast((at) => at < receivedAt) ?? 0;
    // Else a digest that was reckoned meanwhile would have missed it, as would the next.
    expect(receivedAt - lookedAt).toBeGreaterThanOrEqual(slowMs);
  });
});

describe('a stop', () => {
  it('waits for the current look-up and what follows from it, and starts no other', async () => {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const stage = await openWithSession({}, { answer: () => promise });
    await stage.issueLink('jane4821', { userId: KIM, agentId: 'agent_kim' });
    await passMinutes(11);
    let hasStopped = false;
    const stopping = stage.stop().then(() => (hasStopped = true));
    await pass(1_000);
    expect(hasStopped).toBe(false);
    resolve(undefined);
    await pass(1_000);
    await stopping;
    expect(stage.given()).toEqual(['s1 to grant-1']);
    await passMinutes(60);
    expect(stage.lookups).toHaveLength(1);
  });
});

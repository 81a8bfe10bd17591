import { describe, expect, it, onTestFinished } from 'vitest';
import { createGrantRecords } from '../../src/grants/records.ts';
import { openStorage } from '../../src/storage/open.ts';
import { openDamageable } from '../storage/damage.ts';
import { ALEX, SAM } from '../support/person.ts';

const T = 'T0ACME00000';
const NOON = Date.UTC(2026, 2, 1, 12);
const MINUTE_MS = 60_000;

async function openRecords() {
  const clock = { time: NOON };
  const now = () => clock.time;
  const storage = await openStorage('memory:', { now });
  onTestFinished(() => storage.close());
  const stores = {
    issued: storage.store('grants'),
    byVisitor: storage.store('grants-by-visitor'),
    ends: storage.store('grant-ends'),
  };
  const records = createGrantRecords(stores, now);
  let given = 0;
  const give = async (userId: string, visitorId: string) => {
    const grant = {
      workspaceId: T,
      userId,
      visitorId,
      power: 'full',
      grantId: `grant-${(given += 1)}`,
    } as const;
    await records.issued(grant);
    clock.time += MINUTE_MS;
    return grant;
  };
  return { records, clock, give };
}

describe('what became of a link', () => {
  it('is what was concluded, until an end is told, which stays', async () => {
    const { records, give } = await openRecords();
    const grant = await give(ALEX, 'jane');
    expect(await records.fateOf(grant)).toBeUndefined();
    const unused = { concluded: 'unused', at: NOON } as const;
    const end = { sessionId: 's', endedAt: NOON };
    await records.concluded(grant, unused);
    expect(await records.fateOf(grant)).toEqual(unused);
    expect(await records.of(T, ALEX, 5)).toMatchObject([{ grant, fate: unused }]);
    await records.ended(grant, end);
    await records.concluded(grant, { concluded: 'unknown', at: NOON });
    expect(await records.fateOf(grant)).toEqual(end);
  });
});

describe('the links in use for a visitor', () => {
  it('are told newest first, with who was given them and when', async () => {
    const { records, give } = await openRecords();
    await give(ALEX, 'jane');
    await give(SAM, 'jane');
    expect(await records.inUse(T, 'jane', 0)).toMatchObject([
      { userId: SAM, at: NOON + MINUTE_MS },
      { userId: ALEX, at: NOON },
    ]);
  });

  it('leave out what ended, what is older, other visitors and other workspaces', async () => {
    const { records, give } = await openRecords();
    await give(ALEX, 'jane');
    const ended = await give(SAM, 'jane');
    await give(SAM, 'jane:park');
    await give(SAM, 'janet');
    await records.ended(ended, { sessionId: 's', endedAt: NOON });
    expect((await records.inUse(T, 'jane', 0)).map(({ userId }) => userId)).toEqual([ALEX]);
    expect(await records.inUse(T, 'jane', NOON + 1)).toEqual([]);
    expect(await records.inUse('T0OTHER', 'jane', 0)).toEqual([]);
  });
});

describe('a damaged record of a link', () => {
  it('keeps no other from being told', async () => {
    const { storage, damage } = await openDamageable();
    const records = createGrantRecords(
      {
        issued: storage.store('issued'),
        byVisitor: storage.store('by-visitor'),
        ends: storage.store('ends'),
      },
      () => NOON,
    );
    const linkOf = (userId: string, grantId: string) =>
      ({ workspaceId: T, userId, visitorId: 'jane', power: 'full', grantId }) as const;
    const [whole, broken] = [linkOf(ALEX, 'whole'), linkOf(ALEX, 'broken')];
    await records.issued(whole);
    await records.issued(broken);
    await records.ended(whole, { sessionId: 's', endedAt: NOON });
    damage('ends', 'whole');
    expect(await records.fateOf(whole)).toBeUndefined();
    expect((await records.inUse(T, 'jane', 0)).map(({ grantId }) => grantId).toSorted()).toEqual([
      'broken',
      'whole',
    ]);
    const cut = String(10 ** 14 - NOON).padStart(15, '0');
    damage('issued', `${T}:${ALEX}:${cut}:broken`);
    damage('by-visitor', `${T}:jane:${cut}:broken`);
    expect(await records.of(T, ALEX, 5)).toMatchObject([{ grant: whole }]);
    expect((await records.inUse(T, 'jane', 0)).map(({ grantId }) => grantId)).toEqual(['whole']);
  });
});

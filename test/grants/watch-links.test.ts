import { describe, expect, it, onTestFinished } from 'vitest';
import { hasChanged } from '../../src/database/database.ts';
import { openDatabase } from '../../src/database/open.ts';
import { createWatchLinks, endLink, recordLink } from '../../src/grants/watch-links.ts';
import { engines } from '../support/engines.ts';
import { ALEX, SAM } from '../support/person.ts';

const T = 'T0ACME00000';
const NOON = Date.UTC(2026, 2, 1, 12);
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

describe.each(engines)('the watch links in $engine', ({ newUrl }) => {
  const open = async () => {
    const clock = { time: NOON };
    const database = await openDatabase(await newUrl());
    onTestFinished(() => database.close());
    let issued = 0;
    const issue = async (userId: string, visitorId: string, more: { readonly channelId?: string } = {}) => {
      const grantId = `link-${(issued += 1)}`;
      const grant = { workspaceId: T, userId, visitorId, power: 'full', grantId, ...more } as const;
      const link = { grant, agentId: 'agent', issuedAt: clock.time };
      await database.write(recordLink(link));
      clock.time += MINUTE_MS;
      return grant;
    };
    return { database, clock, issue, links: createWatchLinks(database, () => clock.time) };
  };

  it('say what was concluded, until an end is known, which stays', async () => {
    const { database, links, issue } = await open();
    const grant = await issue(ALEX, 'jane', { channelId: 'C1' });
    expect(await links.fateOf(grant)).toBeUndefined();
    const unused = { concluded: 'unused', at: NOON } as const;
    expect(await links.conclude(grant, unused)).toBe(true);
    expect(await links.of(T, ALEX, 5)).toEqual([{ grant, agentId: 'agent', issuedAt: NOON, fate: unused }]);
    const end = { endedAt: NOON + 1, lengthSeconds: 62.5 };
    await database.write(endLink(grant, end));
    expect(await links.conclude(grant, { concluded: 'unknown', at: NOON })).toBe(false);
    expect(await links.fateOf(grant)).toEqual(end);
  });

  it('are looked for until their end is known or they are left, unused ones, too', async () => {
    const { database, links, issue } = await open();
    const [ended, left, unused] = [await issue(ALEX, 'a'), await issue(ALEX, 'b'), await issue(ALEX, 'c')];
    await issue(SAM, 'd');
    await database.write(endLink(ended, { endedAt: NOON }));
    await links.leave(left);
    await links.conclude(unused, { concluded: 'unused', at: NOON });
    expect((await links.lookedFor(T, ALEX)).map(({ grant }) => grant)).toEqual([unused]);
  });

  it('of a person are told newest first, for a week, and no more than asked for', async () => {
    const { clock, links, issue } = await open();
    for (const visitor of ['a', 'b', 'c']) await issue(ALEX, visitor);
    expect((await links.of(T, ALEX, 2)).map(({ grant }) => grant.visitorId)).toEqual(['c', 'b']);
    expect(await links.of('T0OTHER', ALEX, 2)).toEqual([]);
    clock.time += 7 * DAY_MS;
    expect(await links.of(T, ALEX, 2)).toEqual([]);
  });

  it('in use before a screen are told newest first, with who has them and when', async () => {
    const { database, links, issue } = await open();
    await issue(ALEX, 'jane');
    await issue(SAM, 'jane');
    const ended = await issue(SAM, 'jane');
    await issue(SAM, 'jane:park');
    await database.write(endLink(ended, { endedAt: NOON }));
    expect(await links.inUse(T, 'jane', 0)).toMatchObject([
      { userId: SAM, at: NOON + MINUTE_MS },
      { userId: ALEX, at: NOON },
    ]);
    expect(await links.inUse(T, 'jane', NOON + 1)).toHaveLength(1);
    expect(await links.inUse('T0OTHER', 'jane', 0)).toEqual([]);
  });

  it('are put on record once for each proof, by whichever process comes first', async () => {
    const { database, links } = await open();
    const record = (grantId: string, workspaceId = T) =>
      database.writeIf(
        recordLink(
          {
            grant: { workspaceId, userId: ALEX, visitorId: 'jane', power: 'view', grantId },
            agentId: 'agent',
            issuedAt: NOON,
          },
          'press-1',
        ),
      );
    const outcomes = await Promise.all([record('a'), record('b'), record('c'), record('a', 'T0OTHER')]);
    expect(outcomes.filter((written) => hasChanged(written?.[0]))).toHaveLength(2);
    expect(await links.of(T, ALEX, 5)).toHaveLength(1);
  });
});

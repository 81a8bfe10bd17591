import { describe, expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../src/database/open.ts';
import { sql } from '../../src/database/sql.ts';
import { moveChannel } from '../../src/outbox/channels.ts';
import { createWatchLinks, endLink, recordLink } from '../../src/sessions/watch-links.ts';
import { createAgentRecords } from '../../src/watch/agent-records.ts';
import { createLostPresses } from '../../src/watch/lost-presses.ts';
import { createReadFacts } from '../../src/watch/order-facts.ts';
import { createTicketUses } from '../../src/watch/ticket-uses.ts';
import { engines } from '../support/engines.ts';
import { ALEX, KIM, SAM, SUPPORT } from '../support/person.ts';
import { FACTS } from './facts.ts';

const NOON = Date.UTC(2026, 2, 1, 12);
const MINUTE = 60_000;
const T = 'T0ACME00000';
const ELSEWHERE = 'T0OTHER0000';
const members = { members: true, ids: [] };
const order = {
  workspaceId: T,
  userId: ALEX,
  channelId: SUPPORT,
  visitorId: 'jane4821',
  access: 'full',
} as const;
const none = { ...FACTS, channelId: SUPPORT };

describe.each(engines)('what the tables say when somebody asks for a link, in $engine', ({ newUrl }) => {
  async function open() {
    const database = await openDatabase(await newUrl());
    onTestFinished(() => database.close());
    const readFacts = createReadFacts({
      database,
      workspaceOf: async () => ({
        accountId: 'account',
        defaults: { rules: { watch: members, stop: members, delete: members, usage: members } },
      }),
      now: () => NOON,
    });
    const set = (workspaceId: string, name: string, value: string) =>
      database.write(sql`INSERT INTO settings (workspace_id, name, value, version, changed_by, changed_at)
        VALUES (${workspaceId}, ${name}, ${value}, 1, '', 0)`);
    const give = (
      userId: string,
      minutesAgo: number,
      more: { workspaceId?: string; visitorId?: string } = {},
    ) => {
      const link = { ...order, ...more, userId, linkId: `${userId} ${minutesAgo}` };
      const issuedAt = NOON - minutesAgo * MINUTE;
      return database.write(recordLink({ link, agentId: 'agent', issuedAt }, { lookAt: NOON }));
    };
    return { database, readFacts, set, give };
  }

  it('is nothing, where nothing has happened yet', async () => {
    const { readFacts } = await open();
    expect(await readFacts(order)).toEqual(none);
    expect((await readFacts({ ...order, channelId: undefined })).channelId).toBeUndefined();
  });

  it('is the rule and the most access that the workspace’s admins have set', async () => {
    const { readFacts, set } = await open();
    await set(T, 'may-watch', JSON.stringify({ members: false, ids: [SAM] }));
    await set(T, 'maxAccess', '"point"');
    await set(ELSEWHERE, 'may-watch', 'null');
    await set(ELSEWHERE, 'maxAccess', 'null');
    expect(await readFacts(order)).toEqual({
      ...none,
      rule: { members: false, ids: [SAM] },
      maxAccess: 'point',
    });
    expect(await readFacts({ ...order, workspaceId: ELSEWHERE })).toEqual(none);
  });

  it('lets only admins watch where the rule can’t be read', async () => {
    const { readFacts, set } = await open();
    await set(T, 'may-watch', 'nonsense');
    expect((await readFacts(order)).rule).toEqual({ members: false, ids: [] });
  });

  it('is the id that the channel has now', async () => {
    const { readFacts, database } = await open();
    await database.write(...moveChannel(T, SUPPORT, 'C0MOVED', NOON));
    expect((await readFacts(order)).channelId).toBe('C0MOVED');
    expect((await readFacts({ ...order, workspaceId: ELSEWHERE })).channelId).toBe(SUPPORT);
  });

  it('is who somebody is in this account of the service', async () => {
    const { readFacts, database } = await open();
    const agent = { id: 'agent_alex', name: 'Alex', checkedAt: NOON };
    const key = { accountId: 'account', workspaceId: T, userId: ALEX };
    const records = createAgentRecords(database);
    await records.putIfUnchanged({ ...key, accountId: 'another' }, { ...agent, id: 'wrong' }, undefined);
    expect((await readFacts(order)).agent).toBeUndefined();
    await records.putIfUnchanged(key, agent, undefined);
    expect((await readFacts(order)).agent).toEqual(agent);
    expect((await readFacts({ ...order, userId: SAM })).agent).toBeUndefined();
  });

  it('is the latest open link of somebody else to the same screen, from the last half hour', async () => {
    const { readFacts, give } = await open();
    await give(KIM, 31);
    await give(KIM, 5, { visitorId: 'noah' });
    await give(KIM, 5, { workspaceId: ELSEWHERE });
    expect((await readFacts(order)).underWay).toBeUndefined();
    await give(KIM, 29);
    await give(SAM, 20);
    expect((await readFacts(order)).underWay).toEqual({ userId: SAM, at: NOON - 20 * MINUTE });
    const proxy = { initialUrl: 'https://a.example/', allowedDomains: [] };
    expect((await readFacts({ workspaceId: T, userId: ALEX, proxy })).underWay).toBeUndefined();
  });

  it('is the latest open link of their own before any other, for as long as a session may last', async () => {
    const { readFacts, give } = await open();
    await give(SAM, 1);
    await give(ALEX, 8 * 60 + 1);
    expect((await readFacts(order)).underWay?.userId).toBe(SAM);
    await give(ALEX, 8 * 60);
    await give(ALEX, 7 * 60);
    expect((await readFacts(order)).underWay).toEqual({ userId: ALEX, at: NOON - 7 * 60 * MINUTE });
  });

  it.each([ALEX, SAM])('is none of a link whose session has ended, %s’s', async (userId) => {
    const { readFacts, give, database } = await open();
    await give(userId, 20);
    await database.write(endLink({ ...order, linkId: `${userId} 20` }, { sessionId: 's1', endedAt: NOON }));
    expect((await readFacts(order)).underWay).toBeUndefined();
  });

  it.each(['unused', 'unknown'] as const)(
    'is none of a link that was concluded to be %s',
    async (concluded) => {
      const { readFacts, give, database } = await open();
      await give(ALEX, 20);
      const links = createWatchLinks(database, () => NOON);
      await links.conclude({ ...order, linkId: `${ALEX} 20` }, { concluded, at: NOON });
      expect((await readFacts(order)).underWay).toBeUndefined();
    },
  );

  it('is whether the address was opened too often', async () => {
    const { readFacts, database } = await open();
    const used = { workspaceId: T, ticket: 'sealed', expiresAt: NOON };
    const uses = createTicketUses(database, () => NOON);
    for (let opening = 0; opening < 5; opening += 1) await uses.countFailed(used);
    expect((await readFacts(order, 'sealed')).isWorn).toBe(false);
    await uses.countFailed(used);
    expect((await readFacts(order, 'sealed')).isWorn).toBe(true);
    expect((await readFacts(order, 'another')).isWorn).toBe(false);
    expect((await readFacts({ ...order, workspaceId: ELSEWHERE }, 'sealed')).isWorn).toBe(false);
  });

  it('is whether their Slack may lose presses', async () => {
    const { readFacts, database } = await open();
    const lost = createLostPresses(database, () => NOON);
    await lost.suspect({ workspaceId: T, userId: SAM });
    await lost.suspect({ workspaceId: ELSEWHERE, userId: ALEX });
    expect((await readFacts(order)).losesPresses).toBe(false);
    expect((await readFacts({ ...order, userId: SAM })).losesPresses).toBe(true);
  });
});

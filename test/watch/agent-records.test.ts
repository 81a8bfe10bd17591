import { describe, expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../src/database/open.ts';
import { createAgentRecords } from '../../src/watch/agent-records.ts';
import { engines } from '../support/engines.ts';

const key = { accountId: 'account', workspaceId: 'T1', userId: 'U1' };
const alex = { id: 'agent_alex', name: 'Alex Rivera', email: 'alex@acme.com', checkedAt: 1 };

describe.each(engines)('who a Slack user is to the service, in $engine', ({ newUrl }) => {
  const open = async () => {
    const url = await newUrl();
    const databases = await Promise.all([openDatabase(url), openDatabase(url)]);
    onTestFinished(async () => void (await Promise.all(databases.map((database) => database.close()))));
    return databases.map(createAgentRecords);
  };

  it('is kept for the workspace and the account, with an email or without', async () => {
    const [records] = await open();
    await records?.putIfUnchanged(key, alex, undefined);
    await records?.putIfUnchanged(
      { ...key, userId: 'U2' },
      { id: 'x', name: 'Sam', checkedAt: 2 },
      undefined,
    );

    expect(await records?.get(key)).toEqual(alex);
    expect(await records?.get({ ...key, userId: 'U2' })).toEqual({ id: 'x', name: 'Sam', checkedAt: 2 });
    expect(await records?.get({ ...key, accountId: 'another' })).toBeUndefined();
    expect(await records?.get({ ...key, workspaceId: 'T2' })).toBeUndefined();
  });

  it('is decided by one of two processes that find it out, or change it, at once', async () => {
    const [one, other] = await open();
    const put = (id: string, before?: typeof alex) =>
      Promise.all([
        one?.putIfUnchanged(key, { ...alex, id, checkedAt: 5 }, before),
        other?.putIfUnchanged(key, { ...alex, id: `${id}-other`, checkedAt: 5 }, before),
      ]);
    const first = await put('agent_alex');
    expect(first.filter(Boolean)).toHaveLength(1);
    const known = await one?.get(key);
    const changed = await put('agent_new', { ...alex, ...known });
    expect(changed.filter(Boolean)).toHaveLength(1);
    expect(await one?.putIfUnchanged(key, alex, { ...alex, ...known })).toBe(false);
  });
});

import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createAudit, type AuditEntry } from '../../../src/audit/audit.ts';
import { sql } from '../../../src/database/database.ts';
import { createDataKeys, Secret } from '../../../src/workspaces/data-keys.ts';
import { createInstalls } from '../../../src/workspaces/installs.ts';
import { createServiceAccounts } from '../../../src/workspaces/service-accounts.ts';
import { unheard } from '../../audit/unheard.ts';
import { engines, openUntilTestEnds } from '../../support/engines.ts';
import { SEALING_KEY } from '../../support/settings.ts';
import { anInstall } from '../../workspaces/an-install.ts';

const NEWER_KEY = 'a newer sealing key of these tests that is long';
const ada = { workspaceId: 'T1', userId: 'U0ADA' };
const kim = { workspaceId: 'T1', userId: 'U0KIM' };
const Anything = z.record(z.string(), z.unknown());

const cloud = (key: string, address = 'https://cobrowse.example') => ({
  kind: 'cloud' as const,
  address,
  key: new Secret(key),
  connected: false,
  cloud: undefined,
});
const installation = {
  kind: 'on-premise' as const,
  address: 'https://cobrowse.intern.example/path',
  key: new Secret('topsecret-rest'),
  connected: false,
  cloud: { address: 'https://cobrowse.example', key: new Secret('topsecret-cloud') },
};

async function stage(storeUrl: string) {
  const database = await openUntilTestEnds(storeUrl);
  const recorded: AuditEntry[] = [];
  const { prepare } = createAudit({
    database,
    now: Date.now,
    keptDays: 1,
    secret: '',
    report: { ...unheard, entry: (entry) => void recorded.push(entry) },
  });
  function withKeys(...secrets: [string, ...string[]]) {
    const installs = createInstalls({ database, dataKeys: createDataKeys(secrets), now: Date.now });
    return { installs, accounts: createServiceAccounts({ database, installs, prepare, now: () => 1_000 }) };
  }
  const { installs, accounts } = withKeys(SEALING_KEY);
  for (const workspaceId of ['T1', 'T2']) await installs.record(anInstall(workspaceId));
  return { database, installs, accounts, recorded, withKeys };
}

describe.each(engines)('a workspace’s own account, in $engine', ({ newUrl }) => {
  it('is the latest that was connected, until it’s disconnected', async () => {
    const { accounts } = await stage(await newUrl());
    expect(await accounts.of('T1')).toEqual({ account: undefined, version: 0, changedBy: '' });
    expect(await accounts.change(ada, cloud('one'), 0)).toBe('changed');
    const first = await accounts.of('T1');
    const connected = { connectedBy: 'U0ADA', connectedAt: 1_000 };
    const account = { kind: 'cloud', address: 'https://cobrowse.example', ...connected };
    expect(first).toMatchObject({ version: 1, account });
    expect(first.account?.key?.reveal()).toBe('one');
    expect(await accounts.change(kim, installation, 1)).toBe('changed');
    const second = (await accounts.of('T1')).account;
    expect(second?.key?.reveal()).toBe('topsecret-rest');
    expect(second?.cloud?.key?.reveal()).toBe('topsecret-cloud');
    expect(second?.id).not.toBe(first.account?.id);
    expect(await accounts.change(ada, undefined, 2)).toBe('changed');
    expect(await accounts.of('T1')).toEqual({ account: undefined, version: 3, changedBy: 'U0ADA' });
    expect((await accounts.of('T2')).version).toBe(0);
  });

  it('stays the same account where it’s connected again with the same key', async () => {
    const { accounts } = await stage(await newUrl());
    await accounts.change(ada, cloud('one'), 0);
    const { account } = await accounts.of('T1');
    await accounts.change(ada, cloud('one'), 1);
    expect((await accounts.of('T1')).account?.id).toBe(account?.id);
    await accounts.change(ada, cloud('one', 'https://other.example'), 2);
    expect((await accounts.of('T1')).account?.id).not.toBe(account?.id);
  });

  it('is changed by one of two admins at once, and the other hears who', async () => {
    const { accounts } = await stage(await newUrl());
    const changes = [accounts.change(ada, cloud('one'), 0), accounts.change(kim, cloud('two'), 0)];
    const outcomes = await Promise.all(changes);
    const isAdas = outcomes[0] === 'changed';
    expect(outcomes[isAdas ? 1 : 0]).toEqual({ by: isAdas ? 'U0ADA' : 'U0KIM' });
    expect((await accounts.of('T1')).account?.key?.reveal()).toBe(isAdas ? 'one' : 'two');
  });

  it('has its keys in no column, nor in the audit, and earlier ones nowhere at all', async () => {
    const { accounts, database, recorded } = await stage(await newUrl());
    await accounts.change(ada, cloud('topsecret-first'), 0);
    await accounts.change(ada, installation, 1);
    const rows = await database.read(sql`SELECT * FROM service_accounts ORDER BY version`, Anything);
    const entries = await database.read(sql`SELECT * FROM audit`, Anything);
    expect(rows[0]).toMatchObject({ api_key: null, cloud_key: null });
    const written = JSON.stringify([rows, entries, recorded, await accounts.of('T1')]);
    expect(written).not.toContain('topsecret');
    const inCloud = '{"kind":"cloud","host":"cobrowse.example"}';
    expect(recorded.map(({ detail }) => detail)).toEqual([
      { setting: 'serviceAccount', from: 'null', to: inCloud },
      { setting: 'serviceAccount', from: inCloud, to: expect.stringContaining('cobrowse.intern.example') },
    ]);
  });

  it('can’t be read with another workspace’s data key, and survives new keys in SECRET_KEYS', async () => {
    const { accounts, database, withKeys } = await stage(await newUrl());
    await accounts.change(ada, cloud('one'), 0);
    const keyIn = async (...secrets: [string, ...string[]]) =>
      (await withKeys(...secrets).accounts.of('T1')).account?.key?.reveal();
    await withKeys(NEWER_KEY, SEALING_KEY).installs.resealAll();
    expect(await keyIn(NEWER_KEY)).toBe('one');
    expect(await keyIn(SEALING_KEY)).toBeUndefined();
    await database.write(sql`UPDATE service_accounts SET workspace_id = 'T2'`);
    const moved = await withKeys(NEWER_KEY).accounts.of('T2');
    expect(moved.account).toMatchObject({ address: 'https://cobrowse.example', key: undefined });
    // Nor together with the data key.
    await database.write(
      sql`UPDATE workspaces SET (bot_token, data_key, data_key_by) = (SELECT bot_token, data_key, data_key_by
          FROM workspaces WHERE id = 'T1') WHERE id = 'T2'`,
    );
    const { accounts: there, installs } = withKeys(NEWER_KEY);
    expect((await there.of('T2')).account?.key).toBeUndefined();
    expect(await installs.of('T2')).toMatchObject({ dataKey: undefined, botToken: undefined });
    expect((await installs.of('T1'))?.botToken?.reveal()).toBe('token of T1');
  });
});

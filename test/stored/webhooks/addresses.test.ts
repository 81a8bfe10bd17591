import { describe, expect, it } from 'vitest';
import { createAudit } from '../../../src/audit/audit.ts';
import { sql } from '../../../src/database/database.ts';
import { MOST_ADDRESSES, createWebhookAddresses } from '../../../src/webhooks/addresses.ts';
import { createWebhookSecret } from '../../../src/webhooks/sign.ts';
import { createDataKeys } from '../../../src/workspaces/data-keys.ts';
import { createInstalls } from '../../../src/workspaces/installs.ts';
import { unheard } from '../../audit/unheard.ts';
import { engines, openUntilTestEnds } from '../../support/engines.ts';
import { SEALING_KEY } from '../../support/settings.ts';
import { anInstall } from '../../workspaces/an-install.ts';
import { rawDatabase } from '../../workspaces/raw-database.ts';

const NEWER_KEY = 'a newer sealing key of these tests that is long';
const DAY_MS = 24 * 60 * 60_000;
const ada = { workspaceId: 'T0ACME00000', userId: 'U0ADA000005' };
const choices = {
  url: new URL('https://hooks.acme.example/topsecret-path?token=topsecret-token'),
  events: ['session.ended'],
  filters: { agents: [], groups: [], tags: ['vip'] },
  hasNames: true,
};

const twice = (work: () => Promise<boolean>) => Promise.all([work(), work()]);

describe.each(engines)('an address for webhooks, in $engine', ({ newUrl }) => {
  async function stage() {
    const url = await newUrl();
    const database = await openUntilTestEnds(url);
    let time = 1_000_000;
    const now = () => time;
    const { prepare } = createAudit({ database, now, keptDays: 1, secret: '', report: unheard });
    const entry = () => prepare({ ...ada, action: 'setting', outcome: 'done' });
    function withKeys(...secrets: [string, ...string[]]) {
      const installs = createInstalls({ database, dataKeys: createDataKeys(secrets), now });
      const addresses = createWebhookAddresses({ ...installs, database, now });
      return { installs, addresses };
    }
    const secret = createWebhookSecret();
    const first = withKeys(SEALING_KEY);
    async function add() {
      const id = await first.addresses.add(ada, { ...choices, secret }, entry());
      return { workspaceId: ada.workspaceId, id: id ?? '' };
    }
    return { ...first, url, database, secret, entry, withKeys, add, pass: (ms: number) => (time += ms) };
  }

  it('is kept as it was added, and neither it nor its secret can be read in the database', async () => {
    const { addresses, add, secret, url } = await stage();
    const name = await add();
    const { url: _, ...kept } = choices;
    const added = { addedBy: ada.userId, addedAt: 1_000_000, version: 1 };
    expect(await addresses.list(ada.workspaceId)).toEqual([
      { ...name, host: 'hooks.acme.example', ...kept, ...added },
    ]);
    const opened = await addresses.open(name);
    expect(opened?.url?.reveal()).toBe(choices.url.href);
    expect(opened?.secrets?.map((one) => one.reveal())).toEqual([secret.reveal()]);
    const raw = await rawDatabase(url);
    expect(raw).toContain('hooks.acme.example');
    expect(raw).not.toMatch(/topsecret|whsec/);
  });

  it('signs with both secrets for a day after a new one', async () => {
    const { addresses, add, secret, entry, pass } = await stage();
    const name = await add();
    const newer = createWebhookSecret();
    expect(await addresses.rotate(name, newer, entry())).toBe(true);
    const secrets = async () => (await addresses.open(name))?.secrets?.map((one) => one.reveal());
    expect(await secrets()).toEqual([newer.reveal(), secret.reveal()]);
    pass(DAY_MS);
    expect(await secrets()).toEqual([newer.reveal()]);
  });

  it('survives new keys in SECRET_KEYS, also where the workspace is in the settings', async () => {
    const { add, withKeys } = await stage();
    const name = await add();
    const both = withKeys(NEWER_KEY, SEALING_KEY);
    expect(await both.installs.resealAll()).toBe(1);
    expect((await withKeys(NEWER_KEY).addresses.open(name))?.url?.reveal()).toBe(choices.url.href);
    const closed = { host: 'hooks.acme.example', url: undefined, secrets: undefined };
    expect(await withKeys(SEALING_KEY).addresses.open(name)).toMatchObject(closed);
  });

  it('can still be opened where the app is installed in its workspace later', async () => {
    const { installs, addresses, add } = await stage();
    const name = await add();
    await installs.record(anInstall(ada.workspaceId));
    expect((await addresses.open(name))?.url?.reveal()).toBe(choices.url.href);
  });

  it('can’t be opened in another’s place, nor can its secret', async () => {
    const { database, addresses, add } = await stage();
    const [one, other] = [await add(), await add()];
    await database.write(
      sql`UPDATE webhook_addresses SET (address, secret) = (SELECT address, secret FROM webhook_addresses
          WHERE id = ${one.id}) WHERE id = ${other.id}`,
      // Whoever reads one of them is shown its address, and never its secret.
      sql`UPDATE webhook_addresses SET address = secret WHERE id = ${one.id}`,
    );
    expect(await addresses.open(other)).toMatchObject({ url: undefined, secrets: undefined });
    expect((await addresses.open(one))?.url).toBeUndefined();
  });

  it('is another workspace’s neither to read nor to change, whoever knows its id', async () => {
    const { addresses, add, entry } = await stage();
    const { id } = await add();
    const before = await addresses.list(ada.workspaceId);
    const foreign = { workspaceId: 'T0OTHER0000', id };
    expect(await addresses.one(foreign)).toBeUndefined();
    expect(await addresses.open(foreign)).toBeUndefined();
    expect(await addresses.list(foreign.workspaceId)).toEqual([]);
    const changes = { events: [], filters: choices.filters, hasNames: false };
    const done = [
      await addresses.change(foreign, changes, 1, entry()),
      await addresses.rotate(foreign, createWebhookSecret(), entry()),
      await addresses.resume(foreign, entry()),
      await addresses.remove(foreign, entry()),
    ];
    expect(done).toEqual([false, false, false, false]);
    expect(await addresses.list(ada.workspaceId)).toEqual(before);
  });

  it('is changed and removed by one of two people at once, and there are ten at most', async () => {
    const { addresses, add, entry } = await stage();
    const name = await add();
    const changes = { events: ['watch_link.opened'], filters: choices.filters, hasNames: false };
    const changed = await twice(() => addresses.change(name, changes, 1, entry()));
    expect(changed.toSorted()).toEqual([false, true]);
    expect(await addresses.one(name)).toMatchObject({ ...changes, version: 2 });
    for (let more = 1; more < MOST_ADDRESSES; more += 1) expect((await add()).id).not.toBe('');
    expect((await add()).id).toBe('');
    const removed = await twice(() => addresses.remove(name, entry()));
    expect(removed.toSorted()).toEqual([false, true]);
    expect(await addresses.list(ada.workspaceId)).toHaveLength(MOST_ADDRESSES - 1);
  });
});

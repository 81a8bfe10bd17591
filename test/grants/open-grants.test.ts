import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createOpenGrants } from '../../src/grants/open-grants.ts';
import type { OpenGrant } from '../../src/grants/open-grants.ts';
import { openStorage } from '../../src/storage/open.ts';
import { alexInSupport } from '../deliveries/ended-session.ts';
import { KIM } from '../support/person.ts';
import { temporaryFolder } from '../storage/temporary.ts';

const record = (grantId: string, userId = alexInSupport.userId): OpenGrant => ({
  grant: { ...alexInSupport, grantId, userId },
  agentId: 'agent_alex',
  issuedAt: 1,
  expiresAt: 2,
});

async function openBook(url = 'memory:') {
  const storage = await openStorage(url);
  const store = storage.store('open');
  return { open: createOpenGrants(store), store, storage };
}

const ids = (records: readonly OpenGrant[]) => records.map(({ grant }) => grant.grantId);
const { workspaceId, userId } = alexInSupport;

describe('the links whose end is waited for', () => {
  it('are kept by who was given them, with all that is known', async () => {
    const { open, storage } = await openBook();
    onTestFinished(() => storage.close());
    await open.open(record('a'));
    await open.open(record('k', KIM));
    expect(await open.of(workspaceId, userId)).toEqual([record('a')]);
    expect(await open.of(workspaceId, 'U0ALEX0000')).toEqual([]);
    expect(await open.of('T0OTHER0000', userId)).toEqual([]);
  });

  it('are gone once they are closed, as often as that is done', async () => {
    const { open, storage } = await openBook();
    onTestFinished(() => storage.close());
    await open.open(record('a'));
    await open.open(record('b'));
    await open.close(record('a').grant);
    await open.close(record('a').grant);
    expect(ids(await open.of(workspaceId, userId))).toEqual(['b']);
  });

  it('are all there, a page at a time, however many', async () => {
    const { open, storage } = await openBook();
    onTestFinished(() => storage.close());
    const many = Array.from({ length: 450 }, (_, index) => record(`g${String(index).padStart(3, '0')}`));
    await Promise.all([...many, record('k', KIM)].map((one) => open.open(one)));
    expect(ids(await open.of(workspaceId, userId))).toEqual(ids(many));
    const pages: number[] = [];
    for await (const page of open.all()) pages.push(page.length);
    expect(pages).toEqual([200, 200, 51]);
  });

  it('are there without one that cannot be read', async () => {
    const { open, store, storage } = await openBook();
    onTestFinished(() => storage.close());
    await open.open(record('a'));
    await store.set(`${workspaceId}:${userId}:b`, { grant: 'of an older time' });
    expect(ids(await open.of(workspaceId, userId))).toEqual(['a']);
  });

  it('are there after the process has ended, without a time at which they are forgotten', async () => {
    const url = `sqlite:${join(await temporaryFolder(), 'store.db')}`;
    const first = await openBook(url);
    await first.open.open(record('a'));
    await first.storage.close();
    const storage = await openStorage(url, { now: () => Date.now() + 400 * 24 * 3_600_000 });
    onTestFinished(() => storage.close());
    expect(ids(await createOpenGrants(storage.store('open')).of(workspaceId, userId))).toEqual(['a']);
  });
});

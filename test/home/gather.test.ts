import { describe, expect, it } from 'vitest';
import { CobrowseError } from '../../src/cobrowse/errors.ts';
import { WorkspaceSettings } from '../../src/grants/settings.ts';
import { tools } from '../views/home-content.ts';
import { cobrowse, everything, gatherWith, now, profile, viewer, visitor } from './sources.ts';

const settingsOf = async () => WorkspaceSettings.parse({ mostPower: 'view' });

/** A record of a link, given a minute ago. */
const given = (visitorId: string, end?: { endedAt: number; lengthSeconds?: number }) => ({
  grant: { ...viewer, visitorId, power: 'view' as const, grantId: `g-${visitorId}` },
  issuedAt: now - 60_000,
  ...(end === undefined ? {} : { end: { sessionId: 's', ...end } }),
});

describe('the visitors online now', () => {
  it('are asked for as such, ten of them and a look at whether there are more', async () => {
    const asked: unknown[] = [];
    const many = Array.from({ length: 11 }, (_nothing, index) => visitor(`v${index}`));
    const { gather } = gatherWith(
      {},
      {
        async listVisitors(query) {
          asked.push(query);
          return many;
        },
      },
    );
    const online = (await gather())?.online;
    expect(asked).toEqual([{ search: 'online', limit: 11 }]);
    expect(online).toMatchObject({ had: { hasMore: true, tools } });
    expect(online && 'had' in online ? online.had.visitors.length : 0).toBe(10);
  });

  it('are never one who is offline, whatever a service takes "online" for', async () => {
    const found = [
      visitor('jane'),
      visitor('off', { is_online: false }),
      visitor('odd', { is_online: null }),
    ];
    const { gather } = gatherWith({}, { listVisitors: async () => found });
    expect((await gather())?.online).toMatchObject({
      had: { visitors: [{ short_id: 'jane' }, { short_id: 'odd' }], hasMore: false },
    });
  });
});

describe('the links the viewer was given', () => {
  it('carry the visitors’ names, asked for once each, and the id of one who is gone', async () => {
    const asked: string[] = [];
    const { gather } = gatherWith(
      { linksOf: async () => [given('jane'), given('gone'), given('jane')] },
      {
        async visitor(id) {
          asked.push(id);
          return id === 'gone'
            ? Promise.reject(new CobrowseError('not-found', 'gone'))
            : cobrowse.visitor(id);
        },
      },
    );
    const links = (await gather())?.links.latest;
    expect(links?.map((link) => link.visitor)).toEqual(['Name of jane', 'gone', 'Name of jane']);
    expect(asked).toEqual(['jane', 'gone']);
  });

  it('tell what became of them', async () => {
    const ends = [given('a', { endedAt: now, lengthSeconds: 90 }), given('b', { endedAt: now }), given('c')];
    const { gather } = gatherWith({ linksOf: async () => ends });
    expect((await gather())?.links.latest.map(({ at, power, end }) => ({ at, power, end }))).toEqual([
      { at: new Date(now - 60_000), power: 'view', end: { at: new Date(now), lengthSeconds: 90 } },
      { at: new Date(now - 60_000), power: 'view', end: { at: new Date(now) } },
      { at: new Date(now - 60_000), power: 'view', end: undefined },
    ]);
  });
});

describe('usage', () => {
  it('comes with its picture', async () => {
    const picture = { url: 'https://app.example/charts/t', altText: 'Bar chart.' };
    const { gather } = gatherWith({ pictureOf: () => picture });
    expect((await gather())?.usage).toMatchObject({ had: { picture } });
  });

  it('is left out where the service tells none', async () => {
    const { gather } = gatherWith({}, { offers: { ...everything, usage: false } });
    expect(await gather()).not.toHaveProperty('usage');
  });
});

describe('the settings', () => {
  it('are gathered for admins only', async () => {
    expect(await gatherWith({ settingsOf }).gather()).not.toHaveProperty('settings');
    const isAdmin = { ...profile, isAdmin: true };
    const admin = await gatherWith({ settingsOf, profileOf: async () => isAdmin }).gather();
    expect(admin?.settings).toMatchObject({ mostPower: 'view' });
  });
});

describe('a failure', () => {
  it('of the service becomes words in its own part, and is reported', async () => {
    const failure = new CobrowseError('timed-out', 'too late');
    const { gather, reported } = gatherWith({}, { listVisitors: () => Promise.reject(failure) });
    const content = await gather();
    expect(content?.online).toMatchObject({ failed: { title: 'The service did not answer in time' } });
    expect(content?.you).toHaveProperty('had');
    expect(content?.usage).toHaveProperty('had');
    expect(reported).toEqual([failure]);
  });

  it('of the look-up is one of the viewer’s sessions, too', async () => {
    const { gather } = gatherWith(
      {},
      { lookupAgent: () => Promise.reject(new CobrowseError('busy', '503')) },
    );
    const content = await gather();
    expect(content?.you).toMatchObject({ failed: { title: 'The service is busy' } });
    expect(content?.sessions).toEqual(content?.you);
  });

  it.each(['linksOf', 'visitorTools'] as const)('of our own in %s is not hidden', async (name) => {
    const failure = new Error('the store is gone');
    const { gather } = gatherWith({ [name]: () => Promise.reject(failure) });
    await expect(gather()).rejects.toBe(failure);
  });
});

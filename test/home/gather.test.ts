import { describe, expect, it } from 'vitest';
import { CobrowseError } from '../../src/cobrowse/errors.ts';
import { RightUnknownError } from '../../src/grants/acts.ts';
import type { Fate } from '../../src/grants/fate.ts';
import type { HomeContent } from '../../src/views/home.ts';
import { tools } from '../views/home-content.ts';
import {
  agent,
  cobrowse,
  everything,
  gatherWith,
  now,
  profile,
  settingsWith,
  viewer,
  visitor,
} from './sources.ts';

const settingsOf = async () => settingsWith({ mostPower: 'view' });

/** A record of a link, given a minute ago. */
const given = (visitorId: string, fate?: Fate) => ({
  grant: { ...viewer, visitorId, power: 'view' as const, grantId: `g-${visitorId}` },
  issuedAt: now - 60_000,
  ...(fate === undefined ? {} : { fate }),
});

const failing = () => Promise.reject(new Error('asked all the same'));

describe('what a viewer may see', () => {
  it.each(['external', 'guest', 'bot', 'deactivated'] as const)(
    'is nothing where they are %s: nothing is asked of the service, and the refusal is written down',
    async (why) => {
      const { refusal, audit } = gatherWith(
        { mayAct: async () => ({ allowed: false, why }), linksOf: failing, visitorTools: failing },
        { listVisitors: failing, lookupAgent: failing, usage: failing },
      );
      expect(await refusal()).toBe(why);
      expect(audit).toEqual([{ ...viewer, action: 'refusal', outcome: why, detail: { act: 'watch' } }]);
    },
  );

  it('is who is online, without Watch, for a member who may not watch', async () => {
    const { gather, audit } = gatherWith(
      { mayAct: async () => ({ allowed: false, why: 'not-named' }) },
      { listVisitors: async () => [visitor('jane')] },
    );
    const { online, usage } = await gather();
    expect(audit).toMatchObject([{ action: 'search', outcome: 'done', visitorId: 'jane' }]);
    expect(online).toMatchObject({ had: { visitors: [{}], tools: { mayNotWatch: 'not-named' } } });
    expect(usage).toBeUndefined();
  });

  it('is no usage for who may watch alone', async () => {
    const { gather } = gatherWith(
      { mayAct: async (act) => (act === 'usage' ? { allowed: false, why: 'not-named' } : { allowed: true }) },
      { usage: failing },
    );
    expect(await gather()).not.toHaveProperty('usage');
  });

  it('is no customer, in links and sessions of their own either, and no usage where Slack cannot be asked', async () => {
    const unknown = new RightUnknownError(new Error('down'));
    const { gather, reported, audit } = gatherWith(
      { mayAct: () => Promise.reject(unknown), linksOf: failing },
      { listVisitors: failing, usage: failing, lookupAgent: async () => agent('a', '2026-03-04T09:00:00Z') },
    );
    const { you, online, links, sessions, usage } = await gather();
    expect(you).toHaveProperty('had');
    for (const part of [online, links, sessions, usage])
      expect(part).toMatchObject({ failed: { title: 'Not checked' } });
    expect(reported).toEqual([unknown, unknown]);
    const refusal = { ...viewer, action: 'refusal', outcome: 'unchecked' };
    expect(audit).toEqual([
      { ...refusal, detail: { act: 'watch' } },
      { ...refusal, detail: { act: 'usage' } },
    ]);
  });
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

function latestIn({ links }: HomeContent) {
  if ('failed' in links) throw new Error(links.failed.text);
  return links.had.latest;
}

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
    const links = latestIn(await gather());
    expect(links.map((link) => link.visitor)).toEqual(['Name of jane', 'gone', 'Name of jane']);
    expect(asked).toEqual(['jane', 'gone']);
  });

  it('tell what became of them', async () => {
    const ends = [
      given('a', { sessionId: 's', endedAt: now, lengthSeconds: 90 }),
      given('b', { sessionId: 's', endedAt: now }),
      given('c', { concluded: 'unused', at: now }),
      given('d', { concluded: 'unknown', at: now }),
      given('e'),
    ];
    const { gather } = gatherWith({ linksOf: async () => ends });
    const same = { at: new Date(now - 60_000), power: 'view' };
    expect(latestIn(await gather())).toEqual([
      { visitor: 'Name of a', ...same, end: { at: new Date(now), lengthSeconds: 90 } },
      { visitor: 'Name of b', ...same, end: { at: new Date(now) } },
      { visitor: 'Name of c', ...same, concluded: 'unused' },
      { visitor: 'Name of d', ...same, concluded: 'unknown' },
      { visitor: 'Name of e', ...same },
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

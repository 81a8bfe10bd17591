import { describe, expect, it } from 'vitest';
import type { CobrowseClient } from '../../src/cobrowse/client.ts';
import { defaultWireNames } from '../../src/cobrowse/wire-names.ts';
import { connect, install, rejection, serve } from './stage.ts';

const jane = { short_id: 'jane', identities: ['Jane'], is_online: true };
const noah = { short_id: 'noah', identities: ['Noah'], is_online: false };
const shop = { short_id: 'shop', identities: ['Online Shop GmbH'], is_online: true };
type Sent = Readonly<Record<string, unknown>>;

const HOUR_MS = 60 * 60 * 1_000 + 1;

/** What a service answers: a status, or the visitors of its list. */
type Answer = number | readonly Sent[];
/** By the search text, the limit if one is sent, and the path. */
type Lists = (search: string, limit: string | undefined, path: string) => Answer;

const fits = (word: string) => (visitor: Sent) =>
  JSON.stringify(visitor['identities']).toLowerCase().includes(word);

/** A service that knows the words of the vendor's page. */
const understanding =
  (...all: readonly Sent[]): Lists =>
  (search) =>
    search === 'online' || search === '-online'
      ? all.filter(({ is_online }) => is_online === (search === 'online'))
      : all.filter(fits(search));
/** A service that takes any word for a name. */
const searchingNames =
  (...all: readonly Sent[]): Lists =>
  (search) =>
    all.filter(fits(search.replace(/^-/, '')));

/** A service that lists so, before the client that is made for it. */
async function before<Client extends Pick<CobrowseClient, 'listVisitors' | 'understands'>>(
  lists: Lists,
  clientOf: (url: string, now: () => Date) => Client,
) {
  let answer = lists;
  let time = 1;
  let seen = 0;
  const { url, requests } = await serve((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://service');
    const search = searchParams.get('search') ?? '';
    const answered = answer(search, searchParams.get('max_results') ?? undefined, pathname);
    if (typeof answered === 'number') response.writeHead(answered).end('<html>');
    else response.end(JSON.stringify({ status: 'ok', visitors: answered }));
  });
  const client = clientOf(url, () => new Date(time));
  return {
    client,
    later: (ms: number) => void (time += ms),
    becomes: (next: Lists) => void (answer = next),
    /** What was asked since the last time. */
    asked: () => {
      const lines = requests.slice(seen);
      seen += lines.length;
      return lines.map((line) => line.replace(/^GET (?:\/v1\.3|\/api)/, ''));
    },
    ids: async (online: boolean, search = '', limit = 10) => {
      const found = await client.listVisitors({ online, limit, search });
      return found.map(({ short_id }) => short_id);
    },
  };
}

const ONLINE = '/list?search=online&max_results=10';
const LATEST = '/list?max_results=1000';

const cloud = (lists: Lists, wireNames = defaultWireNames) =>
  before(lists, (url, now) => connect(url, { wireNames, now }));

describe('who is online, by a service that knows the word for it', () => {
  it('is asked for once, also where it’s nobody, once the word was seen to work', async () => {
    const { ids, asked, client, becomes } = await cloud(understanding(jane, noah));
    expect(await ids(true)).toEqual(['jane']);
    expect(await ids(false)).toEqual(['noah']);
    expect(asked()).toEqual([ONLINE, '/list?search=-online&max_results=10']);
    expect([client.understands('searchOnline'), client.understands('searchOffline')]).toEqual([true, true]);
    becomes(understanding(noah));
    expect(await ids(true)).toEqual([]);
    expect(asked()).toEqual([ONLINE]);
  });

  it('is nobody only after a second question as long as that isn’t known', async () => {
    const { ids, asked, client } = await cloud(understanding(noah));
    expect(await ids(true)).toEqual([]);
    expect(asked()).toEqual([ONLINE, LATEST]);
    expect(client.understands('searchOnline')).toBeUndefined();
  });

  it('isn’t asked for beside other words, which the service may not know together', async () => {
    const { ids, asked } = await cloud(understanding(jane, noah));
    expect([await ids(true, 'jane'), await ids(false, 'jane')]).toEqual([['jane'], []]);
    expect(new Set(asked())).toEqual(new Set(['/list?search=jane&max_results=1000']));
  });
});

describe('who is online, by a service that doesn’t know the word for it', () => {
  it('is looked for among the latest, and the word is asked again after an hour', async () => {
    const { ids, asked, client, later, becomes } = await cloud(searchingNames(jane, noah));
    expect([await ids(true), client.understands('searchOnline')]).toEqual([['jane'], false]);
    expect(await ids(true)).toEqual(['jane']);
    expect(asked()).toEqual([ONLINE, LATEST, LATEST]);
    becomes(understanding(jane, noah));
    later(HOUR_MS);
    expect(await ids(true)).toEqual(['jane']);
    expect(asked()).toEqual([ONLINE]);
    expect(client.understands('searchOnline')).toBe(true);
  });

  it.each([
    ['finds everyone', () => [shop, jane, noah]],
    ['finds who is called so', (search: string) => (search === '' ? [shop, jane, noah] : [shop])],
    ['refuses it', (search: string) => (search === '' ? [shop, jane, noah] : 422)],
  ] satisfies [string, Lists][])('includes everyone where it %s', async (_how, lists) => {
    const { ids, client } = await cloud(lists);
    expect(await ids(true)).toEqual(['shop', 'jane']);
    expect(client.understands('searchOnline')).toBe(false);
    expect(await ids(true, '', 1)).toEqual(['shop']);
    expect(await ids(false)).toEqual(['noah']);
  });

  it('isn’t anybody’s guess where no visitor says so, and nobody where there is none', async () => {
    const { ids, becomes } = await cloud(understanding({ short_id: 'a', identities: ['A'] }));
    expect(await rejection(ids(true))).toMatchObject({ kind: 'not-understood', code: 'presence-unknown' });
    becomes(understanding());
    expect(await ids(true)).toEqual([]);
  });
});

describe('the limit of a list', () => {
  it.each([400, 422])('is left out once the service refused it with %i', async (status) => {
    const withoutLimit: Lists = (_, limit) => (limit === undefined ? [jane, noah] : status);
    const { client, asked, later, becomes } = await cloud(withoutLimit);
    expect(await client.listVisitors({ limit: 1 })).toMatchObject([{ short_id: 'jane' }]);
    await client.listVisitors({ search: 'ja', limit: 1 });
    expect(asked()).toEqual(['/list?max_results=1', '/list', '/list?search=ja']);
    expect(client.understands('listLimit')).toBe(false);
    becomes(understanding(jane, noah));
    later(HOUR_MS);
    await client.listVisitors({ limit: 1 });
    expect(asked()).toEqual(['/list?max_results=1']);
    expect(client.understands('listLimit')).toBeUndefined();
  });

  it.each([401, 402, 404, 500])('isn’t left out after %i', async (status) => {
    const { client, asked } = await cloud(() => status);
    await rejection(client.listVisitors({ limit: 5 }));
    expect(asked()).toEqual(['/list?max_results=5']);
  });

  it('is never sent where its name is empty, and nothing is searched without one for the text', async () => {
    const names = { ...defaultWireNames, listLimit: '', listSearch: '' };
    const { client, asked } = await cloud(understanding(jane), names);
    await client.listVisitors({ limit: 5 });
    const { kind } = await rejection(client.listVisitors({ search: 'jane', limit: 5 }));
    expect([asked(), kind]).toEqual([['/list'], 'not-offered']);
  });
});

/** By what an installation answers to each of its lists. */
const listing =
  (latest: Answer, found: Answer): Lists =>
  (_search, _limit, path) =>
    path.endsWith('/latest') ? latest : found;
const installation = (...answers: Parameters<typeof listing>) =>
  before(listing(...answers), (url, now) => install(url, { now }));

describe('who is online at an installation', () => {
  const [latest, search] = ['/visitors/list/latest', '/visitors/list/search'];

  it('is its list of them where it has MongoDB, unless a visitor says otherwise', async () => {
    const { ids, asked } = await installation([jane, { short_id: 'kim' }, noah], []);
    expect(await ids(true)).toEqual(['jane', 'kim']);
    expect(asked()).toEqual([latest]);
  });

  it.each([400, 404, 500, 501])('is among the latest where that list answers %i', async (status) => {
    const { ids, asked, client, later, becomes } = await installation(status, [noah, jane]);
    for (const _time of [1, 2]) expect(await ids(true)).toEqual(['jane']);
    expect(asked()).toEqual([latest, search, search]);
    expect(client.understands('listLatest')).toBe(false);
    becomes(listing([jane], []));
    later(HOUR_MS);
    expect(await ids(true)).toEqual(['jane']);
    expect(asked()).toEqual([latest]);
  });

  it('is among the latest where that list is empty without being true', async () => {
    const { ids, asked, becomes } = await installation([], [{ short_id: 'kim' }]);
    expect(await ids(true)).toEqual([]);
    becomes(listing([], [noah, jane]));
    asked();
    for (const _time of [1, 2]) expect(await ids(true)).toEqual(['jane']);
    expect(asked()).toEqual([latest, search, search]);
  });

  it.each([
    [401, 'refused-key'],
    [402, 'not-in-plan'],
  ])('isn’t looked for elsewhere after %i', async (status, kind) => {
    const { ids, asked } = await installation(status, [jane]);
    expect(await rejection(ids(true))).toMatchObject({ kind, status });
    expect(asked()).toEqual([latest]);
  });
});

import { describe, expect, it } from 'vitest';
import { CobrowseError } from '../../src/cobrowse/errors.ts';
import { everything, gatherWith, now, viewer, visitor } from './sources.ts';

const noUsage = { offers: { ...everything, usage: false } };

/** Shows a Home again and again, each with these visitors, and gives the records of it. */
async function recordsOf(...homes: readonly { readonly ids: readonly string[]; readonly atMs: number }[]) {
  let next = 0;
  const { gather, audit } = gatherWith(
    { now: () => now + (homes[next]?.atMs ?? 0) },
    { ...noUsage, listVisitors: async () => (homes[next]?.ids ?? []).map((id) => visitor(id)) },
  );
  for (next = 0; next < homes.length; next += 1) await gather();
  return audit;
}

describe('the record of the visitors online', () => {
  it('is that of a search for those who are online: how many were shown, and who, where it is one', async () => {
    const many = Array.from({ length: 11 }, (_nothing, index) => `v${index}`);
    const search = { ...viewer, action: 'search', outcome: 'done' };
    expect(await recordsOf({ ids: many, atMs: 0 })).toEqual([
      { ...search, detail: { query: '#online', found: 6 } },
    ]);
    expect(await recordsOf({ ids: ['jane'], atMs: 0 })).toEqual([
      { ...search, visitorId: 'jane', detail: { query: '#online', found: 1 } },
    ]);
  });

  it('is one for the same visitors, in whatever order, within ten minutes', async () => {
    const minute = 60_000;
    const same = await recordsOf({ ids: ['a', 'b'], atMs: 0 }, { ids: ['b', 'a'], atMs: 10 * minute - 1 });
    expect(same).toHaveLength(1);
    const homes = [0, 9, 10, 19, 20].map((minutes) => ({ ids: ['a', 'b'], atMs: minutes * minute }));
    expect(await recordsOf(...homes)).toHaveLength(3);
  });

  it('is another one for other visitors, and for another viewer', async () => {
    const written = await recordsOf(
      { ids: ['a'], atMs: 0 },
      { ids: ['b'], atMs: 1 },
      { ids: ['a'], atMs: 2 },
    );
    expect(written.map(({ visitorId }) => visitorId)).toEqual(['a', 'b', 'a']);
    const { gather, audit } = gatherWith({}, { ...noUsage, listVisitors: async () => [visitor('jane')] });
    const others = [
      { ...viewer, userId: 'U2' },
      { ...viewer, workspaceId: 'T2' },
    ];
    for (const one of [viewer, ...others, viewer]) await gather(one);
    expect(audit).toMatchObject([viewer, ...others]);
  });

  it('is missing where the service told of nobody', async () => {
    const failure = new CobrowseError('timed-out', 'too late');
    const { gather, audit } = gatherWith({}, { ...noUsage, listVisitors: () => Promise.reject(failure) });
    await gather();
    expect(audit).toEqual([]);
  });
});

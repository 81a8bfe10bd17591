import { describe, expect, it } from 'vitest';
import { createAdminDeliveries } from '../../src/admin/undelivered.ts';
import { sql } from '../../src/database/database.ts';
import { troubleOf } from '../../src/outbox/trouble.ts';

const ada = { workspaceId: 'T1', userId: 'U1' };
const archived = { trouble: troubleOf({ reason: 'is_archived' }), state: 'failed', failedAt: 5 } as const;

type Parts = Parameters<typeof createAdminDeliveries>[0];

/** Where nothing is in trouble, but for the changes. */
const deliveriesWith = ({
  overview,
  ...changes
}: Partial<Omit<Parts, 'overview'>> & { readonly overview?: Partial<Parts['overview']> }) => ({
  deliveries: createAdminDeliveries({
    overview: {
      list: async () => ({ entries: [], more: 0 }),
      waiting: async () => 0,
      oldest: async () => undefined,
      ...overview,
    },
    retryAndDrop: { retry: async () => 'retried', drop: async () => 'dropped' },
    canSee: async () => true,
    nameOf: async () => undefined,
    prepare: () => ({ statement: sql``, report: () => undefined }),
    now: () => 100_000,
    ...changes,
  }),
});

describe('what an admin is shown of summaries', () => {
  it('names the visitor and the agent of each, and asks for each visitor once', async () => {
    const asked: string[] = [];
    const { deliveries } = deliveriesWith({
      overview: {
        list: async () => ({
          entries: ['jane', 'gone', 'jane', ''].map((visitorId, index) => ({
            ...archived,
            id: `T1:${index}`,
            to: 'C1',
            ...(visitorId === '' ? {} : { about: { visitorId, userId: 'U7' } }),
          })),
          more: 0,
        }),
      },
      async nameOf(_workspaceId, visitorId) {
        asked.push(visitorId);
        return visitorId === 'gone' ? undefined : 'Jane Cooper';
      },
    });
    const { troubled } = await deliveries.of(ada);
    expect(troubled.map(({ about }) => about)).toEqual([
      { visitor: 'Jane Cooper', userId: 'U7' },
      { visitor: 'visitor gone', userId: 'U7' },
      { visitor: 'Jane Cooper', userId: 'U7' },
      undefined,
    ]);
    expect(asked).toEqual(['jane', 'gone']);
  });

  it('names channels that they may know of, and no other', async () => {
    const { deliveries } = deliveriesWith({
      overview: {
        list: async () => ({
          entries: ['C1', 'C2', 'C3', 'U9', ''].map((to, index) => ({ ...archived, id: `T1:${index}`, to })),
          more: 3,
        }),
      },
      canSee: async (viewer, channelId) => viewer.userId === 'U1' && channelId === 'C1',
    });
    const { troubled, more } = await deliveries.of(ada);
    expect(troubled.map(({ place }) => place)).toEqual([
      { is: 'channel', channelId: 'C1' },
      { is: 'private-channel' },
      { is: 'private-channel' },
      { is: 'person', userId: 'U9' },
      { is: 'unknown' },
    ]);
    expect(more).toBe(3);
  });

  it.each([
    [40_000, false],
    [39_999, true],
  ])('calls the oldest late past a minute: since %i', async (since, isLate) => {
    const { deliveries } = deliveriesWith({
      overview: { waiting: async () => 7, oldest: async () => ({ id: 'd1', since, isInTurn: true }) },
    });
    expect(await deliveries.of(ada)).toMatchObject({ waiting: 7, oldest: { isLate, isInTurn: true } });
  });
});

/** The pages of so many summaries in trouble. */
function openPages(given: number) {
  let count = given;
  const { deliveries } = deliveriesWith({
    overview: {
      async list(_workspaceId, limit) {
        const all = Array.from({ length: count }, (_, index) => ({
          ...archived,
          id: `T1:${index}`,
          to: 'C1',
        }));
        return { entries: all.slice(0, limit), more: Math.max(0, count - limit) };
      },
    },
  });
  const shown = async (viewer = ada) => {
    const { troubled, before, more } = await deliveries.of(viewer);
    return [before, troubled[0]?.id, troubled.length, more];
  };
  return { deliveries, shown, leave: (left: number) => void (count = left) };
}

describe('the pages of summaries in trouble', () => {
  it('are turned by each reader alone, and stay turned', async () => {
    const { deliveries, shown } = openPages(25);
    expect(await shown()).toEqual([0, 'T1:0', 10, 15]);
    deliveries.turn(ada, '20');
    expect(await shown()).toEqual([20, 'T1:20', 5, 0]);
    expect(await shown()).toEqual([20, 'T1:20', 5, 0]);
    expect(await shown({ ...ada, userId: 'U2' })).toEqual([0, 'T1:0', 10, 15]);
    deliveries.turn(ada, '0');
    expect(await shown()).toEqual([0, 'T1:0', 10, 15]);
  });

  it('end with the last one there is, when others are gone meanwhile', async () => {
    const { deliveries, shown, leave } = openPages(25);
    deliveries.turn(ada, '20');
    leave(20);
    expect(await shown()).toEqual([10, 'T1:10', 10, 0]);
    leave(0);
    expect(await shown()).toEqual([0, undefined, 0, 0]);
  });

  it.each(['', 'x', '-10', '7', '1e9', '10000000'])('are not turned by %j', async (value) => {
    const { deliveries, shown } = openPages(25);
    deliveries.turn(ada, '10');
    deliveries.turn(ada, value);
    expect((await shown())[0]).toBe(10);
  });
});

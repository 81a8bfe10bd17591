import { describe, expect, it } from 'vitest';
import { createAdminDeliveries } from '../../src/admin/undelivered.ts';
import type { DeliveriesNow, ShownDelivery } from '../../src/admin/undelivered.ts';
import { sql } from '../../src/database/database.ts';
import { troubleWords } from '../../src/messages/delivery-words.ts';
import { spokenLine } from '../../src/messages/text.ts';
import { troubleOf } from '../../src/outbox/trouble.ts';
import {
  fortnight,
  full,
  headings,
  jane,
  labels,
  picture,
  problemsOf,
  tools,
  usage,
  words,
} from '../home/home-content.ts';
import type { SettingsNow } from '../../src/workspaces/settings.ts';
import { buttonsIn } from '../support/person.ts';

const at = new Date('2026-03-04T09:58:00Z');
const failed = (code: string, fields: Partial<ShownDelivery> = {}): ShownDelivery => ({
  id: `T1:${code}`,
  place: { is: 'channel', channelId: 'C0SALES0002' },
  about: { visitor: 'Jane Cooper', userId: 'U0ALEX00001' },
  trouble: troubleOf({ reason: code }),
  state: { is: 'failed', at },
  ...fields,
});
const nobody = { members: false, ids: [] };
const rules = { watch: nobody, stop: nobody, delete: nobody, usage: nobody };
const now = (fields: Partial<DeliveriesNow>): DeliveriesNow => ({
  waiting: 0,
  troubled: [],
  before: 0,
  more: 0,
  ...fields,
});

/** A page of one, of so many before and after it. */
const page = (before: number, more: number) =>
  full({ deliveries: now({ troubled: [failed('is_archived')], before, more }) });

describe('the Home’s part about summaries', () => {
  it('says how many wait, since when, and whether something is wrong', () => {
    const oldest = { since: at, isLate: false, isInTurn: true };
    const shown = (fields: Partial<typeof oldest>) =>
      words(full({ deliveries: now({ waiting: 1_204, oldest: { ...oldest, ...fields } }) }));
    expect(shown({})).toContain('1,204 summaries waiting. Oldest:');
    expect(shown({})).not.toContain('minute');
    expect(shown({ isLate: true })).toContain('Slack accepts about one message a second per channel');
    expect(shown({ isLate: true, isInTurn: false })).toContain(
      'more than a minute ago: something is holding it up',
    );
  });

  it('shows each in trouble with where, why, what to do, Retry and Discard', () => {
    const waits: ShownDelivery = {
      ...failed('http_503'),
      state: { is: 'waiting', since: at, attempts: 3, nextAt: at },
      place: { is: 'person', userId: 'U0ALEX00001' },
    };
    const view = full({
      deliveries: now({ waiting: 1, troubled: [waits, failed('is_archived')], more: 12 }),
    });
    const shown = words(view);
    expect(shown).toContain(
      '1. Waiting: Jane Cooper’s session with <@U0ALEX00001>, for a direct message to <@U0ALEX00001> · Tried 3 times · Since: ',
    );
    expect(shown).toContain(' · Next try: ');
    expect(shown).toContain('Slack is having problems (http_503)');
    expect(shown).toContain('2. Couldn’t deliver: Jane Cooper’s session with <@U0ALEX00001>, for ');
    expect(shown).toContain('That channel is archived. Unarchive it and press Retry, or press Discard.');
    expect(shown).not.toContain('watch from');
    expect(shown).toContain('And 12 more.');
    expect(labels(view)).toEqual([
      'Start co-browsing',
      'Refresh',
      'Retry',
      'Discard',
      'Retry',
      'Discard',
      'Next',
      'Sessions that ended',
    ]);
    expect(problemsOf(view)).toEqual([]);
  });

  it('leads to the pages before and after, and counts on', () => {
    const shown = (before: number, more: number) => words(page(before, more));
    expect(shown(10, 1_200)).toContain('11. Couldn’t deliver: ');
    expect(shown(10, 1_200)).toContain('And 10 before these, 1,200 after.');
    expect(shown(10, 0)).toContain('And 10 before these.');
    expect(labels(page(10, 1_200)).slice(-3, -1)).toEqual(['Previous', 'Next']);
    expect(labels(page(10, 0)).at(-2)).toBe('Previous');
    expect(labels(page(0, 0)).at(-2)).toBe('Discard');
    const values = buttonsIn(page(20, 9).blocks).map(({ value }) => value);
    expect(values.slice(-3, -1)).toEqual(['10', '30']);
    expect(problemsOf(page(20, 9))).toEqual([]);
  });

  it('comes before the customers where something is in trouble, and else after them', () => {
    const troubled = now({ troubled: [failed('is_archived')] });
    expect(headings(full({ deliveries: troubled }))[1]).toBe('Summaries');
    expect(headings(full({ deliveries: now({}) })).at(-1)).toBe('Summaries');
  });

  it('keeps all of the Home within Slack’s limits, with hostile ids and codes', () => {
    const troubled = Array.from({ length: 10 }, (_, index) =>
      failed(`${'<!channel>'.repeat(20)}${index}`, { id: `T1:${'s'.repeat(index * 500)}` }),
    );
    const [busy, others] = [[jane, jane, jane], Array.from({ length: 7 }, () => jane)];
    const settings: SettingsNow = {
      maxAccess: 'full',
      defaultAccess: 'full',
      channelAccess: {},
      ticketPrefixes: [],
      rules,
    };
    const view = full({
      online: { had: { busy, others, hasMore: true, tools } },
      started: { had: { days: fortnight(3), picture } },
      usage: { had: usage },
      deliveries: now({ troubled, before: 10, more: 5_000 }),
      settings,
    });
    expect(problemsOf(view)).toEqual([]);
    // Nothing is cut off: what stands last is there.
    expect(labels(view)).toContain('Settings');
    expect(view.blocks.length).toBeLessThan(90);
    // One whose id is too long for a button has none.
    expect(labels(view).filter((label) => label === 'Retry').length).toBeLessThan(10);
  });
});

/** Every row of the table of failures seen in apps of this kind, and of Slack's own that matter here. */
const ROWS: Readonly<Record<string, string>> = {
  channel_not_found: '/invite @Co-browse',
  not_in_channel: '/invite @Co-browse',
  is_archived: 'Unarchive it',
  restricted_action: 'Ask a workspace admin',
  account_inactive: 'reinstall the app',
  ratelimited: 'retries automatically',
  msg_too_long: 'even in its short form',
  missing_scope: 'missing the scope chat:write',
  cannot_dm_bot: 'They may have left',
  no_answer: 'checks whether the summary arrived',
  http_502: 'retries automatically',
  filter_unknown: 'It keeps checking. If this keeps happening, run /cobrowse doctor.',
  record_unreadable: 'Restore the database from a backup, or discard',
  some_new_code: 'Slack answered some_new_code. Tell your admin.',
};

describe('why a summary is not where it belongs', () => {
  it.each(Object.entries(ROWS))('%s: says what to do', (reason, next) => {
    expect(spokenLine(troubleWords(troubleOf({ reason }), false))).toContain(next);
  });

  it.each(['is_archived', 'not_in_channel', 'restricted_action', 'cannot_dm_bot'])(
    '%s: tells an admin what an admin can do, and to press nothing that brings them no summary',
    (reason) => {
      const told = spokenLine(troubleWords(troubleOf({ reason }), true, 'admin'));
      expect(told).toContain('Retry');
      expect(told).not.toContain('Watch');
      expect(told).not.toContain('next summary');
    },
  );

  it('names the scope that Slack names', () => {
    const trouble = troubleOf({ reason: 'missing_scope', neededScope: 'chat:write.public' });
    expect(spokenLine(troubleWords(trouble, true))).toContain('missing the scope chat:write.public');
  });

  it('says so where a filter could not be asked for three days', () => {
    expect(spokenLine(troubleWords(troubleOf({ reason: 'filter_unknown' }), true))).toBe(
      'For three days, the app couldn’t check whether the subscription wants this summary. ' +
        'Run /cobrowse doctor, then press Retry.',
    );
  });

  it.each(['ratelimited', 'http_503', 'no_answer'])('%s: promises nothing more once it is over', (reason) => {
    const told = spokenLine(troubleWords(troubleOf({ reason }), true));
    expect(told).toContain(`The app tried for three days. Slack answered ${reason}.`);
    expect(told).not.toMatch(/retries automatically|tries again/);
  });
});

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

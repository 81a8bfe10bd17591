import { describe, expect, it } from 'vitest';
import {
  createAdminDeliveries,
  type DeliveriesNow,
  type DeliverySources,
  type ShownDelivery,
} from '../../src/admin/undelivered.ts';
import { sql } from '../../src/database/database.ts';
import { troubleWords } from '../../src/messages/delivery-words.ts';
import { troubleOf, type Oldest, type TroubledDelivery } from '../../src/outbox/overview.ts';
import { channel, say, spokenLine, user } from '../../src/messages/text.ts';
import { headings, labels, problemsOf, words } from '../home/home-content.ts';
import { adminsHome, visitor as customer } from '../home/sources.ts';
import { buttonsIn } from '../support/person.ts';

const at = new Date('2026-03-04T09:58:00Z');
const about = { visitorId: 'jane', userId: 'U0ALEX00001' };
const entryOf = (code: string, id = `T1:${code}`) => ({
  id,
  to: '',
  about,
  trouble: troubleOf({ reason: code }),
});
const failed = (code: string, id?: string): ShownDelivery => ({
  entry: { ...entryOf(code, id), state: 'failed', failedAt: at.getTime() },
  place: { words: say`for ${channel('C0SALES0002')}`, channelId: 'C0SALES0002' },
  visitor: 'Jane Cooper',
});

/** A Home with these summaries: one in trouble, but for the changes. */
const homeWith = (
  deliveries: Partial<DeliveriesNow>,
  ...[changes, service]: Partial<Parameters<typeof adminsHome>>
) =>
  adminsHome(
    {
      deliveries: { waiting: 0, troubled: [failed('is_archived')], before: 0, more: 0, ...deliveries },
      ...changes,
    },
    service,
  );

describe('the Home’s part about summaries', () => {
  it('says how many wait, since when, and whether something is wrong', async () => {
    const oldest = { since: at, isLate: false, isInTurn: true };
    const shown = async (fields: Partial<typeof oldest>) =>
      words(await homeWith({ waiting: 1_204, troubled: [], oldest: { ...oldest, ...fields } }));
    expect(await shown({})).toContain('1,204 summaries waiting. Oldest:');
    expect(await shown({})).not.toContain('minute');
    expect(await shown({ isLate: true })).toContain('Slack accepts about one message a second per channel');
    expect(await shown({ isLate: true, isInTurn: false })).toContain('something is holding it up');
  });

  it('shows each in trouble with where, why, what to do, Retry and Discard', async () => {
    const waits: ShownDelivery = {
      entry: {
        ...entryOf('http_503'),
        state: 'waiting',
        acceptedAt: at.getTime(),
        attempts: 3,
        nextAt: at.getTime(),
      },
      place: { words: say`for a direct message to ${user('U0ALEX00001')}` },
      visitor: 'Jane Cooper',
    };
    const view = await homeWith({ waiting: 1, troubled: [waits, failed('is_archived')] });
    for (const part of [
      '1. Waiting: Jane Cooper’s session with <@U0ALEX00001>, for a direct message to <@U0ALEX00001> · Tried 3 times · Since: ',
      ' · Next try: ',
      'Slack is having problems (http_503)',
      '2. Couldn’t deliver: Jane Cooper’s session with <@U0ALEX00001>, for ',
      'That channel is archived. Unarchive it and press Retry, or press Discard.',
    ])
      expect(words(view)).toContain(part);
    expect(labels(view).slice(2, 6)).toEqual(['Retry', 'Discard', 'Retry', 'Discard']);
    expect(problemsOf(view)).toEqual([]);
  });

  it.each([
    [0, 1_200, '1. Couldn’t deliver: ', 'And 1,200 more.', { Next: '10' }],
    [
      20,
      1_200,
      '21. Couldn’t deliver: ',
      'And 20 before these, 1,200 after.',
      { Previous: '10', Next: '30' },
    ],
    [10, 0, '11. Couldn’t deliver: ', 'And 10 before these.', { Previous: '0' }],
    [0, 0, '1. Couldn’t deliver: ', 'Unarchive it', {}],
  ])(
    'leads from a page with %i before and %i after it to the next ones',
    async (before, more, first, rest, to) => {
      const view = await homeWith({ before, more });
      expect(words(view)).toContain(first);
      expect(words(view)).toContain(rest);
      const turns = buttonsIn(view.blocks).filter(({ text }) => /^(?:Previous|Next)$/.test(text.text));
      expect(Object.fromEntries(turns.map(({ text, value }) => [text.text, value]))).toEqual(to);
      expect(problemsOf(view)).toEqual([]);
    },
  );

  it('comes before the customers where something is in trouble, and else after them', async () => {
    expect(headings(await homeWith({}))[1]).toBe('Summaries');
    expect(headings(await homeWith({ troubled: [] })).at(-1)).toBe('Summaries');
  });

  it('keeps all of the Home within Slack’s limits, with hostile ids and codes', async () => {
    const troubled = Array.from({ length: 10 }, (_, index) =>
      failed(`${'<!channel>'.repeat(20)}${index}`, `T1:${'s'.repeat(index * 500)}`),
    );
    const all = Array.from({ length: 10 }, (_, index) => customer(`v${index}`, { is_in_session: index < 3 }));
    const view = await homeWith(
      { troubled, before: 10, more: 5_000 },
      { usedPerDay: async () => Array.from({ length: 14 }, () => ({ used: 3, notAccepted: 1 })) },
      { listVisitors: async () => all },
    );
    expect(problemsOf(view)).toEqual([]);
    // Nothing is cut off: what stands last is there.
    expect(labels(view)).toContain('Settings');
    expect(view.blocks.length).toBeLessThan(90);
    // One whose id is too long for a button has none.
    expect(labels(view).filter((label) => label === 'Retry').length).toBeLessThan(10);
  });
});

/** What an agent and an admin are told while it waits, and an admin once it is over. */
const saidOf = (reason: string, neededScope?: string) => {
  const trouble = troubleOf({ reason, neededScope });
  return [
    troubleWords(trouble, false),
    troubleWords(trouble, false, 'admin'),
    troubleWords(trouble, true, 'admin'),
  ].map(spokenLine);
};

const SLOWED = 'retries automatically';
const RESTORED = 'Restore the database from a backup, or discard';

describe('why a summary is not where it belongs', () => {
  // Every row of the table of failures seen in apps of this kind, and of Slack's own that matter here.
  it.each([
    ['channel_not_found', '/invite @Co-browse', 'there, then press Retry', 'then press Retry'],
    ['is_archived', 'Unarchive it, or watch', 'Unarchive it and press Retry', 'press Retry'],
    ['restricted_action', 'Ask a workspace admin', 'Allow the app to post there', 'press Retry'],
    ['account_inactive', 'Ask your admin to reinstall', 'Reinstall the app', 'Reinstall the app'],
    ['ratelimited', SLOWED, SLOWED, 'The app tried for three days. Slack answered ratelimited.'],
    ['msg_too_long', 'even in its short form', 'Check the app’s log', 'Check the app’s log'],
    ['missing_scope', 'the scope chat:write.', 'Install the app again', 'Install the app again'],
    [
      'no_answer',
      'checks whether the summary arrived',
      'arrived',
      'for three days. Slack answered no_answer.',
    ],
    [
      'filter_unknown',
      'It keeps checking. If this keeps happening, run /cobrowse doctor.',
      'It keeps checking.',
      'For three days, the app couldn’t check whether the subscription wants this summary. Run /cobrowse doctor, then press Retry.',
    ],
    ['record_unreadable', RESTORED, RESTORED, RESTORED],
    [
      'some_new_code',
      'Slack answered some_new_code. The app keeps trying for a day.',
      'The app keeps trying for a day.',
      'Slack answered some_new_code. Check the app’s log.',
    ],
  ])('%s: says what to do, and to an admin what an admin can do', (reason, ...expected) => {
    const said = saidOf(reason);
    expect(said).toEqual(expected.map((part) => expect.stringContaining(part)));
    const [, toAdmin, over] = said;
    expect(toAdmin).not.toMatch(/[Ww]atch|next summary/);
    expect(over).not.toMatch(/retries automatically|tries again/);
  });

  it('names the scope that Slack names', () => {
    for (const said of saidOf('missing_scope', 'files:write'))
      expect(said).toContain('the scope files:write');
  });
});

const ada = { workspaceId: 'T1', userId: 'U1' };
const archived = { trouble: troubleOf({ reason: 'is_archived' }), state: 'failed', failedAt: 5 } as const;

type Entry = Partial<Pick<TroubledDelivery, 'to' | 'about'>>;

/** Where these are in trouble, and nothing else is known, but for the changes. */
function deliveriesWith(
  entries: readonly Entry[],
  sources: Partial<DeliverySources> = {},
  [waiting, oldest]: readonly [number, Oldest | undefined] = [0, undefined],
) {
  const overview = {
    list: async (_workspaceId: string, limit: number) => ({
      entries: entries
        .slice(0, limit)
        .map((one, index) => ({ ...archived, id: `T1:${index}`, to: 'C1', ...one })),
      more: Math.max(0, entries.length - limit),
    }),
    waiting: async () => waiting,
    oldest: async () => oldest,
  };
  return createAdminDeliveries(
    {
      outbox: {
        overview,
        retryAndDrop: { retry: async () => 'retried', drop: async () => 'dropped' },
      },
      prepare: () => ({ statement: sql``, report: () => undefined }),
      now: () => 100_000,
    },
    { canSee: async () => true, nameOf: async () => undefined, ...sources },
  );
}

const aboutOne = (visitorId: string) => ({ about: { visitorId, userId: 'U7' } });

describe('what an admin is shown of summaries', () => {
  it('names the visitor and the agent of each, and asks for each visitor once', async () => {
    const asked: string[] = [];
    const { of } = deliveriesWith([aboutOne('jane'), aboutOne('gone'), aboutOne('jane'), {}], {
      async nameOf(_workspaceId, visitorId) {
        asked.push(visitorId);
        return visitorId === 'gone' ? undefined : 'Jane Cooper';
      },
    });
    expect((await of(ada)).troubled.map(({ visitor }) => visitor)).toEqual([
      'Jane Cooper',
      'visitor gone',
      'Jane Cooper',
      undefined,
    ]);
    expect(asked).toEqual(['jane', 'gone']);
  });

  it('names channels that they may know of, and no other', async () => {
    const entries = ['C1', 'C2', 'C3', 'U9', ''].map((to) => ({ to }));
    const { of } = deliveriesWith(entries, {
      canSee: async (viewer, channelId) => viewer.userId === 'U1' && channelId === 'C1',
    });
    expect((await of(ada)).troubled.map(({ place }) => [spokenLine(place.words), place.channelId])).toEqual([
      ['for <#C1>', 'C1'],
      ['for a private channel that you aren’t in', undefined],
      ['for a private channel that you aren’t in', undefined],
      ['for a direct message to <@U9>', undefined],
      ['for an unknown channel', undefined],
    ]);
  });
});

/** The pages of 25 summaries in trouble. */
function openPages() {
  const entries: Entry[] = Array.from({ length: 25 }, () => ({}));
  const { of, turn } = deliveriesWith(entries);
  const shown = async (viewer = ada) => {
    const { troubled, before, more } = await of(viewer);
    return [before, troubled[0]?.entry.id, troubled.length, more];
  };
  return { turn, shown, leave: (left: number) => void (entries.length = left) };
}

describe('the pages of summaries in trouble', () => {
  it('are turned by each reader alone, and stay turned', async () => {
    const { turn, shown } = openPages();
    expect(await shown()).toEqual([0, 'T1:0', 10, 15]);
    turn(ada, '20');
    for (const _time of [1, 2]) expect(await shown()).toEqual([20, 'T1:20', 5, 0]);
    expect(await shown({ ...ada, userId: 'U2' })).toEqual([0, 'T1:0', 10, 15]);
  });

  it('end with the last one there is, when others are gone meanwhile', async () => {
    const { turn, shown, leave } = openPages();
    turn(ada, '20');
    leave(20);
    expect(await shown()).toEqual([10, 'T1:10', 10, 0]);
    leave(0);
    expect(await shown()).toEqual([0, undefined, 0, 0]);
  });
});

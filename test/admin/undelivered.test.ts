import { describe, expect, it } from 'vitest';
import { createAdminDeliveries, type DeliverySources } from '../../src/admin/undelivered.ts';
import { sql } from '../../src/database/database.ts';
import { troubleWords } from '../../src/messages/delivery-words.ts';
import { troubleOf, type Oldest, type TroubledDelivery } from '../../src/outbox/overview.ts';
import { message, spokenLine } from '../../src/messages/message.ts';
import { headings, labels, problemsOf, words } from '../home/home-content.ts';
import { adminsHome, visitor as customer } from '../home/sources.ts';
import { buttonsIn } from '../support/person.ts';

const NOW = Date.parse('2026-03-04T10:00:00Z');
const at = NOW - 120_000;
const ada = { workspaceId: 'T1', userId: 'U1' };
const about = { visitorId: 'jane', userId: 'U0ALEX00001' };

type Entry = Partial<Pick<TroubledDelivery, 'id' | 'to' | 'about' | 'trouble'>> & { readonly waits?: true };
const refusal = { reason: 'is_archived' };
const usual = {
  to: 'C0SALES0002',
  ...refusal,
  trouble: troubleOf(refusal),
  about: undefined,
  isWithAgent: false,
};
const times = { acceptedAt: at, attempts: 3, nextAt: at };

interface Situation {
  readonly entries?: readonly Entry[];
  readonly waiting?: number;
  readonly oldest?: Omit<Oldest, 'id'>;
  readonly sources?: Partial<DeliverySources>;
}

/** Where these are in trouble, and nothing else is known, but for the changes. */
function deliveriesWith({ entries = [], waiting: late = 0, oldest, sources }: Situation) {
  const overview = {
    list: async (_workspaceId: string, limit: number) => ({
      entries: entries.slice(0, limit).map(({ waits, ...one }, index) => ({
        id: `T1:${index}`,
        ...usual,
        ...one,
        ...times,
        failedAt: waits ? undefined : at,
      })),
      more: Math.max(0, entries.length - limit),
    }),
    waiting: async () => late,
    oldest: async () => oldest && { id: 'd1', ...oldest },
  };
  return createAdminDeliveries(
    {
      outbox: {
        overview,
        retryAndDrop: { retry: async () => 'retried', drop: async () => 'dropped' },
      },
      prepare: () => ({ statement: sql``, report: () => undefined }),
      now: () => NOW,
    },
    { canSee: async () => true, nameOf: async () => 'Jane Cooper', ...sources },
  );
}

/** The Home of an admin in that situation, on the page that comes after so many. */
const homeWith = (
  situation: Situation,
  before = 0,
  ...[changes, service]: Partial<Parameters<typeof adminsHome>>
) => {
  const { of, turn } = deliveriesWith(situation);
  turn(ada, String(before));
  return adminsHome({ deliveriesOf: () => of(ada), ...changes }, service);
};
const saidIn = async (situation: Situation) => words(await homeWith(situation));

const withOldest = (since: number, isInTurn = true) =>
  saidIn({ waiting: 1_204, oldest: { since, isInTurn } });

describe('the Home’s part about summaries', () => {
  it('says how many wait, since when, and whether something is wrong', async () => {
    expect(await withOldest(NOW - 60_000)).toContain('1,204 summaries waiting. Oldest:');
    expect(await withOldest(NOW - 60_000)).not.toContain('minute');
    expect(await withOldest(NOW - 60_001)).toContain('Slack accepts about one message a second per channel');
    expect(await withOldest(NOW - 60_001, false)).toContain('something is holding it up');
  });

  it('shows each in trouble with where, why, what to do, Retry and Discard', async () => {
    const waits: Entry = {
      to: 'U0ALEX00001',
      about,
      trouble: troubleOf({ reason: 'http_503' }),
      waits: true,
    };
    const view = await homeWith({ waiting: 1, entries: [waits, { about }] });
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
    [0, 1_210, '1. Couldn’t deliver: ', 'And 1,200 more.', { Next: '10' }],
    [
      20,
      1_230,
      '21. Couldn’t deliver: ',
      'And 20 before these, 1,200 after.',
      { Previous: '10', Next: '30' },
    ],
    [10, 11, '11. Couldn’t deliver: ', 'And 10 before these.', { Previous: '0' }],
    [0, 1, '1. Couldn’t deliver: ', 'Unarchive it', {}],
  ])('leads from a page with %i of %i before it to the next ones', async (before, all, first, rest, to) => {
    const view = await homeWith({ entries: Array.from({ length: all }, () => ({})) }, before);
    expect(words(view)).toContain(first);
    expect(words(view)).toContain(rest);
    const turns = buttonsIn(view.blocks).filter(({ text }) => /^(?:Previous|Next)$/.test(text.text));
    expect(Object.fromEntries(turns.map(({ text, value }) => [text.text, value]))).toEqual(to);
    expect(problemsOf(view)).toEqual([]);
  });

  it('comes before the customers', async () => {
    const shown = headings(await homeWith({ entries: [{}] }));
    expect(shown.indexOf('Summaries')).toBe(shown.indexOf('Online now') - 1);
  });

  it('keeps all of the Home within Slack’s limits, with hostile ids and codes', async () => {
    const entries = Array.from({ length: 5_020 }, (_, index) => ({
      about,
      trouble: troubleOf({ reason: `${'<!channel>'.repeat(20)}${index}` }),
    }));
    const all = Array.from({ length: 10 }, (_, index) => customer(`v${index}`, { is_in_session: index < 3 }));
    const view = await homeWith(
      { entries },
      10,
      { usedPerDay: async () => Array.from({ length: 14 }, () => ({ used: 3, notAccepted: 1 })) },
      { listVisitors: async () => all },
    );
    expect(problemsOf(view)).toEqual([]);
    // Nothing is cut off: what stands last is there.
    expect(labels(view)).toContain('Settings');
    expect(view.blocks.length).toBeLessThan(90);
  });

  it('names the visitor and the agent of each, and asks for each visitor once', async () => {
    const asked: string[] = [];
    const entries = ['jane', 'gone', 'jane'].map((visitorId) => ({ about: { ...about, visitorId } }));
    const text = await saidIn({
      entries: [...entries, {}],
      sources: {
        async nameOf(_workspaceId, visitorId) {
          asked.push(visitorId);
          return visitorId === 'gone' ? undefined : 'Jane Cooper';
        },
      },
    });
    for (const part of ['1. Couldn’t deliver: Jane Cooper’s', '2. Couldn’t deliver: visitor gone’s'])
      expect(text).toContain(part);
    expect(text).toContain('4. Couldn’t deliver: a message for ');
    expect(asked).toEqual(['jane', 'gone']);
  });

  it('names channels that they may know of, and no other', async () => {
    const view = await homeWith({
      entries: ['C0SALES0002', 'C0SECRET002', 'U9'].map((to) => ({ to })),
      sources: { canSee: async ({ userId }, channelId) => userId === 'U1' && channelId === 'C0SALES0002' },
    });
    for (const part of [
      '2. Couldn’t deliver: a message for a private channel that you aren’t in',
      '3. Couldn’t deliver: a message for a direct message to <@U9>',
    ])
      expect(words(view)).toContain(part);
    expect(JSON.stringify(view)).toContain('"channel_id":"C0SALES0002"');
    expect(JSON.stringify(view)).not.toContain('C0SECRET002');
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

/** The pages of 25 summaries in trouble. */
function openPages() {
  const entries: Entry[] = Array.from({ length: 25 }, () => ({}));
  const { of, turn } = deliveriesWith({ entries });
  /** The numbers of those on the reader's page. */
  const shown = async (viewer = ada) =>
    Array.from(message(...(await of(viewer))).text.matchAll(/^(\d+)\. /gm), ([, number]) => Number(number));
  return { turn, shown, leave: (left: number) => void (entries.length = left) };
}
const numbers = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_nothing, index) => first + index);

describe('the pages of summaries in trouble', () => {
  it('are turned by each reader alone, and stay turned', async () => {
    const { turn, shown } = openPages();
    expect(await shown()).toEqual(numbers(1, 10));
    turn(ada, '20');
    for (const _time of [1, 2]) expect(await shown()).toEqual(numbers(21, 25));
    expect(await shown({ ...ada, userId: 'U2' })).toEqual(numbers(1, 10));
  });

  it('end with the last one there is, when others are gone meanwhile', async () => {
    const { turn, shown, leave } = openPages();
    turn(ada, '20');
    leave(20);
    expect(await shown()).toEqual(numbers(11, 20));
    leave(0);
    expect(await shown()).toEqual([]);
  });
});

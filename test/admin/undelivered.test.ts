import { describe, expect, it } from 'vitest';
import { createAdminDeliveries, type DeliverySources } from '../../src/admin/undelivered.ts';
import { sql } from '../../src/database/database.ts';
import { troubleWords } from '../../src/messages/delivery-words.ts';
import { troubleOf, type Oldest, type TroubledDelivery } from '../../src/outbox/overview.ts';
import { spokenLine } from '../../src/messages/message.ts';
import { headings, labels, problemsOf, words } from '../home/home-content.ts';
import { adminsHome, visitor as customer } from '../home/sources.ts';

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
    },
    { canSee: async () => true, nameOf: async () => 'Jane Cooper', ...sources },
  );
}

/** The Home of an admin in that situation. */
const homeWith = (situation: Situation, ...[changes, service]: Partial<Parameters<typeof adminsHome>>) =>
  adminsHome({ deliveriesOf: () => deliveriesWith(situation).of(ada), ...changes }, service);
const saidIn = async (situation: Situation) => words(await homeWith(situation));

describe('the Home’s part about summaries', () => {
  it('says how many wait since when, and shows each in trouble with where, why, what to do, Retry and Discard', async () => {
    const waits: Entry = {
      to: 'U0ALEX00001',
      about,
      trouble: troubleOf({ reason: 'http_503' }),
      waits: true,
    };
    const oldest = { since: NOW, isInTurn: true };
    const view = await homeWith({ waiting: 1_204, oldest, entries: [waits, { about }] });
    for (const part of [
      '1,204 summaries waiting. Oldest:',
      'so they go out in turn.',
      '1. Waiting: Jane Cooper’s session with <@U0ALEX00001>, for a direct message to <@U0ALEX00001> · Tried 3 times · Since: ',
      ' · Next try: ',
      'Slack is having problems (http_503)',
      '2. Couldn’t deliver: Jane Cooper’s session with <@U0ALEX00001>, for ',
      'That channel is archived. Unarchive it, or watch from another channel.',
    ])
      expect(words(view)).toContain(part);
    expect(labels(view).filter((label) => /^(?:Retry|Discard)$/.test(label))).toHaveLength(4);
    const shown = headings(view);
    expect(shown.indexOf('Summaries')).toBe(shown.indexOf('Online now') - 1);
    expect(problemsOf(view)).toEqual([]);
  });

  it('shows ten and how many there are beside them, all within Slack’s limits, with hostile ids and codes', async () => {
    const entries = Array.from({ length: 5_020 }, (_, index) => ({
      about,
      trouble: troubleOf({ reason: `${'<!channel>'.repeat(20)}${index}` }),
    }));
    const all = Array.from({ length: 10 }, (_, index) => customer(`v${index}`, { is_in_session: index < 3 }));
    const view = await homeWith(
      { entries },
      { usedPerDay: async () => Array.from({ length: 14 }, () => ({ used: 3, notAccepted: 1 })) },
      { listVisitors: async () => all },
    );
    expect(problemsOf(view)).toEqual([]);
    expect(words(view)).toContain('10. Couldn’t deliver: ');
    expect(words(view)).not.toContain('11. Couldn’t deliver: ');
    expect(words(view)).toContain('And 5,010 more.');
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

/** What is said while it waits, and once it is over. */
const saidOf = (reason: string, neededScope?: string) => {
  const trouble = troubleOf({ reason, neededScope });
  return [troubleWords(trouble, false), troubleWords(trouble, true)].map(spokenLine);
};

const SLOWED = 'retries automatically';

describe('why a summary is not where it belongs', () => {
  // Every row of the table of failures seen in apps of this kind, and of Slack's own that matter here.
  it.each([
    ['channel_not_found', 'Type /invite @Co-browse there.'],
    ['is_archived', 'Unarchive it, or watch'],
    ['restricted_action', 'A workspace admin can let the app post there'],
    ['file_uploads_disabled', 'A Slack admin can change them'],
    ['account_inactive', 'A workspace admin has to reinstall the app'],
    ['ratelimited', SLOWED, 'The app tried for three days. Slack answered ratelimited.'],
    ['external_channel_migrating', SLOWED, 'for three days. Slack answered external_channel_migrating.'],
    ['msg_too_long', 'even in its short form'],
    ['missing_scope', 'the scope chat:write.'],
    ['no_answer', 'checks whether the summary arrived', 'for three days. Slack answered no_answer.'],
    ['filter_unknown', 'can run /cobrowse doctor.', 'couldn’t check for three days whether'],
    ['record_unreadable', 'Restore the database from a backup, or discard'],
    ['some_new_code', 'some_new_code. The app keeps trying for a day.', 'Slack answered some_new_code. If'],
  ])('%s: says what to do', (reason, now, over = now) => {
    const said = saidOf(reason);
    expect(said).toEqual([now, over].map((part) => expect.stringContaining(part)));
    expect(said[1]).not.toMatch(/retries automatically|tries again/);
  });

  it('names the scope that Slack names', () => {
    for (const said of saidOf('missing_scope', 'files:write'))
      expect(said).toContain('the scope files:write');
  });
});

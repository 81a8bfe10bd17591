import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { NO_LOSS, channelsCheck, deliveriesCheck, readUndelivered } from '../../src/admin/check-summaries.ts';
import type { KnownSubscriptions } from '../../src/admin/check-summaries.ts';
import type { ChannelState } from '../../src/permissions/permissions.ts';
import { sql } from '../../src/database/database.ts';
import { openDatabase } from '../../src/database/open.ts';

type Found = KnownSubscriptions['found'][number];

const SUPPORT = 'C0SUPPORT01';
const subscribed = (id: string, channelId: string, reason?: string): Found => ({
  id,
  channelId,
  setUpBy: `U${id}`,
  ...(reason === undefined ? {} : { paused: { reason, since: 0 } }),
});

interface Situation {
  readonly summaryChannel?: string;
  readonly found?: readonly Found[];
  readonly damaged?: number;
  readonly state?: ChannelState;
  readonly isHidden?: boolean;
  readonly isStoreClosed?: boolean;
}

async function findingsIn(situation: Situation) {
  const { summaryChannel, found = [], damaged = 0, state = 'member', isHidden = false } = situation;
  const asked: string[] = [];
  const owners: (readonly string[])[] = [];
  const check = channelsCheck({
    summaryChannel,
    subscriptions: async () => (situation.isStoreClosed === true ? undefined : { found, damaged }),
    async stateOf(channelId) {
      asked.push(channelId);
      return state;
    },
    async mayKnow(_channelId, setUpBy) {
      owners.push(setUpBy);
      return !isHidden;
    },
  });
  return { found: await check.run(), asked, owners };
}

describe('the channels', () => {
  it.each([
    ['member', 'ok'],
    ['not-member', 'failure'],
    ['archived', 'failure'],
    ['not-found', 'failure'],
    ['unknown', 'warning'],
  ] as const)('that are %s are %s, each looked at once', async (state, expected) => {
    const { found, asked } = await findingsIn({
      summaryChannel: SUPPORT,
      found: [subscribed('1', SUPPORT)],
      state,
    });
    expect(found).toMatchObject([{ about: 'Channel', state: expected, channelId: SUPPORT }]);
    expect(asked).toEqual([SUPPORT]);
  });

  it('are none if none is set up, and unknown if the database can’t be opened', async () => {
    const none = { state: 'ok', says: 'No channel has a subscription.' };
    expect((await findingsIn({})).found).toMatchObject([none]);
    expect((await findingsIn({ isStoreClosed: true })).found).toEqual([]);
    expect((await findingsIn({ isStoreClosed: true, summaryChannel: SUPPORT })).found).toMatchObject([
      { state: 'ok', channelId: SUPPORT },
    ]);
  });

  it('fail if a subscription is paused, with the reason and what to do', async () => {
    const here = [subscribed('1', SUPPORT, 'restricted_action'), subscribed('2', SUPPORT)];
    expect((await findingsIn({ found: here })).found).toEqual([
      {
        about: 'Channel',
        channelId: SUPPORT,
        state: 'failure',
        says: 'Subscription 1 is paused: posting there is restricted.',
        next: 'Ask a workspace admin to let the app post there. To try again, press Resume in /cobrowse subscriptions.',
      },
    ]);
  });

  it('warn about a pause whose reason is over', async () => {
    const here = [subscribed('1', SUPPORT, 'is_archived')];
    expect((await findingsIn({ found: here })).found).toMatchObject([
      { state: 'warning', says: 'Subscription 1 is paused, but the cause is fixed.' },
    ]);
  });

  it.each([
    ['archived', 'This channel is archived.', 'Unarchive it'],
    ['unknown', 'The app couldn’t ask Slack about this channel.', 'Try again'],
  ] as const)('that are %s name what is paused', async (state, says, next) => {
    const here = [subscribed('1', SUPPORT, 'is_archived'), subscribed('4', SUPPORT, 'is_archived')];
    expect((await findingsIn({ found: here, state })).found).toMatchObject([
      {
        state: 'failure',
        says: `${says} Paused because of it: subscriptions 1, 4.`,
        next: expect.stringContaining(next),
      },
    ]);
  });

  it('leave out direct messages, although their subscriptions may be paused', async () => {
    const direct = [subscribed('1', 'D0ALEX00001'), subscribed('2', 'U0ALEX00001')];
    const fine = await findingsIn({ found: direct });
    expect(fine.asked).toEqual([]);
    expect(fine.found).toMatchObject([{ state: 'ok' }]);
    const { found } = await findingsIn({ found: [subscribed('3', 'D0SAM000002', 'user_disabled')] });
    expect(found).toMatchObject([
      {
        about: 'Direct messages',
        state: 'failure',
        says: 'Subscription 3 is paused: Slack answered user_disabled.',
      },
    ]);
    expect(JSON.stringify(found)).not.toContain('D0SAM');
    const gone = await findingsIn({ found: [subscribed('3', 'D0SAM000002', 'channel_not_found')] });
    expect(gone.found).toMatchObject([{ state: 'failure' }]);
  });

  it.each([
    ['member', undefined, { state: 'ok', says: 'The app is in this channel.' }],
    ['not-member', undefined, { next: 'Ask whoever set it up: subscription 7 in /cobrowse subscriptions.' }],
    ['member', 'restricted_action', { says: 'Subscription 7 is paused: posting there is restricted.' }],
  ] as const)('that the reader may not know about aren’t named: %s, %s', async (state, reason, told) => {
    const here = [subscribed('7', 'G0LEADS', reason)];
    const { found, owners } = await findingsIn({ found: here, state, isHidden: true });
    expect(found).toMatchObject([{ about: 'Private channel you aren’t in', ...told }]);
    expect(JSON.stringify(found)).not.toContain('G0LEADS');
    expect(owners).toEqual([['U7']]);
  });

  it('in the settings aren’t named either', async () => {
    const situation = { summaryChannel: SUPPORT, state: 'archived', isHidden: true } as const;
    const { found } = await findingsIn(situation);
    expect(found).toMatchObject([{ next: expect.stringContaining('SUMMARY_CHANNEL') }]);
    expect(JSON.stringify(found)).not.toContain(SUPPORT);
  });

  it.each([
    [1, '1 subscription record can’t be read, so nothing is sent for it.'],
    [2, '2 subscription records can’t be read, so nothing is sent for them.'],
  ])('fail if %i subscriptions are damaged', async (damaged, says) => {
    expect((await findingsIn({ damaged })).found).toMatchObject([
      { about: 'Subscriptions', state: 'failure', says },
    ]);
  });
});

const NOON = Date.UTC(2026, 2, 1, 12);
const MINUTE_MS = 60_000;

const insert = (id: string, state: string, age: number, kind = 'summary') => {
  const settledAt = state === 'failed' ? NOON - age : null;
  return sql`INSERT INTO deliveries (id, workspace_id, dedupe_key, kind, channel_id, state, due_at, attempts, deaths,
      is_short, accepted_at, settled_at)
    VALUES (${id}, 'T1', ${id}, ${kind}, 'C1', ${state}, 0, 0, 0, 0, ${NOON - age}, ${settledAt})`;
};

describe('the summaries', () => {
  it.each([
    [0, 0, 'ok', 'All summaries delivered.'],
    [1, 0, 'warning', '1 summary waiting for more than a minute.'],
    [
      1_200,
      1,
      'warning',
      '1,200 summaries waiting for more than a minute. Couldn’t deliver 1 summary in the last 30 days.',
    ],
    [0, 2, 'warning', 'Couldn’t deliver 2 summaries in the last 30 days.'],
  ])('of which %i wait and %i have failed are %s', async (late, failed, state, says) => {
    const check = deliveriesCheck(async () => ({ late, failed }));
    expect(await check.run()).toMatchObject([{ about: 'Summaries', state, says }]);
  });

  it('that wait are counted after a minute, including those being asked about and those on their way', async () => {
    const database = await openDatabase('memory:');
    onTestFinished(() => database.close());
    await database.write(
      insert('new', 'waiting', 0),
      insert('young', 'waiting', MINUTE_MS - 1),
      insert('late', 'waiting', MINUTE_MS),
      insert('asking', 'asking', MINUTE_MS + 1),
      insert('sending', 'sending', MINUTE_MS + 1),
      insert('failed', 'failed', MINUTE_MS),
      // Nobody has to act on these.
      ...[
        'card',
        'asked-card',
        'elsewhere',
        'update',
        'owner',
        'online',
        'ask',
        'unasked',
        'channel-ask',
        'channel-ask-change',
        'untaken',
      ].map((kind) => insert(kind, 'waiting', MINUTE_MS, kind)),
      insert('failed-long-ago', 'failed', 31 * 24 * 60 * MINUTE_MS),
    );
    expect(await readUndelivered(database, () => NOON)).toEqual({ late: 3, failed: 1 });
  });
});

it('leaves out exactly the kinds of which their rooms say that they are no loss', () => {
  const sources = globSync('src/**/*.ts').map((path) => readFileSync(path, 'utf8'));
  const named = sources.flatMap((source) =>
    [...source.matchAll(/name: '([\w-]+)',(?:(?!name: ')[^])*?isNoLoss: true/gu)].map(([, name]) => name),
  );
  expect(named.length).toBeGreaterThan(5);
  expect(new Set<string | undefined>(NO_LOSS)).toEqual(new Set(named));
});

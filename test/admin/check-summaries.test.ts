import { describe, expect, it, onTestFinished } from 'vitest';
import {
  channelsCheck,
  deliveriesCheck,
  readUndelivered,
  type KnownSubscriptions,
} from '../../src/admin/checks.ts';
import type { ChannelState } from '../../src/permissions/permissions.ts';
import { sql } from '../../src/database/database.ts';
import { openDatabase } from '../../src/database/open.ts';

type Found = KnownSubscriptions['found'][number];

const SUPPORT = 'C0SUPPORT01';
const subscribed = (id: string, channelId: string, reason?: string): Found => ({
  id,
  channelId,
  setUpBy: `U${id}`,
  paused: reason === undefined ? undefined : { reason, since: 0 },
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
  const check = channelsCheck({
    summaryChannel,
    subscriptions: async () => (situation.isStoreClosed === true ? undefined : { found, damaged }),
    async stateOf(channelId) {
      asked.push(channelId);
      return state;
    },
    mayKnow: async () => !isHidden,
  });
  return { found: await check.run(), asked };
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

  const archived = ['2', '4'].map((id) => subscribed(id, SUPPORT, 'is_archived'));
  it.each<readonly [string, Situation, object | undefined]>([
    ['none is set up', {}, { state: 'ok', says: 'No channel has a subscription.' }],
    ['the database can’t be opened', { isStoreClosed: true }, undefined],
    [
      'the database can’t be opened, of the one in the settings',
      { isStoreClosed: true, summaryChannel: SUPPORT },
      { state: 'ok', channelId: SUPPORT },
    ],
    [
      'some are paused',
      { found: [subscribed('1', 'D0ALEX00001', 'user_disabled'), ...archived] },
      {
        about: 'Subscriptions',
        state: 'failure',
        says: '3 subscriptions paused: 1, 2, 4.',
        next: expect.stringContaining('/cobrowse subscriptions'),
      },
    ],
    [
      'one is damaged',
      { damaged: 1 },
      {
        about: 'Subscriptions',
        state: 'failure',
        says: '1 subscription record can’t be read, so nothing is sent for it.',
      },
    ],
    [
      'the reader may not know about one',
      { found: [subscribed('7', 'G0LEADS', 'restricted_action')], state: 'not-member', isHidden: true },
      {
        about: 'Private channel you aren’t in',
        next: 'Ask whoever set it up: subscription 7 in /cobrowse subscriptions.',
      },
    ],
    [
      'the reader may not know about the one in the settings',
      { summaryChannel: 'G0LEADS', state: 'archived', isHidden: true },
      { next: expect.stringContaining('SUMMARY_CHANNEL') },
    ],
  ])('say what there is if %s', async (_what, situation, finding) => {
    const { found } = await findingsIn(situation);
    if (finding === undefined) expect(found).toEqual([]);
    else expect(found).toContainEqual(expect.objectContaining(finding));
    expect(JSON.stringify(found)).not.toMatch(/D0ALEX|G0LEADS/);
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
      ...['summary', 'details', 'digest'].map((kind) => insert(kind, 'waiting', MINUTE_MS, kind)),
      insert('asking', 'asking', MINUTE_MS + 1),
      insert('sending', 'sending', MINUTE_MS + 1),
      insert('failed', 'failed', MINUTE_MS),
      // Nobody has to act on these.
      ...['card', 'notice', 'owner'].map((kind) => insert(kind, 'waiting', MINUTE_MS, kind)),
      insert('failed-long-ago', 'failed', 31 * 24 * 60 * MINUTE_MS),
    );
    expect(await readUndelivered(database, () => NOON)).toEqual({ late: 5, failed: 1 });
  });
});

import { Agent } from 'undici';
import { describe, expect, it } from 'vitest';
import { clockCheck, publicAddressCheck, workspacesCheck } from '../../src/admin/check-operator.ts';
import {
  OPTIONAL_SCOPES,
  channelsCheck,
  deliveriesCheck,
  readUndelivered,
  slackCheck,
  type KnownSubscriptions,
} from '../../src/admin/checks.ts';
import { examine, findingsReport } from '../../src/admin/findings.ts';
import { sql } from '../../src/database/database.ts';
import type { ChannelState } from '../../src/permissions/permissions.ts';
import { startLocalService } from '../cobrowse/local-service.ts';
import { openUntilTestEnds } from '../support/engines.ts';
import { SUPPORT } from '../support/person.ts';
import { problemsIn } from '../support/shown.ts';

const dispatcher = new Agent();
const NOON = Date.parse('2026-11-21T12:00:00Z');

/** What is found before a server whose clock is this far from noon, or which has none. */
async function clockFinding(aheadMs: number | undefined) {
  const server = await startLocalService((_, response) => {
    response.sendDate = false;
    if (aheadMs !== undefined) response.setHeader('date', new Date(NOON + aheadMs).toUTCString());
    response.writeHead(404).end('nothing');
  });
  const found = await clockCheck({ whose: 'Slack’s', url: server.url, dispatcher, now: () => NOON }).run();
  await server.close();
  return found;
}

describe('the clock', () => {
  it.each([
    [0, 'ok', 'This machine’s clock and Slack’s clock are the same.'],
    [-20_000, 'ok', 'This machine’s clock and Slack’s clock are 20 seconds apart.'],
    [60_000, 'warning', 'This machine’s clock is 61 seconds behind Slack’s clock.'],
    [-60_000, 'warning', 'This machine’s clock is 60 seconds ahead of Slack’s clock.'],
    [600_000, 'failure', 'This machine’s clock is 601 seconds behind Slack’s clock.'],
    [undefined, 'warning', 'Slack’s time couldn’t be read.'],
  ])('%s ms apart is %s', async (aheadMs, state, says) => {
    expect(await clockFinding(aheadMs)).toMatchObject([{ state, says }]);
  });

  it('of a server that can’t be reached is another check’s failure', async () => {
    const check = clockCheck({ whose: 'Slack’s', url: 'http://127.0.0.1:1/', dispatcher, now: () => NOON });
    expect(await check.run()).toMatchObject([{ state: 'warning' }]);
  });
});

const neededScopes = ['chat:write', ...OPTIONAL_SCOPES];
/** What is found of a token that Slack takes. */
const tokenFound = (scopes: readonly string[], organizationId?: string, installUrl?: string) =>
  slackCheck({ token: async () => ({ is: 'good', scopes, organizationId }), neededScopes, installUrl }).run();

it('a token of a whole organization serves no single workspace, and is named where organizations install the app', async () => {
  expect(await tokenFound(neededScopes, 'E1')).toMatchObject([
    { state: 'failure', says: expect.stringContaining('whole organization'), next: expect.any(String) },
  ]);
  expect(await tokenFound(neededScopes, 'E1', 'https://app.example/slack/install')).toMatchObject([
    { state: 'ok', says: 'valid, for your organization' },
    { state: 'ok' },
  ]);
});

it.each([
  [['channels:history', 'groups:history', 'im:history'], 'warning', /^Without .*, a post may appear twice/],
  [['im:history'], 'warning', /^Without im:history, a post may appear twice/],
  [['im:history', 'chat:write'], 'failure', /^Missing: chat:write\.$/],
  [[], 'ok', /^all 4 present$/],
])('the scopes without %j: %s', async (without, state, says) => {
  const granted = neededScopes.filter((scope) => !without.includes(scope));
  const [, found] = await tokenFound(granted);
  expect(found).toMatchObject({ state, says: expect.stringMatching(says) });
});

describe('the public address', () => {
  it.each([
    [200, '<html>welcome</html>', 'Something else answers there, with status 200.'],
    [200, '{"status":"ok","probe":"another"}', 'Something else answers there, with status 200.'],
    [502, 'bad gateway', 'Something else answers there, with status 502.'],
    [404, '{}', 'Something answers there, but not this app with these SECRET_KEYS.'],
    [503, '{}', 'A test webhook arrived but couldn’t be stored.'],
  ])('that answers %i %s fails in words', async (status, body, says) => {
    const server = await startLocalService((_, response) => response.writeHead(status).end(body));
    const parts = { publicUrl: server.url, issueProbe: () => 'ticket', dispatcher };
    const found = await publicAddressCheck(parts).run();
    await server.close();
    expect(found).toMatchObject([{ state: 'failure', says }]);
    expect(server.requests).toEqual(['POST /webhooks/session-end/ticket']);
  });

  it('can be missing: Socket Mode needs none', async () => {
    const parts = { publicUrl: undefined, issueProbe: () => '', dispatcher };
    expect(await publicAddressCheck(parts).run()).toMatchObject([{ state: 'ok' }]);
  });
});

it('the doctor says how many workspaces and organizations there are, and how many have to install the app again', async () => {
  const counts = { installed: 3, refused: 1, gone: 0, organizations: 1, reinstall: 1 };
  const check = workspacesCheck({ counts: async () => counts, missingKeys: async () => [] });
  expect(await check.run()).toMatchObject([
    { state: 'ok', says: '3 installed, 1 with a refused token; 1 organization' },
    { state: 'failure', says: '1 workspace can’t be served: Slack gave no new token.' },
  ]);
});

describe('an examination', () => {
  it('ends in a finding even if a check fails or never ends', async () => {
    const found = await examine(
      [
        { about: 'One', run: () => Promise.reject(new RangeError('with a secret in it')) },
        { about: 'Two', run: () => new Promise(() => undefined) },
        { about: 'Three', run: async () => [{ about: 'Three', state: 'ok', says: 'Fine.' }] },
      ],
      20,
    );
    expect(found.map(({ about, state }) => [about, state])).toEqual([
      ['One', 'failure'],
      ['Two', 'failure'],
      ['Three', 'ok'],
    ]);
    expect(JSON.stringify(found)).not.toContain('secret');
  });

  it('shows the worst first, as a message that Slack accepts', () => {
    const report = findingsReport([
      { about: 'Disk', state: 'ok', says: 'Enough room.' },
      { about: 'Clock', state: 'warning', says: 'Apart.', next: 'Set it.' },
      {
        about: 'Channel',
        state: 'failure',
        says: 'The app isn’t in this channel.',
        next: 'Invite it.',
        channelId: 'C1',
      },
    ]);
    expect(report.text.split('\n')).toEqual([
      '1 failure, 1 warning, 3 checks.',
      'Failure · Channel: <#C1> The app isn’t in this channel. Invite it.',
      'Warning · Clock: Apart. Set it.',
      'Disk: Enough room.',
    ]);
    expect(problemsIn({ surface: 'message', payload: report })).toEqual([]);
  });
});

type Found = KnownSubscriptions['found'][number];

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

const having = (finding: object): unknown => expect.arrayContaining([expect.objectContaining(finding)]);

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
  it.each<readonly [string, Situation, unknown]>([
    ['none is set up', {}, having({ state: 'ok', says: 'No channel has a subscription.' })],
    ['the database can’t be opened', { isStoreClosed: true }, []],
    [
      'the database can’t be opened, of the one in the settings',
      { isStoreClosed: true, summaryChannel: SUPPORT },
      having({ state: 'ok', channelId: SUPPORT }),
    ],
    [
      'some are paused',
      { found: [subscribed('1', 'D0ALEX00001', 'user_disabled'), ...archived] },
      having({
        about: 'Subscriptions',
        state: 'failure',
        says: '3 subscriptions paused: 1, 2, 4.',
        next: expect.stringContaining('/cobrowse subscriptions'),
      }),
    ],
    [
      'one is damaged',
      { damaged: 1 },
      having({
        about: 'Subscriptions',
        state: 'failure',
        says: '1 subscription record can’t be read, so nothing is sent for it.',
      }),
    ],
    [
      'the reader may not know about one',
      { found: [subscribed('7', 'G0LEADS', 'restricted_action')], state: 'not-member', isHidden: true },
      having({
        about: 'Private channel you aren’t in',
        next: 'Ask whoever set it up: subscription 7 in /cobrowse subscriptions.',
      }),
    ],
    [
      'the reader may not know about the one in the settings',
      { summaryChannel: 'G0LEADS', state: 'archived', isHidden: true },
      having({ next: expect.stringContaining('SUMMARY_CHANNEL') }),
    ],
  ])('say what there is if %s', async (_what, situation, expected) => {
    const { found } = await findingsIn(situation);
    expect(found).toEqual(expected);
    expect(JSON.stringify(found)).not.toMatch(/D0ALEX|G0LEADS/);
  });
});

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
    const database = await openUntilTestEnds('memory:');
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

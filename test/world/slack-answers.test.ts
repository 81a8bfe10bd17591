import { WebClient } from '@slack/web-api';
import nock from 'nock';
import { describe, expect, it } from 'vitest';
import { callFailure } from '../../src/slack/call-failure.ts';
import { createPostFinder, createPoster } from '../../src/slack/posts.ts';
import { createInstalledAs } from '../../src/workspaces/workspaces.ts';
import { createSlackAgent, webClientOptions } from '../../src/workspaces/web-client.ts';
import { directoryIn } from '../slack/directory-stage.ts';
import { words } from '../slack/posting-stage.ts';
import { keptLog } from '../support/checked-sandbox.ts';
import { onlyNock } from '../support/only-nock.ts';

onlyNock();

const { log } = keptLog();
const client = new WebClient(
  'none',
  webClientOptions({ apiUrl: 'https://slack.example/api/', slackAgent: createSlackAgent(), log }),
);
const find = async () => ({ slack: client, installedAs: createInstalledAs(client) });
const slackSays = (method: string, answer: object, status = 200, headers = {}) =>
  nock('https://slack.example').post(`/api/${method}`).reply(status, answer, headers);
const profileIn = (answer: object) => {
  slackSays('users.info', answer);
  return directoryIn().profileOf('T1', 'U1');
};
const user = (more: object) => ({ ok: true, user: { id: 'U1', team_id: 'T1', name: 'ada', ...more } });

describe('somebody of whom Slack says', () => {
  it.each([
    ['no email', { profile: { display_name: 'Ada', email: null } }, { name: 'Ada', email: undefined }],
    ['no display name', { real_name: 'Ada L', profile: { display_name: null } }, { name: 'Ada L' }],
    ['no name', { real_name: null, profile: { display_name: null, real_name: null } }, { name: 'ada' }],
    ['no profile', { profile: null }, { name: 'ada', email: undefined, isExternal: false }],
    ['nothing about a profile', {}, { name: 'ada', isExternal: false }],
    ['no time zone or locale', { tz: null, tz_offset: null, locale: null }, { utcOffsetSeconds: 0 }],
    [
      'no role',
      { is_admin: null, is_restricted: null, enterprise_user: null },
      { isAdmin: false, isGuest: false },
    ],
    ['no team', { team_id: null }, { isExternal: true }],
  ])('%s is known by the rest', async (_what, more, expected) => {
    expect(await profileIn(user(more))).toMatchObject(expected);
  });

  it.each(['user_not_found', 'user_not_visible'])('%s is from outside', async (error) => {
    expect(await profileIn({ ok: false, error })).toMatchObject({ isExternal: true, isAdmin: false });
  });

  it('that it’s no boolean whether they’re a guest isn’t believed to be none', async () => {
    await expect(profileIn(user({ is_restricted: 'true' }))).rejects.toThrow('is_restricted');
  });

  it.each(['USLACKBOT', 'USLACK'])('nothing, since it’s %s itself, is a bot', async (id) => {
    expect(await directoryIn().profileOf('T1', id)).toMatchObject({ isBot: true });
  });
});

describe('an answer with nulls', () => {
  it('about a channel’s members isn’t one that nobody is in it', async () => {
    const { isInChannel } = directoryIn();
    slackSays('conversations.members', { ok: true, members: null });
    await expect(isInChannel('T1', 'U1', 'C1')).rejects.toThrow('members');
    slackSays('conversations.members', { ok: true, members: ['U1'], response_metadata: null });
    expect(await isInChannel('T1', 'U1', 'C1')).toBe(true);
  });

  it('about a channel says nothing of it', async () => {
    slackSays('conversations.info', { ok: true, channel: null });
    expect(await directoryIn().isShared('T1', 'C1')).toBe('unknown');
  });

  it('about a group has nobody in it', async () => {
    slackSays('usergroups.users.list', { ok: true, users: null });
    expect(await directoryIn().isInGroup('T1', 'U1', 'S1')).toBe(false);
  });

  it('about a post doesn’t make it one that failed', async () => {
    slackSays('chat.postMessage', { ok: true, ts: '1.1', channel: null, message: null });
    expect(await createPoster(find)({ workspaceId: 'T1', to: 'C1' }, words, 'd')).toEqual({
      outcome: 'posted',
      ts: '1.1',
      channelId: undefined,
    });
  });

  it('about messages is still looked through', async () => {
    slackSays('auth.test', { ok: true, team_id: 'T1', user_id: 'U0BOT', bot_id: null, url: null });
    const findPosts = createPostFinder(find);
    const metadata = { event_type: 'cobrowse_delivery', event_payload: { delivery: 'd' } };
    const post = { ts: '1.1', user: 'U0BOT', bot_id: null, metadata };
    const messages = [{ ts: '1.2', user: null, metadata: null }, null, post];
    slackSays('conversations.history', { ok: true, messages, response_metadata: null });
    expect(await findPosts({ workspaceId: 'T1', to: 'C1' }, 'd', 0)).toEqual({
      found: ['1.1'],
      channelId: 'C1',
    });
  });
});

describe('too many calls', () => {
  it.each([
    ['in seconds', { 'retry-after': '30' }, 30_000],
    ['by a date', { 'retry-after': 'Fri, 27 Nov 2026 10:00:20 GMT' }, undefined],
    ['not at all', {}, undefined],
    ['in words', { 'retry-after': 'soon' }, undefined],
  ])('are told to slow down, with the time said %s', async (_how, headers, afterMs) => {
    slackSays('auth.test', { ok: false, error: 'ratelimited' }, 429, headers);
    const failure = await client.auth.test().then(() => undefined, callFailure);
    expect(failure).toEqual({
      outcome: 'later',
      reason: 'ratelimited',
      afterMs,
    });
  });
});

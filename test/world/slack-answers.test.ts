import { WebClient } from '@slack/web-api';
import nock from 'nock';
import { describe, expect, it } from 'vitest';
import { callFailure } from '../../src/slack/call-failure.ts';
import { createPostFinder, createPoster } from '../../src/slack/posts.ts';
import { createInstalledAs } from '../../src/workspaces/workspaces.ts';
import { createSlackAgent, webClientOptions } from '../../src/workspaces/web-client.ts';
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
describe('an answer with nulls', () => {
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

import nock from 'nock';
import { describe, expect, it } from 'vitest';
import { postingAt, words } from '../slack/posting-stage.ts';
import { onlyNock } from '../support/only-nock.ts';

onlyNock();

const slackSays = (method: string, answer: object, status = 200, headers = {}) =>
  nock('https://slack.example').post(`/api/${method}`).reply(status, answer, headers);
const { post, find } = postingAt('https://slack.example/api/');
const place = { workspaceId: 'T1', to: 'C1' };

describe('an answer with nulls', () => {
  it('about a post doesn’t make it one that failed', async () => {
    slackSays('chat.postMessage', { ok: true, ts: '1.1', channel: null, message: null });
    const posted = { outcome: 'posted', ts: '1.1', channelId: undefined };
    expect(await post(place, words, 'd')).toEqual(posted);
  });

  it('about messages is still looked through', async () => {
    slackSays('auth.test', { ok: true, team_id: 'T1', user_id: 'U0BOT', bot_id: null, url: null });
    const metadata = { event_type: 'cobrowse_delivery', event_payload: { delivery: 'd' } };
    const ours = { ts: '1.1', user: 'U0BOT', bot_id: null, metadata };
    const messages = [{ ts: '1.2', user: null, metadata: null }, null, ours];
    slackSays('conversations.history', { ok: true, messages, response_metadata: null });
    expect(await find(place, 'd', 0)).toEqual({ found: ['1.1'], channelId: 'C1' });
  });
});

describe('too many calls', () => {
  it.each([
    ['in seconds', { 'retry-after': '30' }, 30_000],
    ['by a date', { 'retry-after': 'Fri, 27 Nov 2026 10:00:20 GMT' }, undefined],
    ['not at all', {}, undefined],
    ['in words', { 'retry-after': 'soon' }, undefined],
  ])('are told to slow down, with the time said %s', async (_how, headers, afterMs) => {
    slackSays('chat.postMessage', { ok: false, error: 'ratelimited' }, 429, headers);
    expect(await post(place, words, 'd')).toEqual({ outcome: 'later', reason: 'ratelimited', afterMs });
  });
});

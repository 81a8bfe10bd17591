import { describe, expect, it, onTestFinished } from 'vitest';
import { createPoster } from '../../src/slack/poster.ts';
import { startLocalService } from '../cobrowse/local-service.ts';
import { SUPPORT, inSupport, postingAt, postingStage, words } from './posting-stage.ts';

describe('a post', () => {
  it('arrives, without previews, with an id as its metadata and nothing else', async () => {
    const { slack, post } = await postingStage();
    const outcome = await post(inSupport, words, 'T1:session_1');
    const arrived = slack.snapshot('U0ALEX00001').messages.at(-1);
    expect(arrived).toMatchObject({ channel: SUPPORT, text: 'A summary.', ephemeral: false });
    expect(outcome).toEqual({ outcome: 'posted', ts: arrived?.ts, channelId: SUPPORT });
    expect(slack.calls.at(-1)?.args).toMatchObject({
      unfurl_links: 'false',
      unfurl_media: 'false',
      metadata: { event_type: 'cobrowse_delivery', event_payload: { delivery: 'T1:session_1' } },
    });
  });

  it('arrives in its thread', async () => {
    const { slack, post } = await postingStage();
    const root = slack.snapshot('U0ALEX00001').messages.find(({ channel }) => channel === SUPPORT)?.ts ?? '';
    await post({ ...inSupport, threadTs: root }, words, 'd');
    expect(slack.snapshot('U0ALEX00001').messages.at(-1)?.thread_ts).toBe(root);
  });

  it('arrives as a direct message if it goes to a person', async () => {
    const { slack, post } = await postingStage();
    expect(await post({ workspaceId: 'T0ACME00000', to: 'U0SAM000002' }, words, 'd')).toMatchObject({
      outcome: 'posted',
    });
    expect(slack.snapshot('U0SAM000002').messages.at(-1)?.text).toBe('A summary.');
    expect(slack.snapshot('U0ALEX00001').messages.at(-1)?.text).not.toBe('A summary.');
  });

  it.each([
    ['not_in_channel', 'C0SALES0002'],
    ['channel_not_found', 'C0NOWHERE01'],
    ['cannot_dm_bot', 'U0HELPDESK'],
  ])('never arrives if Slack itself says %s', async (reason, to) => {
    const { post } = await postingStage();
    expect(await post({ workspaceId: 'T1', to }, words, 'd')).toEqual({ outcome: 'never', reason });
  });

  it('never arrives in a channel that was archived', async () => {
    const { slack, post } = await postingStage();
    slack.changeChannel(SUPPORT, { archived: true });
    expect(await post(inSupport, words, 'd')).toEqual({ outcome: 'never', reason: 'is_archived' });
  });

  it.each(['invalid_auth', 'not_authed'])(
    'never arrives with a token that Slack refuses: %s',
    async (reason) => {
      const { slack } = await postingStage();
      const { post } = postingAt(slack.apiUrl, reason === 'not_authed' ? '' : 'xoxb-other');
      expect(await post(inSupport, words, 'd')).toMatchObject({ outcome: 'never' });
    },
  );

  it.each([
    'account_inactive',
    'token_revoked',
    'token_expired',
    'restricted_action',
    'restricted_action_thread_locked',
    'msg_too_long',
    'invalid_blocks',
    'no_text',
    'missing_scope',
    'ekm_access_denied',
    'org_login_required',
    'user_not_found',
    'messages_tab_disabled',
    'a_code_of_next_year',
  ])('never arrives after %s', async (reason) => {
    const { slack, post } = await postingStage();
    slack.fail('chat.postMessage', reason);
    expect(await post(inSupport, words, 'd')).toEqual({ outcome: 'never', reason });
  });

  it.each([
    'internal_error',
    'fatal_error',
    'service_unavailable',
    'team_added_to_org',
    'request_timeout',
    'ratelimited',
    'rate_limited',
    'rollup_error',
    'accesslimited',
    'message_limit_exceeded',
  ])('may arrive later after %s, and is tried once', async (reason) => {
    const { slack, post } = await postingStage();
    slack.fail('chat.postMessage', reason);
    expect(await post(inSupport, words, 'd')).toMatchObject({ outcome: 'later', reason });
    expect(slack.calls.filter(({ method }) => method === 'chat.postMessage')).toHaveLength(1);
    expect(await post(inSupport, words, 'd')).toMatchObject({ outcome: 'posted' });
  });

  it.each([
    [1, 1_000],
    [30, 30_000],
    [0, 1_000],
  ])('may arrive after the time Slack asks for: %i s', async (retryAfter, afterMs) => {
    const { slack, post } = await postingStage();
    slack.fail('chat.postMessage', { retryAfter });
    expect(await post(inSupport, words, 'd')).toEqual({ outcome: 'later', reason: 'ratelimited', afterMs });
    expect(slack.calls.filter(({ method }) => method === 'chat.postMessage')).toHaveLength(1);
  });

  it('holds up no other post while one channel has to wait', async () => {
    const { slack, post } = await postingStage();
    slack.fail('chat.postMessage', { retryAfter: 30 });
    await post(inSupport, words, 'd');
    const other = { workspaceId: 'T0ACME00000', to: 'C0RANDOM003' };
    expect(await post(other, words, 'd2')).toMatchObject({ outcome: 'posted' });
  });

  it.each([500, 502, 503, 404])('may arrive later after the status %i', async (status) => {
    const { slack, post } = await postingStage();
    slack.fail('chat.postMessage', { status });
    expect(await post(inSupport, words, 'd')).toMatchObject({ outcome: 'later', reason: `http_${status}` });
  });

  it('may arrive later after a connection broke off: we don’t know whether it was posted', async () => {
    const { slack, post } = await postingStage();
    slack.fail('chat.postMessage', 'lose-answer');
    expect(await post(inSupport, words, 'd')).toMatchObject({ outcome: 'later', reason: 'no_answer' });
    expect(slack.calls.filter(({ method }) => method === 'chat.postMessage')).toHaveLength(1);
  });

  it('may arrive later after no answer in time', async () => {
    const { slack, impatient } = await postingStage();
    slack.fail('chat.postMessage', 'hang');
    expect(await impatient.post(inSupport, words, 'd')).toMatchObject({
      outcome: 'later',
      reason: 'no_answer',
    });
  });

  it('may arrive later if nobody listens', async () => {
    const gone = await startLocalService(() => undefined);
    await gone.close();
    expect(await postingAt(`${gone.url}/api/`).post(inSupport, words, 'd')).toEqual({
      outcome: 'later',
      reason: 'no_answer',
    });
  });

  it.each(['<html>Maintenance</html>', '', '[]', 'null', '{}'])(
    'does not count as posted after an answer that is not Slack’s: %j',
    async (body) => {
      const odd = await startLocalService((_request, response) => {
        response.writeHead(200, { 'content-type': 'application/json' }).end(body);
      });
      onTestFinished(() => odd.close());
      const outcome = await postingAt(`${odd.url}/api/`).post(inSupport, words, 'd');
      expect(outcome.outcome).toBe('later');
    },
  );

  it('never arrives if the app isn’t installed', async () => {
    const post = createPoster(async () => undefined);
    expect(await post(inSupport, words, 'd')).toEqual({ outcome: 'never', reason: 'not_installed' });
  });

  it('is an outcome even if the installation can’t be read', async () => {
    const post = createPoster(() => Promise.reject(new Error('store down')));
    expect(await post(inSupport, words, 'd')).toEqual({ outcome: 'later', reason: 'no_answer' });
  });
});

import { describe, expect, it, onTestFinished } from 'vitest';
import type { StandInSlack } from '../../sandbox/slack/slack.ts';
import { DatabaseError } from '../../src/database/database.ts';
import { createPoster } from '../../src/slack/posts.ts';
import { startLocalService } from '../cobrowse/local-service.ts';
import { SUPPORT, inSupport, postingAt, postingStage, words } from './posting-stage.ts';

const never = (reason: string) => ({ outcome: 'never', reason });
const later = (reason: string) => ({ outcome: 'later', reason });
/** It may have arrived all the same. */
const unclear = (reason: string) => ({ ...later(reason), outcomeUnknown: true });

const FAILURES: readonly (readonly [Parameters<StandInSlack['fail']>[1], object])[] = [
  ...['token_revoked', 'missing_scope'].map((code) => [code, never(code)] as const),
  ...['service_unavailable', 'ratelimited', 'a_code_of_next_year'].map(
    (code) => [code, later(code)] as const,
  ),
  ...['internal_error', 'fatal_error'].map((code) => [code, unclear(code)] as const),
  [{ status: 503 }, unclear('http_503')],
  [{ status: 404 }, later('http_404')],
  // The connection broke off: nobody knows whether it was posted.
  ['lose-answer', unclear('no_answer')],
  [{ retryAfter: 30 }, { ...later('ratelimited'), afterMs: 30_000 }],
];

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

  it.each(FAILURES)(
    'that fails with %j is tried once, may arrive later or never, and holds up no other: %j',
    async (how, outcome) => {
      const { slack, post } = await postingStage();
      slack.fail('chat.postMessage', how);
      expect(await post(inSupport, words, 'd')).toEqual(outcome);
      expect(slack.calls.filter(({ method }) => method === 'chat.postMessage')).toHaveLength(1);
      expect((await post({ ...inSupport, to: 'C0RANDOM003' }, words, 'd2')).outcome).toBe('posted');
    },
  );

  it('may arrive later after no answer in time, or if nobody listens', async () => {
    const { slack, impatient } = await postingStage();
    slack.fail('chat.postMessage', 'hang');
    expect(await impatient.post(inSupport, words, 'd')).toEqual(unclear('no_answer'));
    const gone = await startLocalService(() => undefined);
    await gone.close();
    expect(await postingAt(`${gone.url}/api/`).post(inSupport, words, 'd')).toEqual(later('no_answer'));
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

  it('is an outcome even if the app isn’t installed, or nobody can tell', async () => {
    const nowhere = createPoster(async () => undefined);
    const unread = createPoster(() => Promise.reject(new DatabaseError('unknown')));
    expect(await nowhere(inSupport, words, 'd')).toEqual(never('not_installed'));
    expect(await unread(inSupport, words, 'd')).toEqual(later('no_answer'));
  });
});

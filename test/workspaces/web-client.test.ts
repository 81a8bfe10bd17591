import type { RequestListener, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { WebAPIRateLimitedError, WebAPIRequestError, WebClient } from '@slack/web-api';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createMetrics } from '../../src/logging/metrics.ts';
import { WorkspaceClient, createSlackAgent, webClientOptions } from '../../src/workspaces/web-client.ts';
import { answerJson, startLocalService } from '../cobrowse/local-service.ts';
import { keptLog } from '../support/checked-sandbox.ts';

const { log } = keptLog();

/** A client of a Slack that answers so, and what was asked of it. */
async function clientOf(
  answers: RequestListener,
  hearers: Omit<Parameters<typeof webClientOptions>[0], 'apiUrl' | 'slackAgent' | 'log'> = {},
) {
  const slack = await startLocalService(answers);
  onTestFinished(() => slack.close());
  const client = new WebClient(
    'xoxb-of-these-tests',
    webClientOptions({ apiUrl: `${slack.url}/api/`, slackAgent: createSlackAgent(), log, ...hearers }),
  );
  return { client, requests: slack.requests };
}

describe('a request to Slack', () => {
  it('follows no redirect, which would take the token with it', async () => {
    const elsewhere = await clientOf((_, response) => answerJson(response, { ok: true }));
    const { client, requests } = await clientOf((_, response) => {
      response.writeHead(307, { location: `${elsewhere.client.slackApiUrl}auth.test` }).end();
    });
    await expect(client.auth.test()).rejects.toThrow(WebAPIRequestError);
    expect(requests).toEqual(['POST /api/auth.test']);
    expect(elsewhere.requests).toEqual([]);
  });

  it('leaves at once, however many wait for their answers', async () => {
    const waiting: ServerResponse[] = [];
    const { client } = await clientOf((_, response) => {
      waiting.push(response);
      if (waiting.length === 150) for (const one of waiting) answerJson(one, { ok: true });
    });
    const answers = await Promise.all(Array.from({ length: 150 }, () => client.auth.test()));
    expect(answers.every(({ ok }) => ok)).toBe(true);
  });

  it('fails where its answer breaks off, and is never sent twice', async () => {
    const { client, requests } = await clientOf((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
      response.write('{"ok":true,', () => response.destroy());
    });
    await expect(client.chat.postMessage({ channel: 'C0SUPPORT01', text: 'Once' })).rejects.toThrow(
      WebAPIRequestError,
    );
    expect(requests).toEqual(['POST /api/chat.postMessage']);
  });

  it.each([
    ['ok', (response) => answerJson(response, { ok: true })],
    ['refused', (response) => answerJson(response, { ok: false, error: 'channel_not_found' })],
    ['refused', (response) => response.writeHead(429, { 'retry-after': '30' }).end()],
    ['failed', (response) => response.writeHead(503).end('Down')],
    ['failed', (response) => response.destroy()],
  ] satisfies readonly [string, (response: ServerResponse) => void][])(
    'is counted as %s, by its method',
    async (outcome, answer) => {
      const metrics = createMetrics();
      const { client } = await clientOf((_, response) => answer(response), { answered: metrics.slack });
      await client.auth.test().catch(() => undefined);
      const counted = (await metrics.text()).match(/cobrowse_slack_answer_seconds_count.*/g);
      expect(counted).toEqual([
        `cobrowse_slack_answer_seconds_count{method="auth.test",outcome="${outcome}"} 1`,
      ]);
    },
  );

  it('says how long to wait where Slack was asked too often', async () => {
    const { client } = await clientOf((_, response) => {
      response.writeHead(429, { 'retry-after': '30' }).end();
    });
    const refused: unknown = await client.auth.test().catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(WebAPIRateLimitedError);
    expect(refused).toMatchObject({ retryAfter: 30 });
  });
});

it('a workspace names itself to what may be asked of any in its organization', async () => {
  const asked: string[] = [];
  async function answer(...[request, response]: Parameters<RequestListener>): Promise<void> {
    asked.push(new URLSearchParams(await text(request)).get('team_id') ?? 'nobody');
    answerJson(response, { ok: true });
  }
  const slack = await startLocalService((...exchange) => void answer(...exchange));
  onTestFinished(() => slack.close());
  const options = webClientOptions({ apiUrl: `${slack.url}/api/`, slackAgent: createSlackAgent(), log });
  const owner = { workspaceId: 'T1', installId: 'x', nextToken: async () => undefined };
  const client = new WorkspaceClient('xoxb-of-these-tests', options, owner);
  for (const method of ['usergroups.list', 'usergroups.users.list', 'users.info'])
    await client.apiCall(method);
  expect(asked).toEqual(['T1', 'T1', 'nobody']);
});

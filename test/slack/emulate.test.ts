import { WebClient } from '@slack/web-api';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import manifest from '../../manifest.json' with { type: 'json' };
import type { ScopeMissingError } from '../../src/permissions/permissions.ts';
import { createPoster } from '../../src/slack/posts.ts';
import { createSlackAgent, webClientOptions } from '../../src/workspaces/web-client.ts';
import { notice } from '../../src/messages/message.ts';
import { keptLog } from '../support/checked-sandbox.ts';
import { problemsIn } from '../support/shown.ts';
import { directoryIn } from './directory-stage.ts';
import { TEAM, startEmulatedSlack, startEmulatedStage } from './emulated.ts';

const scopes = manifest.oauth_config.scopes.bot;

const WatchUrlBody = z.looseObject({ agent: z.object({ id: z.string() }), webhook_url: z.string() });

const Elements = z.array(z.looseObject({ url: z.string().default(''), value: z.string().default('') }));
const Answer = z.object({ blocks: z.array(z.looseObject({ elements: Elements.catch([]).default([]) })) });

/** The first button with an address in a message. */
function watchButtonIn(answer: string) {
  const { blocks } = Answer.parse(JSON.parse(answer));
  const found = blocks.flatMap(({ elements }) => elements).find(({ url }) => url !== '');
  if (found === undefined) throw new Error(`No button with an address in: ${answer}`);
  return found;
}

async function clientWith(given: readonly string[]) {
  const slack = await startEmulatedSlack(given);
  const { log } = keptLog();
  const client = new WebClient(
    slack.botToken,
    webClientOptions({ apiUrl: slack.apiUrl, slackAgent: createSlackAgent(), log }),
  );
  const find = async (workspaceId: string) => ({
    slack: client,
    installedAs: async () => ({ workspaceId, botId: 'B1', botUserId: 'U1' }),
  });
  return { slack, find };
}

const isSummary = ({ text = '' }: { readonly text?: string }) => text.includes('Co-browsing session ended');

it('finds the agent in a third-party Slack emulator by the email of the profile, and posts the summary with blocks and an id as metadata, with the manifest’s scopes', async () => {
  const stage = await startEmulatedStage(scopes);
  const { slack, service } = stage;
  expect(await stage.send(stage.command)).toBe(200);
  await expect.poll(() => stage.answers.length).toBe(1);
  const button = watchButtonIn(stage.answers.at(-1) ?? '');
  const press = {
    type: 'block_actions',
    team: { id: TEAM },
    user: { id: slack.alexId },
    channel: { id: slack.supportId },
    trigger_id: 'x',
    response_url: stage.responseUrl,
    actions: [{ action_id: 'watch', value: button.value, action_ts: `${Date.now() / 1_000}` }],
  };
  expect(await stage.send({ payload: JSON.stringify(press) })).toBe(200);
  const redirect = await fetch(stage.here(button.url), { redirect: 'manual' });
  const session = await service.openWatchLink(redirect.headers.get('location') ?? '');
  const ended = await service.endSession(session.id);
  const body = WatchUrlBody.parse(service.requests.findLast(({ method }) => method === 'POST')?.body);
  expect(body.agent.id).toBe('agent_alex');
  const webhook = await fetch(stage.here(body.webhook_url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(ended),
  });
  expect(webhook.status).toBe(200);
  const posted = async () => (await slack.history(slack.supportId)).find(isSummary);
  await expect.poll(posted).toMatchObject({
    user: 'U0COBROWSE',
    metadata: {
      event_type: 'cobrowse_delivery',
      event_payload: { delivery: expect.stringMatching(/^\w+$/) },
    },
  });
  const { text, blocks } = (await posted()) ?? {};
  // This Slack doesn't say whether a channel is shared, so the app treats it as shared.
  expect(text).toContain('jane4821 with Alex Rivera');
  expect(problemsIn({ surface: 'message', payload: { text, blocks } })).toEqual([]);
  expect(stage.logLines.join('')).not.toContain('missing_scope');
});

describe('Slack calls without their scope', () => {
  it('end for good, with the code: no post without chat:write', async () => {
    const { slack, find } = await clientWith(['commands', 'users:read']);
    const to = { workspaceId: 'T1', to: slack.supportId };
    expect(await createPoster(find)(to, notice(['A summary.']), 'd')).toEqual({
      outcome: 'never',
      reason: 'missing_scope',
      neededScope: 'chat:write',
    });
  });

  it.each([
    ['no profile', ['chat:write'], 'missing the scope users:read'],
    ['a profile without an email', ['users:read'], 'no email'],
    ['all', scopes, 'alex@acme.com'],
  ])('give %s with %j', async (_what, given, expected) => {
    const { slack, find } = await clientWith(given);
    const { profileOf } = directoryIn({ find });
    const shown = await profileOf('T1', slack.alexId).then(
      ({ email = 'no email' }) => email,
      ({ scope }: ScopeMissingError) => `missing the scope ${scope}`,
    );
    expect(shown).toBe(expected);
  });
});

it('is installed in a third-party Slack emulator on that one’s own page, and answers with the token from there', async () => {
  const stage = await startEmulatedStage(scopes, { installing: true });
  await stage.send(stage.command);
  await expect.poll(() => stage.answers.join()).toContain('isn’t installed in your workspace');

  const begun = await fetch(stage.here('/slack/install'), { redirect: 'manual' });
  const to = begun.headers.get('location') ?? '';
  expect(await (await fetch(to)).text()).toContain('Authorize <strong>Co-browse</strong>');
  const body = new URLSearchParams(new URL(to).search);
  body.set('user_id', stage.slack.alexId);
  const agreed = await fetch(`${stage.slack.url}/oauth/v2/authorize/callback`, {
    method: 'POST',
    redirect: 'manual',
    body,
  });
  const [cookie = ''] = (begun.headers.get('set-cookie') ?? '').split(';');
  const installed = await fetch(stage.here(agreed.headers.get('location') ?? ''), { headers: { cookie } });
  expect([installed.status, await installed.text()]).toEqual([
    200,
    expect.stringContaining('Co-browse is installed'),
  ]);

  await stage.send({ ...stage.command, trigger_id: 'another' });
  await expect.poll(() => stage.answers.join()).toContain('Jane Cooper');
});

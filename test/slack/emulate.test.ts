import { readFile } from 'node:fs/promises';
import { WebClient } from '@slack/web-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createPoster } from '../../src/slack/poster.ts';
import { createProfiles } from '../../src/slack/profiles.ts';
import { webClientOptions } from '../../src/workspaces/web-client.ts';
import { notice } from '../../src/messages/message.ts';
import { keptLog } from '../support/checked-sandbox.ts';
import { problemsIn } from '../support/shown.ts';
import { startEmulatedSlack, startEmulatedStage } from './emulated.ts';
import type { EmulatedSlack } from './emulated.ts';

const Manifest = z.object({ oauth_config: z.object({ scopes: z.object({ bot: z.array(z.string()) }) }) });
const file = await readFile(new URL('../../manifest.json', import.meta.url), 'utf8');
const { bot: scopes } = Manifest.parse(JSON.parse(file)).oauth_config.scopes;

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

/** Everything the bot wrote to a person directly. */
async function directTexts(slack: EmulatedSlack): Promise<string> {
  const channels = await slack.directMessages();
  const histories = await Promise.all(channels.map(({ id }) => slack.history(id)));
  const texts = histories.flat().map(({ text }) => text);
  return texts.join('\n');
}

async function clientWith(given: readonly string[]) {
  const slack = await startEmulatedSlack(given);
  const { log } = keptLog();
  return {
    slack,
    client: new WebClient(slack.botToken, webClientOptions({ apiUrl: slack.apiUrl, log })),
  };
}

const isSummary = ({ text = '' }: { readonly text?: string }) => text.includes('Co-browsing session ended');

describe('the app in a third-party Slack emulator, with only the manifest’s scopes', () => {
  let stage: Awaited<ReturnType<typeof startEmulatedStage>>;

  beforeAll(async () => {
    stage = await startEmulatedStage(scopes);
  });
  afterAll(() => stage.close());

  const who = () => ({ team_id: 'T000000001', user_id: stage.slack.alexId });

  let presses = 0;
  /** Types a command, presses the Watch button in the answer, and returns what a browser gets at its address. */
  async function watch(channel: string): Promise<Response> {
    const before = stage.answers.length;
    const form = {
      command: '/cobrowse',
      text: 'find jane@acme.com',
      trigger_id: 'x',
      response_url: stage.responseUrl,
    };
    expect(await stage.send({ ...form, ...who(), channel_id: channel })).toBe(200);
    await expect.poll(() => stage.answers.length).toBe(before + 1);
    const button = watchButtonIn(stage.answers.at(-1) ?? '');
    presses += 1;
    const press = {
      type: 'block_actions',
      team: { id: who().team_id },
      user: { id: who().user_id },
      channel: { id: channel },
      trigger_id: 'x',
      response_url: stage.responseUrl,
      actions: [{ action_id: 'watch', value: button.value, action_ts: `${Date.now() / 1_000 + presses}` }],
    };
    expect(await stage.send({ payload: JSON.stringify(press) })).toBe(200);
    return fetch(stage.here(button.url), { redirect: 'manual' });
  }

  /** A whole session: the press, the service's page, the end, the webhook. */
  async function watchAndEnd(channel: string) {
    const redirect = await watch(channel);
    const session = await stage.service.openWatchLink(redirect.headers.get('location') ?? '');
    const ended = await stage.service.endSession(session.id);
    const body = WatchUrlBody.parse(stage.service.requests.findLast(({ method }) => method === 'POST')?.body);
    const webhook = await fetch(stage.here(body.webhook_url), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(ended),
    });
    expect(webhook.status).toBe(200);
    return { body, sessionId: session.id };
  }

  it('finds the agent by the email of the profile, and posts the summary with blocks and an id as metadata', async () => {
    const { body } = await watchAndEnd(stage.slack.supportId);
    expect(body.agent.id).toBe('agent_alex');
    await expect
      .poll(async () => (await stage.slack.history(stage.slack.supportId)).some(isSummary))
      .toBe(true);
    const summary = (await stage.slack.history(stage.slack.supportId)).find(isSummary);
    expect(summary).toMatchObject({
      user: 'U0COBROWSE',
      metadata: {
        event_type: 'cobrowse_delivery',
        event_payload: { delivery: expect.stringMatching(/^\w+$/) },
      },
    });
    // This Slack doesn't say whether a channel is shared, so the app treats it as shared.
    expect(summary?.text).toContain('Visitor: jane4821');
    expect(summary?.text).toContain('Agent: Alex Rivera');
    expect(
      problemsIn({ surface: 'message', payload: { text: summary?.text, blocks: summary?.blocks } }),
    ).toEqual([]);
  });

  it('sends it to the agent as a direct message if the channel is unknown', async () => {
    await watchAndEnd('C0NOWHERE01');
    await expect
      .poll(() => directTexts(stage.slack))
      .toContain('couldn’t post this summary in <#C0NOWHERE01>');
    expect(await directTexts(stage.slack)).toContain('Type /invite @Co-browse there');
  });

  it('opens a modal for a message shortcut and fills it, without answering elsewhere', async () => {
    const before = stage.answers.length;
    const { alexId, supportId } = stage.slack;
    const payload = {
      type: 'message_action',
      callback_id: 'find_visitor',
      trigger_id: await stage.slack.triggerFor(alexId),
      team: { id: 'T000000001' },
      user: { id: alexId },
      channel: { id: supportId },
      response_url: stage.responseUrl,
      message: { ts: '1.000001', text: 'help Jane, please' },
    };
    expect(await stage.send({ payload: JSON.stringify(payload) })).toBe(200);
    // A form has no text to preview, so its title is there: the loading view has been replaced.
    await expect.poll(() => stage.slack.modals()).toMatchObject([{ preview: 'Find visitor' }]);
    const [opened] = await stage.slack.modals();
    const view = {
      id: opened?.id,
      callback_id: 'shortcut_form',
      private_metadata: JSON.stringify({ channelId: supportId, shortcut: 'find_visitor' }),
      state: { values: { text: { text_value: { type: 'plain_text_input', value: 'jane@acme.com' } } } },
    };
    const submission = { type: 'view_submission', team: { id: 'T000000001' }, user: { id: alexId }, view };
    expect(await stage.send({ payload: JSON.stringify(submission) })).toBe(200);
    await expect
      .poll(() => stage.slack.modals())
      .toMatchObject([{ id: opened?.id, preview: expect.stringContaining('Jane Cooper') }]);
    expect(stage.answers.length).toBe(before);
    expect(stage.logLines.join('')).not.toContain('could not be delivered');
  });

  it('was missing no scope in all this', () => {
    expect(stage.logLines.join('')).not.toContain('missing_scope');
  });
});

const profilesFrom = (client: WebClient) =>
  createProfiles(
    async () => client,
    () => 0,
  );

describe('Slack calls without their scope', () => {
  it('end for good, with the code: no post without chat:write', async () => {
    const { slack, client } = await clientWith(['commands', 'users:read']);
    const post = createPoster(async () => client);
    const to = { workspaceId: 'T1', to: slack.supportId };
    expect(await post(to, notice(['A summary.']), 'd')).toEqual({
      outcome: 'never',
      reason: 'missing_scope',
      neededScope: 'chat:write',
    });
    await slack.close();
  });

  it('reject: no profile without users:read', async () => {
    const { slack, client } = await clientWith(['chat:write']);
    const { profileOf } = profilesFrom(client);
    await expect(profileOf('T1', slack.alexId)).rejects.toMatchObject({ scope: 'users:read' });
    await slack.close();
  });

  it('give a profile without an email if users:read.email is missing, and with one if it is there', async () => {
    const without = await clientWith(['users:read']);
    expect(await profilesFrom(without.client).profileOf('T1', without.slack.alexId)).toMatchObject({
      email: undefined,
    });
    await without.slack.close();
    const whole = await clientWith(scopes);
    expect(await profilesFrom(whole.client).profileOf('T1', whole.slack.alexId)).toMatchObject({
      email: 'alex@acme.com',
    });
    await whole.slack.close();
  });

  it('reach a thread: a post under a message is a reply to it', async () => {
    const { slack, client } = await clientWith(scopes);
    await slack.say(slack.supportId, 'please help');
    const [root] = await slack.history(slack.supportId);
    const post = createPoster(async () => client);
    const to = { workspaceId: 'T1', to: slack.supportId, threadTs: root?.ts ?? '' };
    expect(await post(to, notice(['A summary.']), 'd')).toMatchObject({ outcome: 'posted' });
    const replies = await slack.replies(slack.supportId, root?.ts ?? '');
    expect(replies.map(({ text }) => text)).toEqual(['please help', 'A summary.']);
    await slack.close();
  });
});

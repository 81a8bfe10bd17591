import { expect, it } from 'vitest';
import { z } from 'zod';
import manifest from '../../manifest.json' with { type: 'json' };
import { problemsIn } from '../support/shown.ts';
import { TEAM, startEmulatedStage } from './emulated.ts';

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

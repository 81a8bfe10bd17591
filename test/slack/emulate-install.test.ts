import { expect, it, onTestFinished } from 'vitest';
import manifest from '../../manifest.json' with { type: 'json' };
import { startEmulatedStage } from './emulated.ts';

it('is installed in a third-party Slack emulator on that one’s own page, and answers with the token from there', async () => {
  const stage = await startEmulatedStage(manifest.oauth_config.scopes.bot, { installing: true });
  onTestFinished(() => stage.close());
  const command = {
    command: '/cobrowse',
    text: 'find jane@acme.com',
    trigger_id: 'x',
    response_url: stage.responseUrl,
    team_id: 'T000000001',
    user_id: stage.slack.alexId,
    channel_id: stage.slack.supportId,
  };
  await stage.send(command);
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

  await stage.send(command);
  await expect.poll(() => stage.answers.join()).toContain('Jane Cooper');
});

import { WebClient } from '@slack/web-api';
import { describe, expect, it, onTestFinished } from 'vitest';
import manifest from '../../manifest.json' with { type: 'json' };
import { startSlack } from '../../sandbox/slack/slack.ts';
import { NEEDED_SCOPES, appTokenState, channelState, tokenState } from '../../src/slack/setup-state.ts';
import { webClientOptions } from '../../src/workspaces/web-client.ts';
import { keptLog } from '../support/checked-sandbox.ts';
import { SUPPORT } from '../support/person.ts';

const BOT = 'xoxb-examined-test';
const APP = 'xapp-examined-test';

async function openSlack() {
  const slack = await startSlack({ signingSecret: 's', botToken: BOT, appToken: APP, manifest });
  onTestFinished(() => slack.close());
  const { log } = keptLog();
  const clientWith = (token: string) => new WebClient(token, webClientOptions({ apiUrl: slack.apiUrl, log }));
  return { slack, client: clientWith(BOT), clientWith };
}

describe('what Slack says about a channel', () => {
  it('is whether the app is in it', async () => {
    const { slack, client } = await openSlack();
    expect(await channelState(client, SUPPORT)).toBe('member');
    slack.changeChannel(SUPPORT, { hasApp: false });
    expect(await channelState(client, SUPPORT)).toBe('not-member');
  });

  it('is that it’s archived, until it is unarchived', async () => {
    const { slack, client } = await openSlack();
    slack.changeChannel(SUPPORT, { archived: true });
    expect(await channelState(client, SUPPORT)).toBe('archived');
    slack.changeChannel(SUPPORT, { archived: false });
    expect(await channelState(client, SUPPORT)).toBe('member');
  });

  it('is nothing for one it doesn’t show, and unknown if it fails', async () => {
    const { slack, client } = await openSlack();
    expect(await channelState(client, 'C0NOWHERE01')).toBe('not-found');
    slack.fail('conversations.info', 'internal_error', 1);
    expect(await channelState(client, SUPPORT)).toBe('unknown');
  });
});

describe('what Slack says about the tokens', () => {
  it('is that they are valid, and which scopes they have', async () => {
    const { client } = await openSlack();
    expect(await tokenState(client)).toEqual({
      is: 'good',
      scopes: expect.arrayContaining([...NEEDED_SCOPES]),
    });
    expect(await appTokenState(client, APP)).toEqual({ is: 'good' });
  });

  it('is why it refuses one', async () => {
    const { client, clientWith } = await openSlack();
    const refused = { is: 'refused', code: 'invalid_auth' };
    expect(await tokenState(clientWith('xoxb-another'))).toEqual(refused);
    expect(await appTokenState(client, 'xapp-another')).toEqual(refused);
  });

  it('is no refusal if Slack itself fails', async () => {
    const { slack, client } = await openSlack();
    slack.fail('auth.test', 'internal_error', 1);
    slack.fail('apps.connections.open', 'ratelimited', 1);
    expect(await tokenState(client)).toEqual({ is: 'unknown' });
    expect(await appTokenState(client, APP)).toEqual({ is: 'unknown' });
  });
});

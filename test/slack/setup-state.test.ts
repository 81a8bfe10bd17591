import { WebClient } from '@slack/web-api';
import { describe, expect, it, onTestFinished } from 'vitest';
import manifest from '../../manifest.json' with { type: 'json' };
import { startSlack } from '../../sandbox/slack/slack.ts';
import { appTokenState, channelState, tokenState } from '../../src/slack/setup-state.ts';
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
  it('is whether the app is in it, and that it’s archived', async () => {
    const { slack, client } = await openSlack();
    expect(await channelState(client, SUPPORT)).toBe('member');
    slack.changeChannel(SUPPORT, { archived: true });
    expect(await channelState(client, SUPPORT)).toBe('archived');
    slack.changeChannel(SUPPORT, { archived: false, hasApp: false });
    expect(await channelState(client, SUPPORT)).toBe('not-member');
  });

  it('is nothing for one it doesn’t show, and unknown if it fails', async () => {
    const { slack, client } = await openSlack();
    expect(await channelState(client, 'C0NOWHERE01')).toBe('not-found');
    slack.fail('conversations.info', 'internal_error', 1);
    expect(await channelState(client, SUPPORT)).toBe('unknown');
  });
});

describe('what Slack says about the tokens', () => {
  it('is no refusal if Slack itself fails', async () => {
    const { slack, client } = await openSlack();
    slack.fail('auth.test', 'internal_error', 1);
    slack.fail('apps.connections.open', 'ratelimited', 1);
    expect(await tokenState(client)).toEqual({ is: 'unknown' });
    expect(await appTokenState(client, APP)).toEqual({ is: 'unknown' });
  });
});

import { WebClient } from '@slack/web-api';
import { expect, it, onTestFinished } from 'vitest';
import manifest from '../../manifest.json' with { type: 'json' };
import { startSlack } from '../../sandbox/slack/slack.ts';
import { channelState } from '../../src/slack/setup-state.ts';
import { createSlackAgent, webClientOptions } from '../../src/workspaces/web-client.ts';
import { keptLog } from '../support/checked-sandbox.ts';
import { SUPPORT } from '../support/person.ts';

const BOT = 'xoxb-examined-test';

async function openSlack() {
  const slack = await startSlack({ signingSecret: 's', botToken: BOT, manifest });
  onTestFinished(() => slack.close());
  const { log } = keptLog();
  return {
    slack,
    client: new WebClient(
      BOT,
      webClientOptions({ apiUrl: slack.apiUrl, slackAgent: createSlackAgent(), log }),
    ),
  };
}

it('says of a channel whether the app can post there, and that it’s unknown where Slack fails', async () => {
  const { slack, client } = await openSlack();
  expect(await channelState(client, SUPPORT)).toBe('member');
  slack.changeChannel(SUPPORT, { archived: true });
  expect(await channelState(client, SUPPORT)).toBe('archived');
  slack.changeChannel(SUPPORT, { archived: false, hasApp: false });
  expect(await channelState(client, SUPPORT)).toBe('not-member');
  slack.fail('conversations.info', 'internal_error', 1);
  expect(await channelState(client, SUPPORT)).toBe('unknown');
});

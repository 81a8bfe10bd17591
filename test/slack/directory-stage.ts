import { WebClient } from '@slack/web-api';
import { createDirectory } from '../../src/slack/directory.ts';
import { createSlackAgent, webClientOptions } from '../../src/workspaces/web-client.ts';
import { keptLog } from '../support/checked-sandbox.ts';

const { log, lines } = keptLog();
export { lines as directoryLines };
const access = { apiUrl: 'https://slack.example/api/', slackAgent: createSlackAgent(), log };
const slack = new WebClient('none', webClientOptions(access));

export const found = async (workspaceId: string) => ({
  id: workspaceId,
  slack,
  installedAs: async () => ({ workspaceId, botId: 'B1', botUserId: 'U1' }),
});

/** What the app knows of T1's people and channels, from a Slack whose answers a test gives by nock. */
export const directoryIn = (more: Partial<Parameters<typeof createDirectory>[0]> = {}) =>
  createDirectory({
    find: found,
    get: found,
    currentChannelId: async (_workspaceId, channelId) => channelId,
    elapsed: () => 0,
    log,
    ...more,
  });

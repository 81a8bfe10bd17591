import { Secret } from '../../src/workspaces/data-keys.ts';
import type { NewInstall } from '../../src/workspaces/installs.ts';

/** What Slack says of a workspace that installs the app. */
export const anInstall = (workspaceId: string): NewInstall => ({
  workspaceId,
  name: workspaceId,
  url: 'https://x.slack.com/',
  appId: 'A1',
  botId: 'B1',
  botUserId: 'U1',
  scopes: ['commands'],
  installedBy: 'U2',
  botToken: new Secret(`token of ${workspaceId}`),
});

import { WebClient } from '@slack/web-api';
import { onTestFinished } from 'vitest';
import { acme, type Seed } from '../../sandbox/slack/seed.ts';
import { startSlack } from '../../sandbox/slack/slack.ts';
import { notice } from '../../src/messages/message.ts';
import { createPostFinder, createPoster } from '../../src/slack/posts.ts';
import { createSlackAgent, webClientOptions } from '../../src/workspaces/web-client.ts';
import { createInstalledAs } from '../../src/workspaces/workspaces.ts';
import { keptLog } from '../support/checked-sandbox.ts';

export const SUPPORT = 'C0SUPPORT01';
const TOKEN = 'xoxb-poster-test';
export const inSupport = { workspaceId: 'T0ACME00000', to: SUPPORT };
export const words = notice(['A summary.']);

const ALL_SCOPES = ['chat:write', 'channels:history', 'groups:history', 'im:history', 'im:write'];

const slackAgent = createSlackAgent();

/** How long to wait for an answer if a test wants none. */
const SHORT_MS = 250;

/**
 * What posts, looks and deletes, with the product's own client settings.
 *
 * @param more a time limit in place of the product's own
 */
export function postingAt(apiUrl: string, token = TOKEN, more: { readonly timeout?: number } = {}) {
  const { log } = keptLog();
  const client = new WebClient(token, { ...webClientOptions({ apiUrl, slackAgent, log }), ...more });
  const installedAs = createInstalledAs(client);
  const find = async () => ({ slack: client, installedAs });
  return { post: createPoster(find), find: createPostFinder(find) };
}

/** @param bot the scopes that the app has */
export async function postingStage(bot: readonly string[] = ALL_SCOPES, seed: Seed = acme) {
  const manifest = { features: {}, oauth_config: { scopes: { bot } } };
  const slack = await startSlack({ signingSecret: 's', botToken: TOKEN, manifest, seed });
  onTestFinished(() => slack.close());
  return {
    slack,
    ...postingAt(slack.apiUrl),
    /** The same, but soon out of patience. */
    impatient: postingAt(slack.apiUrl, TOKEN, { timeout: SHORT_MS }),
  };
}

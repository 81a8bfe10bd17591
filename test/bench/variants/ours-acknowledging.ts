import { WebClient } from '@slack/web-api';
import { z } from 'zod';
import { createCobrowse } from '../../../src/cobrowse/client.ts';
import { defaultWireNames } from '../../../src/cobrowse/wire-names.ts';
import { createCatalog } from '../../../src/commands/catalog.ts';
import { definePress } from '../../../src/commands/command.ts';
import { createHttpServer } from '../../../src/http/server.ts';
import { createLog } from '../../../src/logging/log.ts';
import { createMetrics } from '../../../src/logging/metrics.ts';
import { createBoltApp } from '../../../src/slack/slack.ts';
import { createEdge, listenForInteractions } from '../../../src/slack/interactions.ts';
import { createReceiver } from '../../../src/slack/receiver.ts';
import { createWatchCommand } from '../../../src/watch/watch.ts';
import { createSlackAgent, webClientOptions } from '../../../src/workspaces/web-client.ts';
import type { Workspace } from '../../../src/workspaces/workspaces.ts';
import { settings } from './settings.ts';

/*
 * Our edge to Slack with every listener, but for the answers: each question is made and then not worked out, so that
 * what is measured is the acknowledgement, and not the answer that follows it.
 */
const log = createLog({ level: 'warn', secrets: [] });
const cobrowse = createCobrowse({
  cloud: { baseUrl: settings.COBROWSE_BASE_URL, apiKey: settings.COBROWSE_API_KEY },
  onPremise: undefined,
  wireNames: defaultWireNames,
});
const slackAgent = createSlackAgent();
const client = new WebClient(
  settings.SLACK_BOT_TOKEN,
  webClientOptions({ apiUrl: settings.SLACK_API_URL, slackAgent, log }),
);
const receiver = createReceiver({
  signingSecret: settings.SLACK_SIGNING_SECRET,
  log,
  claims: { claim: async () => true, release: async () => undefined },
  now: Date.now,
  report: (reason) => log.warn({ reason }),
});

const parts: Parameters<typeof createWatchCommand>[0] = {
  visitorTools: async () => ({
    canStop: true,
    at: new Date(),
    targetsOf: (value) => ({ usual: { value }, choices: [] }),
  }),
  partnersOf: async () => new Map(),
  recording: {
    search: (_who, _typed, search) => search(),
    lookUp: (_who, _typed, lookUp) => lookUp(),
  },
};
const defineLinkPress: Parameters<typeof createWatchCommand>[1] = ({ actionId }) =>
  definePress({ actionId, answer: 'replace', needsAnswer: false, right: 'everybody', value: z.string() });
const nothing = { presses: [], forms: [] };
const watch = createWatchCommand(parts, defineLinkPress, nothing);
const nobody = { members: false, ids: [] };
const workspace: Workspace = {
  id: 'T1',
  slack: client,
  slackAgent,
  cobrowse,
  accountId: 'none',
  ownAccountId: undefined,
  endSource: 'webhook',
  serviceUrls: [],
  linkHosts: [],
  hasPlainLinks: false,
  installedAs: () => Promise.reject(new Error('Nobody asks.')),
  settings: () => Promise.reject(new Error('Nobody asks.')),
  defaults: {
    rules: { watch: nobody, stop: nobody, delete: nobody, usage: nobody },
    summaryChannel: undefined,
  },
};
const metrics = createMetrics();
const bolt = createBoltApp(receiver, {
  apiUrl: settings.SLACK_API_URL,
  slackAgent,
  log,
  acknowledgements: metrics.acknowledgements,
  workspaceIn: async () => undefined,
});
const app = {
  slackAgent,
  installUrl: undefined,
  isAdmin: async () => false,
  mustReinstall: async () => false,
  now: Date.now,
  showPrivately: async () => false,
  newBlocks: { areRefused: async () => false, refuse: async () => undefined },
};
const edge = createEdge(app, {
  log,
  config: { mode: 'http', apiUrl: '', botToken: '', signingSecret: '' },
  catalog: createCatalog(watch, [watch], nothing, async () => false),
  workspaces: { find: async () => workspace, check: async () => undefined },
  metrics,
  newReference: () => '',
  ifAllowed: ({ run }, about, who) => run(about, who),
  home: {
    tab: { show: async () => undefined, renew: async () => undefined },
    failed: () => ({ type: 'home', blocks: [] }),
    firstRun: { greet: async () => undefined, added: async () => undefined },
  },
  changes: { changed: async () => undefined, moved: async () => undefined },
});
listenForInteractions(bolt, { ...edge, answerer: { ...edge.answerer, take: () => undefined } });
await createHttpServer([receiver.route], () => ({ status: 500 })).listen(0, '127.0.0.1');

import { createCloudClient } from '../../../src/cobrowse/cloud.ts';
import { defaultWireNames } from '../../../src/cobrowse/wire-names.ts';
import { createHttpServer } from '../../../src/http/server.ts';
import { createLog } from '../../../src/log.ts';
import { createBoltLogger } from '../../../src/slack/bolt-logger.ts';
import { createBoltApp } from '../../../src/slack/bolt.ts';
import { createCatalog } from '../../../src/catalog.ts';
import { listenForInteractions } from '../../../src/slack/interactions.ts';
import { createPayloadReader } from '../../../src/slack/read-payload.ts';
import { createReceiver } from '../../../src/slack/receiver.ts';
import { webClientOptions } from '../../../src/workspaces/web-client.ts';
import type { Services } from '../../../src/services.ts';
import { WebClient } from '@slack/web-api';
import { settings } from './settings.ts';
import { notice } from '../../../src/messages/message.ts';

/*
 * Our edge to Slack with every listener, but for the answers: each question is made and then not worked out, so that
 * what is measured is the acknowledgement, and not the answer that follows it.
 */
const log = createLog({ level: 'warn', secrets: [] });
const cobrowse = createCloudClient({
  baseUrl: settings.COBROWSE_BASE_URL,
  apiKey: settings.COBROWSE_API_KEY,
  wireNames: defaultWireNames,
});
const logger = createBoltLogger(log);
const client = new WebClient(
  settings.SLACK_BOT_TOKEN,
  webClientOptions({ apiUrl: settings.SLACK_API_URL, logger }),
);
const nothing = async () => notice(['Nothing.']);
const receiver = createReceiver({
  signingSecret: settings.SLACK_SIGNING_SECRET,
  now: Date.now,
  report: (reason) => log.warn({ reason }),
  rateLimited: (which) => log.warn(which),
});

const services: Services = {
  cobrowse,
  visitorTools: async () => ({
    canStop: true,
    at: new Date(),
    targetsOf: (value) => ({ usual: { value }, choices: [] }),
  }),
  partnersOf: async () => new Map(),
  linkHosts: [],
  pressTarget: async () => ({ value: '' }),
  record: async () => undefined,
  linksInUse: async () => [],
  audit: {
    page: async () => ({ entries: [], next: undefined }),
    async *read() {},
    hashOf: (typed) => typed,
  },
  sendFile: async () => ({ outcome: 'sent' }),
  filesUnderWay: { claim: async () => true, release: async () => undefined },
  sessionOutcomes: {
    find: async () => undefined,
    choose: async () => ({ is: 'too-old' }),
    threadIn: async () => undefined,
  },
  isShared: async () => false,
  postReply: async () => ({ outcome: 'posted', ts: undefined }),
  now: Date.now,
  isAdmin: async () => false,
  examine: async () => [],
  startOptions: async () => ({ accessLevels: [], usual: 'full', summariesTo: 'person' }),
  externalIdOf: (_workspaceId, userId) => userId,
  mayAct: async () => ({ allowed: true }),
  recording: {
    search: (_who, _typed, search) => search(),
    lookUp: (_who, _typed, lookUp) => lookUp(),
    around: (_who, _what, act) => act(),
    announced: (_who, _what, act) => act(),
  },
  subscriptions: {
    subscribe: nothing,
    digest: nothing,
    endIn: nothing,
    end: nothing,
    resume: nothing,
    list: nothing,
    refuse: async () => undefined,
    toEdit: async () => undefined,
    edit: nothing,
  },
  groupsOf: async () => [],
  onIt: { toggle: async () => ({ is: 'released' }) },
  onlineRequests: { ask: async () => ({ is: 'full', most: 0 }), cancel: async () => false },
  addressMakesLink: true,
  provePress: async () => undefined,
  linkAtPress: async () => ({ is: 'repeated' }),
  emailOf: async () => undefined,
  runningSessions: async () => [],
  timeZoneOf: async () => undefined,
  recordingStop: (_visitorId, _caller, stop) => stop().then(() => true),
};
const answerer = { take: () => undefined, idle: async () => undefined };
const bolt = createBoltApp({ receiver, apiUrl: settings.SLACK_API_URL, logger, log });
listenForInteractions(bolt, {
  greet: () => undefined,
  catalog: createCatalog({ presses: [], forms: [] }),
  workspaceOf: async () => ({ client, services }),
  answerer,
  isOwnBot: async () => false,
  read: createPayloadReader(log),
  drawHome: () => undefined,
  prefetch: () => undefined,
  unknownWorkspace: () => undefined,
  report: (error) => log.warn({ err: error }),
});
await createHttpServer([receiver.route], () => ({ status: 500 })).listen(0, '127.0.0.1');

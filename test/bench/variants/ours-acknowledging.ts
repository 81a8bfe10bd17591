import { createCloudClient } from '../../../src/cobrowse/cloud.ts';
import { defaultWireNames } from '../../../src/cobrowse/wire-names.ts';
import { createHttpServer } from '../../../src/http/server.ts';
import { createLog } from '../../../src/log.ts';
import { createBoltLogger } from '../../../src/slack/bolt-logger.ts';
import { createBoltApp } from '../../../src/slack/bolt.ts';
import { createPayloadReader } from '../../../src/slack/read-payload.ts';
import { createReceiver } from '../../../src/slack/receiver.ts';
import { settings } from './settings.ts';
import { notice } from '../../../src/views/message.ts';

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
const nothing = async () => notice(['Nothing.']);
const receiver = createReceiver({
  signingSecret: settings.SLACK_SIGNING_SECRET,
  now: Date.now,
  report: (reason) => log.warn({ reason }),
  rateLimited: (which) => log.warn(which),
});

createBoltApp({
  receiver,
  botToken: settings.SLACK_BOT_TOKEN,
  apiUrl: settings.SLACK_API_URL,
  logger: createBoltLogger(log),
  log,
  answerer: { take: () => undefined, idle: async () => undefined },
  isOwnBot: async () => false,
  report: (error) => log.warn({ err: error }),
  read: createPayloadReader(log),
  warm: () => undefined,
  services: {
    cobrowse,
    visitorTools: async () => ({ canStop: true, targetsOf: (value) => ({ usual: { value }, choices: [] }) }),
    pressTarget: () => ({ value: '' }),
    record: async () => undefined,
    linksInUse: async () => [],
    audit: {
      page: async () => ({ entries: [], next: undefined }),
      async *read() {},
      hashOf: (typed) => typed,
    },
    sendFile: async () => ({ outcome: 'sent' }),
    now: Date.now,
    isAdmin: async () => false,
    examine: async () => [],
    startOptions: async () => ({ powers: [], usual: 'full', summariesTo: 'person' }),
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
    },
    addressMakesLink: true,
    provePress: async () => undefined,
    linkAtPress: async () => ({ is: 'repeated' }),
    emailOf: async () => undefined,
    recordingStop: (_visitorId, _caller, stop) => stop(),
  },
});
await createHttpServer([receiver.route], () => ({ status: 500 })).listen(0, '127.0.0.1');

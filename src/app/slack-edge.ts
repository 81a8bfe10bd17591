import type { App } from '@slack/bolt';
import { WebClient } from '@slack/web-api';
import type { Services } from '../commands/services.ts';
import type { Route } from '../http/routes.ts';
import type { Answerer } from '../slack/answer.ts';
import { createBoltLogger } from '../slack/bolt-logger.ts';
import { createBoltApp } from '../slack/bolt.ts';
import { createIsOwnBot } from '../slack/installed-as.ts';
import { createPayloadReader } from '../slack/read-payload.ts';
import { createReceiver } from '../slack/receiver.ts';
import { createSocketReceiver } from '../slack/socket-receiver.ts';
import { webClientOptions } from '../slack/web-client.ts';
import type { Agents } from '../watch/agents.ts';
import type { Ground } from './ground.ts';

interface SlackEdgeParts {
  readonly ground: Ground;
  readonly agents: Pick<Agents, 'agentOf'>;
  readonly services: Services;
  readonly answerer: Answerer;
}

/** Bolt over the way by which Slack reaches us: our own route, or a socket. */
export function joinSlackEdge(parts: SlackEdgeParts): {
  readonly bolt: App;
  readonly routes: readonly Route[];
} {
  const { ground, agents, services, answerer } = parts;
  const { config, log, now, metrics } = ground;
  const { botToken, apiUrl } = config.slack;
  const logger = createBoltLogger(log);
  const http =
    config.slack.mode === 'http'
      ? createReceiver({
          signingSecret: config.slack.signingSecret,
          now,
          report: (reason) => metrics.refused(reason),
          rateLimited: (which) =>
            log.warn(which, 'Slack is dropping events: more happened in an hour than it sends to an app'),
        })
      : undefined;
  const receiver =
    config.slack.mode === 'socket'
      ? createSocketReceiver({
          client: new WebClient(config.slack.appToken, webClientOptions({ apiUrl, logger })),
          log,
        })
      : http;
  // The press that follows says what fails.
  const warm = (workspaceId: string, userId: string) =>
    void agents.agentOf(workspaceId, userId).catch(() => undefined);
  const report = (error: unknown) => log.warn({ err: error }, 'suggestions could not be had');
  if (receiver === undefined) throw new Error('No receiver for this mode.');
  const isOwnBot = createIsOwnBot(ground.installedAs);
  const bolt = createBoltApp({
    receiver,
    botToken,
    apiUrl,
    logger,
    log,
    services,
    answerer,
    isOwnBot,
    read: createPayloadReader(log),
    warm,
    report,
  });
  return { bolt, routes: http === undefined ? [] : [http.route] };
}

import type { App } from '@slack/bolt';
import type { Services } from '../commands/services.ts';
import type { Route } from '../http/routes.ts';
import type { Answerer } from '../slack/answer.ts';
import { createBoltLogger } from '../slack/bolt-logger.ts';
import { createBoltApp, createSocketReceiver } from '../slack/bolt.ts';
import type { People } from '../slack/people.ts';
import { createPayloadReader } from '../slack/read-payload.ts';
import { createReceiver } from '../slack/receiver.ts';
import type { Ground } from './ground.ts';

interface SlackEdgeParts {
  readonly ground: Ground;
  readonly people: People;
  readonly services: Services;
  readonly answerer: Answerer;
}

/** Bolt over the way by which Slack reaches us: our own route, or a socket. */
export function joinSlackEdge(parts: SlackEdgeParts): {
  readonly bolt: App;
  readonly routes: readonly Route[];
} {
  const { ground, people, services, answerer } = parts;
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
      ? createSocketReceiver({ appToken: config.slack.appToken, apiUrl, logger })
      : http;
  const warm = (workspaceId: string, userId: string) => void people.agentFor(workspaceId, userId);
  const report = (error: unknown) => log.warn({ err: error }, 'suggestions could not be had');
  if (receiver === undefined) throw new Error('No receiver for this mode.');
  const bolt = createBoltApp({
    receiver,
    botToken,
    apiUrl,
    logger,
    log,
    services,
    answerer,
    read: createPayloadReader(log),
    warm,
    report,
  });
  return { bolt, routes: http === undefined ? [] : [http.route] };
}

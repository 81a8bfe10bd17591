import { App, type Receiver } from '@slack/bolt';
import type { Histogram } from 'prom-client';
import type { Dispatcher } from 'undici';
import type { Log } from '../logging/log.ts';
import { slackErrorCode, webClientOptions } from '../workspaces/web-client.ts';
import { SlackTokenError } from './setup-state.ts';

interface BoltParts {
  readonly apiUrl: string;
  /** Connections to Slack. */
  readonly slackAgent: Dispatcher;
  readonly log: Log;
  /** How long Slack's requests take to be acknowledged. */
  readonly acknowledgements: Pick<Histogram, 'startTimer'>;
}

/**
 * Bolt on the given receiver, without a token: listeners use the client of the workspace they act in, so that Bolt
 * keeps none.
 */
export function createBoltApp(receiver: Receiver, { acknowledgements, ...access }: BoltParts): App {
  const { log } = access;
  const clientOptions = webClientOptions(access);
  const bolt = new App({
    receiver,
    logger: clientOptions.logger,
    // Otherwise Bolt would look up a conversation for every request.
    convoStore: false,
    ignoreSelf: false,
    // Bolt's check of a token would call auth.test before the first acknowledgement.
    authorize: async () => ({}),
    clientOptions,
  });
  bolt.error(async (error) => {
    log.error({ err: error }, 'a request from Slack could not be handled');
  });
  const takeApart = bolt.processEvent.bind(bolt);
  // Bolt takes the shape of a body for granted, and rejects if it's another, before any listener runs. It would be the same
  // again, so it's acknowledged; the error's own words may quote what a person typed.
  bolt.processEvent = async (request) => {
    const acknowledged = acknowledgements.startTimer();
    const ack: typeof request.ack = async (answer) => {
      await request.ack(answer);
      acknowledged();
    };
    await takeApart({ ...request, ack }).catch(() => {
      log.warn("Slack sent something that Bolt can't take apart, so nothing was done");
    });
  };
  return bolt;
}

function whenCalledOff(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

/**
 * Starts Bolt. In Socket Mode that waits for the connection, however long Slack can't be reached.
 *
 * @param signal cancels the start, which then rejects with its reason
 * @throws SlackTokenError if Slack refuses the app-level token
 */
export async function startBolt(bolt: App, signal = new AbortController().signal): Promise<void> {
  signal.throwIfAborted();
  try {
    await Promise.race([bolt.start(), whenCalledOff(signal)]);
  } catch (error) {
    const code = slackErrorCode(error);
    throw code === undefined ? error : new SlackTokenError('SLACK_APP_TOKEN', code, error);
  }
}

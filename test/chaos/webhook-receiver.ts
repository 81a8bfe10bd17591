import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { listen } from '../../sandbox/listen.ts';
import type { Chance } from './chance.ts';

/** One try of an outgoing webhook. */
export interface WebhookTry {
  readonly path: string;
  /** Its `webhook-id`. */
  readonly id: string;
  readonly timestamp: string;
  readonly signature: string;
  readonly body: string;
}

/** A try that arrived, and whether it was answered with a status that takes it. */
export type Arrived = WebhookTry & { readonly isTaken: boolean };

/** A program that gets webhooks, and doesn't always take them. */
export interface WebhookReceiver {
  /** Where those of a workspace are sent. */
  readonly addressFor: (workspaceId: string) => string;
  readonly host: string;
  /** Those of a workspace, in the order in which they came. */
  readonly arrivedFor: (workspaceId: string) => readonly Arrived[];
  /** Lets a share of what comes be refused, left without an answer, or cut off; or nothing any more. */
  misbehave(isBad: boolean): void;
  /** Hangs up on everybody until the action is done. */
  away(action: () => Promise<unknown>): Promise<void>;
  close(): Promise<void>;
}

interface Answer {
  readonly share: number;
  readonly isTaken?: boolean;
  readonly give: (response: ServerResponse) => unknown;
}

const TAKEN: Answer = { share: 1, isTaken: true, give: (response) => response.writeHead(204).end() };
const REFUSED: Answer = { share: 0.1, give: (response) => response.writeHead(500).end() };
const BAD: readonly Answer[] = [
  REFUSED,
  { share: 0.05, give: (response) => response.writeHead(429, { 'retry-after': '30' }).end() },
  { share: 0.03, give: () => undefined },
  { share: 0.1, give: (response) => response.destroy() },
];

function pickAnswer(chance: Chance): Answer {
  let number = chance.next();
  return BAD.find(({ share }) => (number -= share) < 0) ?? TAKEN;
}

const pathFor = (workspaceId: string) => `/hooks/${workspaceId}`;

const tryOf = ({ headers, url: path = '' }: IncomingMessage, body: string): WebhookTry => {
  const header = (name: string) => [headers[name]].flat()[0] ?? '';
  return {
    path,
    id: header('webhook-id'),
    timestamp: header('webhook-timestamp'),
    signature: header('webhook-signature'),
    body,
  };
};

/**
 * Starts one. The first try of all is refused in any weather, so that there is always a second one.
 *
 * @param between what becomes of a try on its way; undefined: it's answered as if it had arrived
 */
export async function startWebhookReceiver(
  chance: Chance,
  between: (one: WebhookTry) => WebhookTry | undefined = (one) => one,
): Promise<WebhookReceiver> {
  const arrived: Arrived[] = [];
  let [isBad, isAway] = [false, false];

  const server = createServer((request, response) => {
    const receive = async (): Promise<void> => {
      const one = between(tryOf(request, await text(request)));
      const answer = arrived.length === 0 ? REFUSED : isBad ? pickAnswer(chance) : TAKEN;
      if (one === undefined) return void TAKEN.give(response);
      arrived.push({ ...one, isTaken: answer.isTaken === true });
      answer.give(response);
    };
    receive().catch(() => response.destroy());
  });
  server.on('connection', (socket) => {
    if (isAway) socket.destroy();
  });
  const url = await listen(server, 0);

  return {
    addressFor: (workspaceId) => url + pathFor(workspaceId),
    host: new URL(url).host,
    arrivedFor: (workspaceId) => arrived.filter(({ path }) => path === pathFor(workspaceId)),
    misbehave(bad) {
      isBad = bad;
    },
    async away(action) {
      isAway = true;
      server.closeAllConnections();
      await action();
      isAway = false;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}

import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { App } from '@slack/bolt';
import { WebClient } from '@slack/web-api';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WebSocketServer, type WebSocket } from 'ws';
import { z } from 'zod';
import { createSocketReceiver } from '../../src/slack/socket-receiver.ts';
import { createSlackAgent, createSlackLogger, webClientOptions } from '../../src/workspaces/web-client.ts';
import { keptLog } from '../support/checked-sandbox.ts';

const Acknowledged = z.object({ envelope_id: z.string(), payload: z.unknown().optional() });

/** A connection as Slack sees it. */
interface Seen {
  readonly socket: WebSocket;
  readonly isOpen: () => boolean;
  /** Asks the app to leave it. */
  disconnect(reason: string): void;
  /** Sends a command. Resolves once it's acknowledged; rejects if the connection closes first. */
  command(id: string): Promise<void>;
}

/** Opens connections, with Slack's side of them; each test says when Slack does what. */
async function startSocketSlack({ autoPong = true, greets = (): boolean => true } = {}) {
  const refusals: ((response: ServerResponse) => void)[] = [];
  const acks = new Map<string, number>();
  const seen: Seen[] = [];
  const waiting: ((connection: Seen) => void)[] = [];
  let opens = 0;
  const sockets = new WebSocketServer({ noServer: true, autoPong });
  const server = createServer((_, response) => {
    opens += 1;
    const refuse = refusals.shift();
    if (refuse !== undefined) {
      refuse(response);
      return;
    }
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ ok: true, url: `${address().replace('http', 'ws')}/link` }));
  });
  const address = () => {
    const at = server.address();
    return `http://127.0.0.1:${typeof at === 'object' && at !== null ? at.port : 0}`;
  };

  function welcome(socket: WebSocket): void {
    if (!greets()) return;
    const unacknowledged = new Map<string, () => void>();
    const gone = once(socket, 'close');
    socket.on('message', (data: unknown) => {
      const { envelope_id: id } = Acknowledged.parse(JSON.parse(String(data)));
      acks.set(id, (acks.get(id) ?? 0) + 1);
      // Only the connection it was sent on accepts it.
      unacknowledged.get(id)?.();
    });
    const connection: Seen = {
      socket,
      isOpen: () => socket.readyState === socket.OPEN,
      disconnect: (reason) => socket.send(JSON.stringify({ type: 'disconnect', reason })),
      async command(id) {
        const { promise, resolve } = Promise.withResolvers<void>();
        unacknowledged.set(id, resolve);
        const payload = { command: '/cobrowse', text: id, team_id: 'T1', user_id: 'U1', channel_id: 'C1' };
        socket.send(JSON.stringify({ envelope_id: id, type: 'slash_commands', payload }));
        const isLost = await Promise.race([promise, gone.then(() => 'lost')]);
        if (isLost === 'lost') throw new Error(`The connection closed before ${id} was acknowledged.`);
      },
    };
    socket.send(JSON.stringify({ type: 'hello', num_connections: 1 }));
    seen.push(connection);
    waiting.shift()?.(connection);
  }

  let isRefusing = false;
  server.on('upgrade', (request, socket, head) => {
    if (isRefusing) socket.destroy();
    else sockets.handleUpgrade(request, socket, head, welcome);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const { socket } of seen) socket.terminate();
    server.close();
    server.closeAllConnections();
  });

  return {
    apiUrl: `${address()}/api/`,
    acks,
    opens: () => opens,
    /** The connections that are open. */
    open: () => seen.filter((connection) => connection.isOpen()),
    /** How the next calls of apps.connections.open are answered. */
    refuse: (...how: typeof refusals) => void refusals.push(...how),
    /** Whether websockets are turned away. */
    turnAway: (away: boolean) => void (isRefusing = away),
    /** The next connection that the app opens, once it has had its hello. */
    next: () => new Promise<Seen>((resolve) => void waiting.push(resolve)),
  };
}

/** The product's receiver with one listener, which acknowledges commands. */
function startReceiver(apiUrl: string, times?: Parameters<typeof createSocketReceiver>[0]['times']) {
  const { log, lines } = keptLog();
  const logger = createSlackLogger(log);
  const slackAgent = createSlackAgent();
  const client = new WebClient('xapp-test', webClientOptions({ apiUrl, slackAgent, log }));
  const receiver = createSocketReceiver({ client, slackAgent, log, waitAfter: () => 1, times });
  const app = new App({ receiver, logger, convoStore: false, authorize: async () => ({ botToken: 'none' }) });
  app.command(/.*/, async ({ ack }) => {
    await ack();
    await ack();
  });
  onTestFinished(async () => void (await app.stop()));
  return { app, lines, disconnectedMs: receiver.disconnectedMs };
}

async function connected(
  options?: Parameters<typeof startSocketSlack>[0],
  times?: Parameters<typeof startReceiver>[1],
) {
  const slack = await startSocketSlack(options);
  const receiver = startReceiver(slack.apiUrl, times);
  const opened = slack.next();
  await receiver.app.start();
  return { ...receiver, slack, first: await opened };
}

const refusal = (error: string) => (response: ServerResponse) =>
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ ok: false, error }));

/** Five commands one after another, each once the one before is acknowledged. */
async function commands(connection: Seen, name: string): Promise<void> {
  for (let number = 0; number < 5; number += 1) await connection.command(`${name}-${number}`);
}

describe('a Slack that asks for another connection while commands go on', () => {
  it.each(['refresh_requested', 'warning'])('loses none: %s', async (reason) => {
    const { slack, first } = await connected();
    await commands(first, 'before');
    const successor = slack.next();
    first.disconnect(reason);
    // Slack goes on using the old one until it has the new one, and a little longer.
    await commands(first, 'asked');
    const second = await successor;
    expect([first.isOpen(), second.isOpen()]).toEqual([true, true]);
    await Promise.all([commands(first, 'old'), commands(second, 'new')]);
    first.socket.close();
    await commands(second, 'after');
    expect([...slack.acks.values()]).toEqual(Array.from({ length: 25 }, () => 1));
    expect(slack.opens()).toBe(2);
  });
});

describe('a Slack that fails', () => {
  it('gets another connection if it closes one silently, and the log warns about it', async () => {
    const { slack, first, lines } = await connected();
    const successor = slack.next();
    first.socket.terminate();
    await commands(await successor, 'again');
    const told = lines.find((line) => line.includes('lost the connection to Slack'));
    expect(told).toMatch(/"level":40.*"reason":"closed with 1006"/);
    expect(lines.join('')).not.toContain('asks for another');
  });

  it('sends something unreadable: logged, and nothing else', async () => {
    const { first, lines } = await connected();
    first.socket.send('no JSON');
    first.socket.send(JSON.stringify({ type: 'something_new' }));
    first.socket.send(JSON.stringify({ envelope_id: 'spoiled', type: 'events_api', payload: 'secret' }));
    await commands(first, 'after');
    expect(lines.filter((line) => line.includes('cannot read'))).toHaveLength(3);
    expect(lines.join('')).not.toContain('secret');
  });

  it('is asked again if it refuses, as late as it says', async () => {
    const { slack, first, lines } = await connected();
    slack.refuse(
      (response) => response.writeHead(429, { 'retry-after': '1' }).end(),
      (response) => response.writeHead(500).end(),
      (response) => void response.destroy(),
      refusal('internal_error'),
    );
    const successor = slack.next();
    first.socket.terminate();
    await commands(await successor, 'again');
    const waits = lines.flatMap((line) => /"waitMs":(\d+)/.exec(line)?.[1] ?? []);
    expect(waits).toEqual(['1000', '1', '1', '1']);
    expect(slack.opens()).toBe(6);
  });

  it('is left if it is silent', async () => {
    const times = { ping: 20, silence: 200 };
    const { slack, first } = await connected({ autoPong: false }, times);
    const successor = slack.next();
    await successor;
    expect(first.isOpen()).toBe(false);
  });

  it('is opened anew where its hello doesn’t come', async () => {
    const answers = [false, true];
    const slack = await startSocketSlack({ greets: () => answers.shift() ?? true });
    const { app, lines } = startReceiver(slack.apiUrl, { hello: 500 });
    await app.start();
    expect(slack.opens()).toBeGreaterThan(1);
    expect(lines.join('')).toContain('closed before its hello');
  });

  it('is believed at the start if it refuses the token', async () => {
    const slack = await startSocketSlack();
    slack.refuse(refusal('invalid_auth'));
    await expect(startReceiver(slack.apiUrl).app.start()).rejects.toThrow('invalid_auth');
    expect(slack.opens()).toBe(1);
  });
});

describe('an app that stops', () => {
  it('does so while it has no connection, and opens no other', async () => {
    const { app, slack, first, lines, disconnectedMs } = await connected();
    expect(disconnectedMs()).toBe(0);
    slack.turnAway(true);
    first.socket.terminate();
    await expect.poll(() => lines.join('')).toContain("can't connect to Slack");
    expect(disconnectedMs()).toBeGreaterThan(0);
    await app.stop();
    slack.turnAway(false);
    // By the time that a second app has opened a connection and used it, the first would have opened another, too. One
    // that was on its way when it stopped may still arrive here: it's over at once.
    const { app: second } = startReceiver(slack.apiUrl);
    await second.start();
    await expect.poll(() => slack.open()).toHaveLength(1);
    await Promise.all(slack.open().map((connection) => commands(connection, 'second')));
    expect(slack.open()).toHaveLength(1);
  });

  it('acknowledges what came before, then closes', async () => {
    const { app, slack, first } = await connected();
    const last = first.command('last');
    await expect.poll(() => slack.acks.get('last')).toBe(1);
    await Promise.all([last, app.stop()]);
    await expect.poll(() => first.isOpen()).toBe(false);
  });
});

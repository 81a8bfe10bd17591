import { LogLevel, SocketModeClient } from '@slack/socket-mode';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import type { SlackOptions } from '../../../sandbox/slack/slack.ts';
import { alex, appToken, startBoth, support } from './tiny-app.ts';

const eventSchema = z.object({
  type: z.string(),
  accepts_response_payload: z.boolean(),
  retry_num: z.number().optional(),
  retry_reason: z.string().optional(),
  body: z.record(z.string(), z.unknown()),
  ack: z.custom<(answer?: unknown) => Promise<void>>((value) => typeof value === 'function'),
});

type SocketEvent = z.output<typeof eventSchema>;

/** A Slack with Slack's own Socket Mode client connected, and the tiny HTTP app that must then get nothing. */
async function startConnected(answer: (event: SocketEvent) => unknown, options: Partial<SlackOptions> = {}) {
  const both = await startBoth({ appToken, ...options });
  const client = new SocketModeClient({
    appToken,
    logLevel: LogLevel.ERROR,
    autoReconnectEnabled: false,
    clientOptions: { slackApiUrl: both.slack.apiUrl },
  });
  const events: SocketEvent[] = [];
  client.on('slack_event', (received: unknown) => {
    const event = eventSchema.parse(received);
    events.push(event);
    answer(event);
  });
  await client.start();
  onTestFinished(() => client.disconnect());
  return { ...both, events, client };
}

const find = { as: alex, channel: support, text: '/cobrowse find jane@acme.com' };

describe('Socket Mode', () => {
  it('brings events, again where they are not acknowledged', async () => {
    const options = { ackLimitMs: 1_500, eventRetryDelaysMs: [0] };
    const { slack, events } = await startConnected((event) => event.retry_num === 1 && event.ack(), options);
    await slack.openHome({ as: alex });
    await expect.poll(() => events.length).toBe(2);
    const body = { event: { type: 'app_home_opened', user: alex } };
    const event = { type: 'events_api', accepts_response_payload: false, body };
    const again = { ...event, retry_num: 1, retry_reason: 'http_timeout' };
    expect(events).toMatchObject([{ ...event, retry_num: 0 }, again]);
  });

  it('gives way to HTTP once the socket is closed', async () => {
    const { slack, app, client } = await startConnected((event) => event.ack());
    await client.disconnect();
    const received = async () => {
      await slack.command(find);
      return app.received.length;
    };
    await expect.poll(received).toBeGreaterThan(0);
  });

  it('lets a ticket be used once', async () => {
    const { call } = await startBoth({ appToken });
    const { url } = z.object({ url: z.string() }).parse(await call('apps.connections.open', {}, appToken));
    const connect = () =>
      new Promise<string>((resolve) => {
        const socket = new WebSocket(url);
        socket.addEventListener('message', ({ data }) => resolve(String(data)));
        socket.addEventListener('error', () => resolve('refused'));
      });
    expect(await connect()).toContain('"type":"hello"');
    expect(await connect()).toBe('refused');
  });
});

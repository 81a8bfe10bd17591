import { LogLevel, SocketModeClient } from '@slack/socket-mode';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { alex, appToken, startBoth } from './tiny-app.ts';

const eventSchema = z.object({
  type: z.string(),
  accepts_response_payload: z.boolean(),
  retry_num: z.number().optional(),
  retry_reason: z.string().optional(),
  body: z.record(z.string(), z.unknown()),
  ack: z.custom<() => Promise<void>>((value) => typeof value === 'function'),
});

describe('Socket Mode', () => {
  it('brings events to Slack’s own client, again where they are not acknowledged', async () => {
    const { slack } = await startBoth({ appToken, ackLimitMs: 1_500, eventRetryDelaysMs: [0] });
    const client = new SocketModeClient({
      appToken,
      logLevel: LogLevel.ERROR,
      autoReconnectEnabled: false,
      clientOptions: { slackApiUrl: slack.apiUrl },
    });
    const events: z.output<typeof eventSchema>[] = [];
    client.on('slack_event', (received: unknown) => {
      const event = eventSchema.parse(received);
      events.push(event);
      if (event.retry_num === 1) void event.ack();
    });
    await client.start();
    onTestFinished(() => client.disconnect());
    await slack.openHome({ as: alex });
    await expect.poll(() => events.length).toBe(2);
    const body = { event: { type: 'app_home_opened', user: alex } };
    const event = { type: 'events_api', accepts_response_payload: false, body };
    const again = { ...event, retry_num: 1, retry_reason: 'http_timeout' };
    expect(events).toMatchObject([{ ...event, retry_num: 0 }, again]);
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

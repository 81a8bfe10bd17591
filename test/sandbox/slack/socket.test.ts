import { LogLevel, SocketModeClient } from '@slack/socket-mode';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import type { SlackOptions } from '../../../sandbox/slack/slack.ts';
import { fullManifest } from './full-manifest.ts';
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
const startConnected = async (
  answer: (event: SocketEvent) => unknown,
  options: Partial<SlackOptions> = {},
) => {
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
  return {
    ...both,
    events,
    client,
    async [Symbol.asyncDispose]() {
      await client.disconnect();
      await both[Symbol.asyncDispose]();
    },
  };
};

const find = { as: alex, channel: support, text: '/cobrowse find jane@acme.com' };

describe('Socket Mode', () => {
  it('brings commands through the socket and takes the acknowledgement from it', async () => {
    await using both = await startConnected((event) => event.ack({ text: 'Looking.' }));
    await both.slack.command(find);
    expect(both.events).toMatchObject([
      {
        type: 'slash_commands',
        body: { command: '/cobrowse', text: 'find <mailto:jane@acme.com|jane@acme.com>' },
      },
    ]);
    expect(both.slack.snapshot(alex).messages.at(-1)).toMatchObject({ text: 'Looking.', ephemeral: true });
    expect(both.app.received).toEqual([]);
  });

  it('brings shortcuts through the socket; an empty acknowledgement shows nothing', async () => {
    await using both = await startConnected((event) => event.ack());
    const message_ts =
      both.slack.snapshot(alex).messages.find(({ channel }) => channel === support)?.ts ?? '';
    const before = both.slack.snapshot(alex).messages.length;
    await both.slack.shortcut({ as: alex, channel: support, message_ts, callback_id: 'find_visitor' });
    await both.slack.command(find);
    expect(both.events).toMatchObject([
      { type: 'interactive', body: { type: 'message_action', message_ts } },
      { type: 'slash_commands' },
    ]);
    expect(both.slack.snapshot(alex).messages).toHaveLength(before);
  });

  it('tells the person that the app was too slow', async () => {
    await using both = await startConnected(() => {}, { ackLimitMs: 1_500 });
    await both.slack.command(find);
    expect(both.slack.snapshot(alex).messages.at(-1)?.text).toBe(
      '/cobrowse failed with the error "operation_timeout"',
    );
  });

  it('brings events, again where they are not acknowledged', async () => {
    const options = { manifest: fullManifest, ackLimitMs: 1_500, eventRetryDelaysMs: [0] };
    await using both = await startConnected((event) => event.retry_num === 1 && event.ack(), options);
    await both.slack.openHome({ as: alex });
    await expect.poll(() => both.events.length).toBe(2);
    const event = { type: 'events_api', accepts_response_payload: false };
    const body = { event: { type: 'app_home_opened', user: alex } };
    expect(both.events).toMatchObject([
      { ...event, body, retry_num: 0 },
      { ...event, body, retry_num: 1, retry_reason: 'http_timeout' },
    ]);
  });

  it('asks for options without any address in the manifest', async () => {
    await using both = await startConnected((event) => event.ack({ options: [] }));
    const elements = [{ type: 'external_select', action_id: 'who' }];
    const blocks = [{ type: 'actions', block_id: 'row', elements }];
    const { ts } = await both.call('chat.postMessage', { channel: support, text: 'Who?', blocks });
    const source = { type: 'message', channel: support, ts } as const;
    const typed = { as: alex, source, block_id: 'row', action_id: 'who', value: 'jane' };
    expect(await both.slack.suggest(typed)).toEqual({ ok: true, options: [] });
    expect(both.events).toMatchObject([{ type: 'interactive', body: { type: 'block_suggestion' } }]);
  });

  it('gives way to HTTP once the socket is closed', async () => {
    await using both = await startConnected((event) => event.ack());
    await both.client.disconnect();
    await expect
      .poll(async () => {
        await both.slack.command(find);
        return both.app.received.length;
      })
      .toBeGreaterThan(0);
  });

  it('lets a ticket be used once', async () => {
    await using both = await startBoth({ appToken });
    const { url } = z
      .object({ url: z.string() })
      .parse(await both.call('apps.connections.open', {}, appToken));
    const connect = async (): Promise<string> => {
      const { promise, resolve } = Promise.withResolvers<string>();
      const socket = new WebSocket(url);
      socket.addEventListener('message', ({ data }) => resolve(String(data)));
      socket.addEventListener('error', () => resolve('refused'));
      return promise;
    };
    expect(await connect()).toContain('"type":"hello"');
    expect(await connect()).toBe('refused');
  });
});

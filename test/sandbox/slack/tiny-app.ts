import { createServer } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { text as readText } from 'node:stream/consumers';

import { z } from 'zod';

import { startSlack } from '../../../sandbox/slack/slack.ts';
import type { SlackOptions } from '../../../sandbox/slack/slack.ts';
import manifest from '../../../manifest.json' with { type: 'json' };

export const alex = 'U0ALEX00001';
export const sam = 'U0SAM000002';
export const support = 'C0SUPPORT01';
export const sales = 'C0SALES0002';
export const signingSecret = 'a-signing-secret';
export const botToken = 'xoxb-the-bot';
export const appToken = 'xapp-the-app';

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly form: Readonly<Record<string, string>>;
  /** The parsed `payload` of an interaction, or the body of an event. */
  readonly payload: Readonly<Record<string, unknown>>;
}

const payloadSchema = z.record(z.string(), z.unknown());

type Respond = (response: ServerResponse, request: Received) => void;

const acknowledge: Respond = (response) => response.end();

const readAll = async (request: IncomingMessage): Promise<Received> => {
  const body = await readText(request);
  const form = Object.fromEntries(new URLSearchParams(body));
  return {
    headers: request.headers,
    body,
    form,
    payload: payloadSchema.parse(JSON.parse(body.startsWith('{') ? body : (form['payload'] ?? '{}'))),
  };
};

/** An app that does nothing but keep what it receives and acknowledge as told. */
const startTinyApp = async () => {
  const received: Received[] = [];
  let respond: Respond = acknowledge;
  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const all = await readAll(request);
    received.push(all);
    respond(response, all);
  };
  const server = createServer((request, response) => {
    void receive(request, response);
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await promise;
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    url: `http://127.0.0.1:${port}/slack/events`,
    received,
    last(): Received {
      const request = received.at(-1);
      if (request === undefined) throw new Error('The app received nothing.');
      return request;
    },
    acknowledgeWith(answer: Respond): void {
      respond = answer;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
};

export const json =
  (body: unknown) =>
  (response: ServerResponse): void => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(body));
  };

/** A stand-in Slack with the app's own manifest, and a tiny app that it reaches. */
export const startBoth = async (options: Partial<SlackOptions> = {}) => {
  const app = await startTinyApp();
  const slack = await startSlack({ signingSecret, botToken, manifest, requestUrl: app.url, ...options });
  return {
    app,
    slack,
    call: (method: string, args: Readonly<Record<string, unknown>>, token: string = botToken) =>
      callMethod(`${slack.apiUrl}${method}`, args, token),
    async [Symbol.asyncDispose]() {
      await slack.close();
      await app[Symbol.asyncDispose]();
    },
  };
};

const answerSchema = z.looseObject({
  ok: z.boolean(),
  error: z.string().optional(),
  ts: z.string().default(''),
  response_metadata: z.looseObject({ messages: z.array(z.string()).optional() }).optional(),
  view: z.looseObject({ id: z.string(), hash: z.string() }).optional(),
});

/** A Web API call as JSON; an empty token is left out. */
const callMethod = async (url: string, args: Readonly<Record<string, unknown>>, token: string) => {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(args),
  });
  return answerSchema.parse(await response.json());
};

export const section = (text: string, accessory?: object) => ({
  type: 'section',
  block_id: `block-${text}`,
  text: { type: 'plain_text', text },
  ...(accessory === undefined ? {} : { accessory }),
});

export const button = (actionId: string, rest: object = {}) => ({
  type: 'button',
  action_id: actionId,
  text: { type: 'plain_text', text: 'Press' },
  ...rest,
});

export const modal = (rest: object = {}) => ({
  type: 'modal',
  callback_id: 'the_modal',
  title: { type: 'plain_text', text: 'A modal' },
  blocks: [section('inside')],
  ...rest,
});

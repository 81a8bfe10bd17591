import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';

import { z } from 'zod';

/** What a test reads of the requests Slack sends. */
const requestSchema = z.object({
  type: z.string().default('command'),
  text: z.string().default(''),
  /** What was typed into an external select. */
  value: z.string().default(''),
  callback_id: z.string().default(''),
  event: z.looseObject({ type: z.string() }).optional(),
  trigger_id: z.string().default(''),
  actions: z.array(z.looseObject({ action_id: z.string() })).default([]),
  view: z.looseObject({ state: z.unknown() }).optional(),
});

export type SlackRequest = z.output<typeof requestSchema>;

/** An app of one function: what Slack sends in, the body of the acknowledgement out, or a status for a failure. */
export type Answer = (request: SlackRequest) => object | number | Promise<object | number>;

export interface SmallApp {
  readonly url: string;
  /** Everything Slack sent, oldest first. */
  readonly requests: readonly SlackRequest[];
  readonly close: () => Promise<void>;
}

export const startSmallApp = async (answer: Answer): Promise<SmallApp> => {
  const requests: SlackRequest[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const parsed = requestSchema.parse(readSent(await text(request)));
      requests.push(parsed);
      const body = await answer(parsed);
      if (typeof body === 'number') return response.writeHead(body).end();
      const json = Object.keys(body).length === 0 ? '' : JSON.stringify(body);
      return response.writeHead(200, { 'content-type': 'application/json' }).end(json);
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = z.object({ port: z.number() }).parse(server.address());
  return {
    url: `http://127.0.0.1:${address.port}/`,
    requests,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
};

/** An event comes as JSON, an interaction as JSON within a form, a command as a form. */
const readSent = (body: string): unknown => {
  if (body.startsWith('{')) return JSON.parse(body);
  const form = Object.fromEntries(new URLSearchParams(body));
  return form.payload === undefined ? form : JSON.parse(form.payload);
};

import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { expect, onTestFinished } from 'vitest';
import { z } from 'zod';
import manifest from '../../../manifest.json' with { type: 'json' };
import { startSlack, type SlackOptions } from '../../../sandbox/slack/slack.ts';
import { startLocalService } from '../../cobrowse/local-service.ts';

export const alex = 'U0ALEX00001';
export const sam = 'U0SAM000002';
export const kim = 'U0KIM000003';
export const guest = 'U0GUEST0004';
export const ada = 'U0ADA000005';
export const appUser = 'U0COBROWSE';
export const support = 'C0SUPPORT01';
export const sales = 'C0SALES0002';
const signingSecret = 'a-signing-secret';
const botToken = 'xoxb-the-bot';
export const appToken = 'xapp-the-app';

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** An event, an interaction or the fields of a command. */
  readonly payload: Readonly<Record<string, unknown>>;
}

/** How the app acknowledges a request. */
export type Respond = (response: ServerResponse, request: Received) => unknown;

const acknowledge: Respond = (response) => response.end();

const fields = z.record(z.string(), z.unknown());

/** An event comes as JSON, an interaction as JSON within a form, a command as a form. */
function payloadOf(body: string): Received['payload'] {
  if (body.startsWith('{')) return fields.parse(JSON.parse(body));
  const form = Object.fromEntries(new URLSearchParams(body));
  return form['payload'] === undefined ? form : fields.parse(JSON.parse(form['payload']));
}

/** An app that keeps what it receives, and acknowledges it as told: with nothing, until then. */
async function startTinyApp() {
  const received: Received[] = [];
  let respond = acknowledge;
  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await readText(request);
    const all = { headers: request.headers, body, payload: payloadOf(body) };
    received.push(all);
    await respond(response, all);
  };
  const server = await startLocalService((request, response) => void receive(request, response));
  return {
    url: `${server.url}/slack/events`,
    received,
    close: () => server.close(),
    last(): Received {
      const request = received.at(-1);
      if (request === undefined) throw new Error('The app received nothing.');
      return request;
    },
    acknowledgeWith(answer: Respond): void {
      respond = answer;
    },
  };
}

export const json = (body: unknown) => (response: ServerResponse) =>
  response.setHeader('content-type', 'application/json').end(JSON.stringify(body));

const answerSchema = z.looseObject({
  ok: z.boolean(),
  ts: z.string().default(''),
  view: z.looseObject({ id: z.string() }).optional(),
});

/** POSTs JSON; an empty token is left out. */
export async function postJson(url: string, body: unknown, token = '') {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
  });
  const answer: unknown = await response.json();
  return { status: response.status, answer };
}

/** A stand-in Slack with the app's own manifest, and a tiny app that it reaches, until the test is over. */
export async function startBoth(options: Partial<SlackOptions> = {}) {
  const app = await startTinyApp();
  const slack = await startSlack({ signingSecret, botToken, manifest, requestUrl: app.url, ...options });
  onTestFinished(async () => {
    await slack.close();
    await app.close();
  });
  const call = async (method: string, args: object, token = botToken) =>
    answerSchema.parse((await postJson(`${slack.apiUrl}${method}`, args, token)).answer);
  const last = (as = alex) => slack.snapshot(as).messages.at(-1);
  const payload = () => app.last().payload;
  const trigger = async () => {
    await slack.command({ as: alex, channel: support, text: '/cobrowse find' });
    return payload()['trigger_id'];
  };
  return {
    app,
    slack,
    call,
    /** The calls that are neither refused with the code nor answered as they should be, with what they got. */
    mismatches: async (...rows: readonly (readonly [string, object, string | object])[]) => {
      const wrong: object[] = [];
      for (const [method, args, wanted] of rows) {
        const answer = await call(method, args);
        try {
          expect(answer).toMatchObject(typeof wanted === 'string' ? { ok: false, error: wanted } : wanted);
        } catch {
          wrong.push({ method, args, wanted, answer });
        }
      }
      return wrong;
    },
    payload,
    /** The last message a person sees, and all they see as text. */
    last,
    seen: (as: string) => JSON.stringify(slack.snapshot(as)),
    /** The app posts a message in a channel, or one that only one person sees. */
    post: async (text: string, rest: object = {}) =>
      (await call('chat.postMessage', { channel: support, text, ...rest })).ts,
    whisper: async (text: string, rest: object = {}) => {
      await call('chat.postEphemeral', { channel: support, user: alex, text, ...rest });
      return last()?.ts ?? '';
    },
    trigger,
    /** Alex types a command, and the app opens a modal, whose id this gives. */
    open: async (view: object) => {
      const opened = await call('views.open', { trigger_id: await trigger(), view });
      return opened.view?.id ?? '';
    },
  };
}

export const plain = (text: string) => ({ type: 'plain_text', text }) as const;

export const option = (value: string, rest: object = {}) => ({ text: plain(value), value, ...rest });

export const options = (count: number) => Array.from({ length: count }, (_, index) => option(`no. ${index}`));

export const button = (actionId: string, rest: object = {}) => ({
  type: 'button',
  action_id: actionId,
  text: plain('Press'),
  ...rest,
});

export const row = (...elements: readonly object[]) => ({ type: 'actions', block_id: 'row', elements });

export const section = (text: string, accessory?: object) => ({
  type: 'section',
  block_id: `block-${text}`,
  text: plain(text),
  ...(accessory === undefined ? {} : { accessory }),
});

export const input = (block_id: string, element: object, rest: object = {}) => ({
  type: 'input',
  block_id,
  label: plain(block_id),
  element: { action_id: 'it', ...element },
  ...rest,
});

export const modal = (rest: object = {}) => ({
  type: 'modal',
  callback_id: 'the_modal',
  title: plain('A modal'),
  blocks: [section('inside')],
  ...rest,
});

import type { IncomingMessage, ServerResponse } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { expect, onTestFinished } from 'vitest';
import { z } from 'zod';
import manifest from '../../../manifest.json' with { type: 'json' };
import { startSlack, type SlackOptions } from '../../../sandbox/slack/slack.ts';
import { startLocalService } from '../../cobrowse/local-service.ts';

export const alex = 'U0ALEX00001';
export const kim = 'U0KIM000003';
export const guest = 'U0GUEST0004';
export const ada = 'U0ADA000005';
export const appUser = 'U0COBROWSE';
export const support = 'C0SUPPORT01';
export const sales = 'C0SALES0002';
const signingSecret = 'a-signing-secret';
const botToken = 'xoxb-the-bot';
export const appToken = 'xapp-the-app';

/** An app that keeps the events it receives, and acknowledges everything with nothing. */
async function startTinyApp() {
  const events: unknown[] = [];
  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await readText(request);
    if (body.startsWith('{'))
      events.push(z.looseObject({ event: z.unknown() }).parse(JSON.parse(body)).event);
    response.end();
  };
  const server = await startLocalService((request, response) => void receive(request, response));
  return { url: `${server.url}/slack/events`, events, close: () => server.close() };
}

const answerSchema = z.looseObject({ ok: z.boolean(), ts: z.string().default('') });

/** A stand-in Slack with the app's own manifest, and a tiny app that it reaches, until the test is over. */
export async function startBoth(options: Partial<SlackOptions> = {}) {
  const app = await startTinyApp();
  const slack = await startSlack({ signingSecret, botToken, manifest, requestUrl: app.url, ...options });
  onTestFinished(async () => {
    await slack.close();
    await app.close();
  });
  async function call(method: string, args: object, token = botToken) {
    const headers = {
      'content-type': 'application/json',
      ...(token && { authorization: `Bearer ${token}` }),
    };
    const init = { method: 'POST', headers, body: JSON.stringify(args) };
    return answerSchema.parse(await (await fetch(`${slack.apiUrl}${method}`, init)).json());
  }
  return {
    events: app.events,
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
    /** The app posts a message in a channel, or one that only one person sees. */
    post: async (text: string) => (await call('chat.postMessage', { channel: support, text })).ts,
    whisper: async (text: string) => {
      await call('chat.postEphemeral', { channel: support, user: alex, text });
      return slack.snapshot(alex).messages.at(-1)?.ts ?? '';
    },
  };
}

export const plain = (text: string) => ({ type: 'plain_text', text }) as const;

export const option = (value: string) => ({ text: plain(value), value });

export const input = (block_id: string, element: object) => ({
  type: 'input',
  block_id,
  label: plain(block_id),
  element: { action_id: 'it', ...element },
});

export const modal = () => ({
  type: 'modal',
  callback_id: 'the_modal',
  title: plain('A modal'),
  blocks: [{ type: 'section', text: plain('inside') }],
});

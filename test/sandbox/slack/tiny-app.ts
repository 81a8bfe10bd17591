import { expect, onTestFinished } from 'vitest';
import { z } from 'zod';
import manifest from '../../../manifest.json' with { type: 'json' };
import { startSlack, type SlackOptions } from '../../../sandbox/slack/slack.ts';

export const alex = 'U0ALEX00001';
export const guest = 'U0GUEST0004';
export const support = 'C0SUPPORT01';
export const sales = 'C0SALES0002';
const botToken = 'xoxb-the-bot';
export const appToken = 'xapp-the-app';

const answerSchema = z.looseObject({ ok: z.boolean(), ts: z.string().default('') });

/** A stand-in Slack with the app's own manifest, until the test is over, and what an app asks it. */
export async function startAlone(options: Partial<SlackOptions> = {}) {
  const slack = await startSlack({ signingSecret: 'a-signing-secret', botToken, manifest, ...options });
  onTestFinished(() => slack.close());
  async function call(method: string, args: object, token = botToken) {
    const headers = {
      'content-type': 'application/json',
      ...(token && { authorization: `Bearer ${token}` }),
    };
    const init = { method: 'POST', headers, body: JSON.stringify(args) };
    return answerSchema.parse(await (await fetch(`${slack.apiUrl}${method}`, init)).json());
  }
  return {
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

import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { WEBHOOK_EVENTS, WebhookBody } from '../../src/webhooks/bodies.ts';
import { createWebhookSecret, signatureHeaders } from '../../src/webhooks/sign.ts';

const page = await readFile(new URL('../../docs/outgoing-webhooks.md', import.meta.url), 'utf8');
const examples = (language: string) =>
  Array.from(page.matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 'gs')), ([, text = '']) => text);

const body = '{"type":"test","data":{"name":"Zoë 😀"}}';
const [current, previous, other] = [createWebhookSecret(), createWebhookSecret(), createWebhookSecret()];
const headersAt = (at: number) => signatureHeaders({ id: 'msg_1', at, body }, [current, previous]);
const cases = [
  { secret: current, at: Date.now(), sent: body, isGood: true },
  { secret: previous, at: Date.now(), sent: body, isGood: true },
  { secret: other, at: Date.now(), sent: body, isGood: false },
  { secret: current, at: Date.now(), sent: `${body} `, isGood: false },
  { secret: current, at: Date.now() - 6 * 60_000, sent: body, isGood: false },
];

type Verify = (secret: string, headers: object, body: string) => unknown;
const Verifier = z.object({ isFromTheApp: z.custom<Verify>((value) => typeof value === 'function') });

describe('the page about outgoing webhooks', () => {
  it('has an example of each type, which is as the app sends it', () => {
    const shown = examples('json').map((text) => WebhookBody.parse(JSON.parse(text)));
    expect(shown.map(({ type }) => type)).toEqual([...WEBHOOK_EVENTS, 'test']);
  });

  it('explains each field', () => {
    const known = examples('json').flatMap((text) => {
      const { data } = WebhookBody.parse(JSON.parse(text));
      return Object.keys(data);
    });
    const plain = new Set(['version', 'expires_at', 'started_at', 'ended_at']);
    const rows = page.split('\n').filter((line) => line.startsWith('|'));
    const missing = known.filter(
      (name) => !plain.has(name) && !rows.some((line) => line.includes(`\`${name}\``)),
    );
    expect(missing).toEqual([]);
  });

  it('verifies in Node what the app signs, and nothing else', async () => {
    const [source = ''] = examples('js');
    const module: unknown = await import(`data:text/javascript,${encodeURIComponent(source)}`);
    const { isFromTheApp } = Verifier.parse(module);
    for (const { secret, at, sent, isGood } of cases)
      expect(isFromTheApp(secret.reveal(), headersAt(at), sent)).toBe(isGood);
  });
});

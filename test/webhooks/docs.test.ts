import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { createWebhookSecret, signatureHeaders } from '../../src/webhooks/sign.ts';

const page = await readFile(new URL('../../docs/outgoing-webhooks.md', import.meta.url), 'utf8');
const [, source = ''] = /```js\n(.*?)```/s.exec(page) ?? [];

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

it('the page about outgoing webhooks verifies in Node what the app signs, and nothing else', async () => {
  const module: unknown = await import(`data:text/javascript,${encodeURIComponent(source)}`);
  const { isFromTheApp } = Verifier.parse(module);
  for (const { secret, at, sent, isGood } of cases)
    expect(isFromTheApp(secret.reveal(), headersAt(at), sent)).toBe(isGood);
});

it('a webhook is signed with a secret of 32 random bytes', () => {
  expect(current.reveal()).toMatch(/^whsec_[\w+/]{43}=$/);
  expect(other.reveal()).not.toBe(current.reveal());
});

import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { parse } from 'node:querystring';
import { request as send } from 'undici';
import { settings } from './settings.ts';

/* The least that is right: signature, time, form, 200; for a command with a text, a ready answer to its address. */

const key = createSecretKey(settings.SLACK_SIGNING_SECRET, 'utf8');
const answer = JSON.stringify({ text: 'Hello. '.repeat(300) });

function isSigned({ headers }: IncomingMessage, body: Buffer): boolean {
  const timestamp = String(headers['x-slack-request-timestamp']);
  if (Math.abs(Date.now() / 1_000 - Number(timestamp)) > 300) return false;
  const digest = createHmac('sha256', key).update(`v0:${timestamp}:`).update(body).digest('hex');
  const given = Buffer.from(String(headers['x-slack-signature']));
  const expected = Buffer.from(`v0=${digest}`);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

async function answerCommand(address: string): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const { body } = await send(address, { method: 'POST', headers, body: answer });
  await body.dump();
}

createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const body = Buffer.concat(chunks);
    if (!isSigned(request, body)) return response.writeHead(401).end();
    const form = body.toString();
    if (form.startsWith('payload=')) JSON.parse(new URLSearchParams(form).get('payload') ?? '');
    else {
      const { text, response_url: address } = parse(form);
      if (text !== '') void answerCommand(String(address));
    }
    return response.end();
  });
}).listen(0, '127.0.0.1');

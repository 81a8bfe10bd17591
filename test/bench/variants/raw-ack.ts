import { createServer } from 'node:http';
import { parse } from 'node:querystring';
import { request as send } from 'undici';
import { isSigned } from './signed.ts';

/* The least that is right: signature, time, form, 200; for a command with a text, a ready answer to its address. */

const answer = JSON.stringify({ text: 'Hello. '.repeat(300) });

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

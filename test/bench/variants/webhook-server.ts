import { createServer } from 'node:http';
import { createSeal } from './seal.ts';
import { settings } from './settings.ts';

const seal = createSeal(settings.SECRET_KEYS);

/** The least of a webhook that is right: ticket, body, 200. @param keep keeps the session before the answer */
export function serveWebhooks(keep: (id: string, session: string) => void): void {
  createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      seal.open(request.url?.slice('/webhooks/session-end/'.length) ?? '');
      const text = Buffer.concat(chunks).toString();
      const session: { id: string } = JSON.parse(text);
      keep(session.id, text);
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"status":"ok"}');
    });
  }).listen(0, '127.0.0.1');
}

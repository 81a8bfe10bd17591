import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { startService, type ServiceOptions, type StandInService } from '../../../sandbox/service/service.ts';
import { startLocalService } from '../../cobrowse/local-service.ts';

const apiKey = 'test-key';
const link = z.object({
  status: z.literal('ok'),
  watch_url: z.url(),
  expiration: z.iso.datetime({ offset: true }),
});

export const agent = { id: 'slack-U1', name: 'Sam Lee' };

/** A stand-in that is closed when the test is over. */
export async function standIn(options: Partial<ServiceOptions> = {}): Promise<StandInService> {
  const service = await startService({ apiKey, ...options });
  onTestFinished(() => service.close());
  return service;
}

/** An API call with the right key. */
export function ask(service: StandInService, request: string, body?: unknown): Promise<Response> {
  const [method = 'GET', path = ''] = request.split(' ');
  return fetch(`${service.url}/v1.3${path}`, {
    method,
    headers: { 'x-api-key': apiKey, accept: 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

/** A fresh watch link for a visitor. */
export async function watchLink(service: StandInService, visitorId: string, body: object = {}) {
  const response = await ask(service, `POST /visitors/${visitorId}/watch_url`, { agent, ...body });
  const { watch_url, expiration } = link.parse(await response.json());
  return { url: watch_url, expiration };
}

/** A server that answers each POST with the next status and keeps the bodies. */
export async function listener(...statuses: readonly number[]) {
  const bodies: string[] = [];
  const server = await startLocalService((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += String(chunk)));
    request.on('end', () => {
      const status = statuses[bodies.length] ?? 200;
      bodies.push(`${request.method} ${request.url} ${body}`);
      response.writeHead(status).end();
    });
  });
  onTestFinished(() => server.close());
  return { url: `${server.url}/end`, bodies };
}

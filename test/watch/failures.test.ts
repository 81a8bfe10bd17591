import type { RequestListener } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createCloudClient } from '../../src/cobrowse/cloud.ts';
import { defaultWireNames } from '../../src/cobrowse/wire-names.ts';
import { IssuedLink } from '../../src/messages/link-request.ts';
import { RightUnknownError, ScopeMissingError } from '../../src/permissions/acts.ts';
import { createIssueLink } from '../../src/watch/issue-link.ts';
import { holdLimit } from '../cobrowse/held-limit.ts';
import { startLocalService } from '../cobrowse/local-service.ts';
import { serve } from '../http/served.ts';
import { answerJson, appBetween } from './app-between.ts';
import { aPage, order, ticketKind } from './stage.ts';

const notAsked = () => Promise.reject(new Error('asked without need'));
const says =
  (status: number, body = '', headers: Readonly<Record<string, string>> = {}): RequestListener =>
  (_, response) =>
    response.writeHead(status, headers).end(body);
const links =
  (watch_url: unknown): RequestListener =>
  (_, response) =>
    answerJson(response, { status: 'ok', watch_url });
const refusesKey = (error: string) => says(401, JSON.stringify({ status: 'error', error }));

/** Of the service's answer. No other timer is that long. */
const LIMIT_MS = 543_210;

const UNEXPECTED = 'Unexpected reply';
const REFUSED = 'The service refused the app';
const BUSY = 'The service is busy';

const SERVICE_FAILURES: readonly (readonly [string, RequestListener, number, string, string])[] = [
  ['404', says(404, 'no'), 404, 'This visitor is gone', 'search again with /cobrowse find'],
  ['402', says(402), 402, 'Plan limit reached', 'ask your account owner about the plan'],
  ['401 for a wrong key', refusesKey('invalid_api_key'), 502, REFUSED, 'check the key: COBROWSE_API_KEY'],
  ['401 without a subscription', refusesKey('no_subscription'), 502, REFUSED, 'renew'],
  ['401 without the API', refusesKey('api_not_enabled'), 502, REFUSED, 'turn on the REST API'],
  ['401 with a page', says(401, '<h1>Log in</h1>'), 502, REFUSED, 'check the key: COBROWSE_API_KEY'],
  ['403', says(403), 502, REFUSED, 'check the key: COBROWSE_API_KEY'],
  ['429', says(429, '', { 'retry-after': '1' }), 503, BUSY, 'Try again in a minute'],
  ['500', says(500, 'stack trace'), 503, BUSY, 'Try again in a minute'],
  ['502', says(502, '<html>'), 503, BUSY, 'Try again in a minute'],
  ['503', says(503), 503, BUSY, 'Try again in a minute'],
  ['a redirect', says(302, '', { location: 'https://evil.example/' }), 502, UNEXPECTED, 'Ask your admin'],
  ['418', says(418, 'teapot'), 502, UNEXPECTED, 'Ask your admin to'],
  ['nothing', says(200), 502, UNEXPECTED, 'Ask your admin to'],
  ['a page', says(200, '<html>Welcome</html>'), 502, UNEXPECTED, 'Ask your admin to'],
  ['another object', says(200, '{"status":"ok"}'), 502, UNEXPECTED, 'Ask your admin to'],
  ['a list', says(200, '[]'), 502, UNEXPECTED, 'Ask your admin to'],
];

const BAD_LINKS: readonly unknown[] = [
  'javascript:alert(document.domain)',
  'JaVaScRiPt:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'http://evil.example/watch/1',
  'http://127.0.0.1.evil.example/',
  'http://localhost@evil.example/',
  'https://user:word@evil.example/',
  'https://evil.example/a b',
  'https://evil.example/\r\nset-cookie: a=b',
  ' https://evil.example/',
  '//evil.example/watch',
  '/watch/1',
  'file:///etc/passwd',
  'slack://open',
  'https://',
  '',
  `https://evil.example/${'a'.repeat(10_000)}`,
  7,
  null,
  ['https://evil.example/'],
  { href: 'https://evil.example/' },
];

async function expectPage(answer: Response, status: number, title: string, next: string): Promise<void> {
  expect(answer.status).toBe(status);
  expect(answer.headers.has('location')).toBe(false);
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(answer.headers.get('retry-after')).toBe(status === 503 ? '60' : null);
  const page = await answer.text();
  expect(page).toContain(`<h1>${title}</h1>`);
  expect(page).toContain(next);
  expect(page).not.toMatch(/https?:|evil|javascript|stack trace|<script/i);
}

describe('GET /watch/:ticket when the service fails', () => {
  it.each(SERVICE_FAILURES)('with %s shows a page that says so', async (_, link, status, title, next) => {
    const app = await appBetween({ link });
    await expectPage(await app.press(), status, title, next);
    expect(app.bodies).toHaveLength(1);
    // One line tells whoever runs the app; the press is named, the ticket is not.
    const told = app.lines.filter((line) => line.includes('no watch link'));
    expect(told).toHaveLength(1);
    expect(told[0]).toContain(order.visitorId);
  });

  it.each(BAD_LINKS)('with the link %.60j leads nowhere', async (watch_url) => {
    const app = await appBetween({ link: links(watch_url) });
    await expectPage(await app.press(), 502, UNEXPECTED, 'Ask your admin to');
    expect(app.lines.join('')).not.toContain('evil');
  });

  it('with a broken connection shows a page, and does not ask twice', async () => {
    const app = await appBetween({ link: (request) => void request.socket.destroy() });
    await expectPage(await app.press(), 502, 'Can’t reach the service', 'Try again in a minute');
    expect(app.bodies).toHaveLength(1);
  });

  it('because it is not there at all shows a page', async () => {
    const app = await appBetween({});
    await app.press();
    await app.service.close();
    await expectPage(
      await app.press({ visitorId: 'noah' }),
      502,
      'Can’t reach the service',
      'tell your admin',
    );
    expect(app.bodies).toHaveLength(1);
  });

  it('to answer in time shows a page', async () => {
    const limit = holdLimit(LIMIT_MS);
    const service = await startLocalService(() => undefined);
    const cobrowse = createCloudClient({
      baseUrl: service.url,
      apiKey: 'key',
      wireNames: defaultWireNames,
      timeoutMs: LIMIT_MS,
    });
    onTestFinished(async () => {
      await service.close();
      await cobrowse.close();
    });
    const issueLink = createIssueLink({
      workspaceOf: async () => ({ cobrowse }),
      agentOf: async () => ({ id: 'agent', name: 'Agent' }),
      sessionEndTickets: ticketKind('session-end', IssuedLink),
      publicUrl: undefined,
      audit: { record: async () => undefined, hashOf: (typed) => typed },
      putOnRecord: async () => undefined,
    });
    const { routes, outcomes, path } = aPage({ issueLink });
    const { url } = await serve(routes);
    const answering = fetch(url + path, { redirect: 'manual' });
    await expect.poll(() => service.requests).toHaveLength(1);
    limit.runOut();
    await expectPage(await answering, 504, 'The service took too long', 'Try again in a minute');
    expect(outcomes).toMatchObject([{ kind: 'timed-out' }]);
    expect(service.requests).toHaveLength(1);
  });

  it('in its words only: http on loopback and https elsewhere are followed', async () => {
    for (const watch_url of ['https://service.example/w/1?a=b#c', 'http://127.0.0.1:1/w', 'http://[::1]/w']) {
      const app = await appBetween({ link: links(watch_url) });
      const answer = await app.press();
      expect(answer.status).toBe(302);
      expect(answer.headers.get('location')).toBe(watch_url);
    }
  });
});

describe('a press by somebody of whom Slack does not say who they are', () => {
  it.each([
    ['in general', new Error('Slack is down'), 'Try again in a minute'],
    ['for want of a scope', new ScopeMissingError('users:read', undefined), 'add users:read'],
  ])('%s opens a page that says so', async (_, cause, next) => {
    const failure = new RightUnknownError(cause);
    const { routes, outcomes, path } = aPage({ issueLink: () => Promise.reject(failure) });
    const { url, failures } = await serve(routes);
    const answer = await fetch(url + path);
    expect(answer.status).toBe(503);
    const page = await answer.text();
    expect(page).toContain('<h1>Not checked</h1>');
    expect(page).toContain(next);
    expect(outcomes).toEqual([failure]);
    expect(failures).toEqual([]);
  });
});

describe('a press that nobody foresaw failing', () => {
  it('is a page with a reference, and the reference is in the log', async () => {
    const failure = new Error('out of paper');
    const { routes, path } = aPage({ issueLink: () => Promise.reject(failure) });
    const { url, failures } = await serve(routes);
    const answer = await fetch(url + path);
    expect(answer.status).toBe(500);
    expect(failures).toEqual([{ error: failure, where: 'GET /watch/:ticket' }]);
  });

  it('is not even asked of the service where a proof is missing', async () => {
    const { routes, outcomes, path } = aPage({
      presses: { claim: async () => ({ refused: 'guest' }), giveUp: notAsked, useOnce: notAsked },
    });
    const { url, failures } = await serve(routes);
    const answer = await fetch(url + path);
    expect(answer.status).toBe(403);
    expect(outcomes).toEqual(['refused']);
    expect(failures).toEqual([]);
  });
});

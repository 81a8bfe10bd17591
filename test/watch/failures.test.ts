import type { RequestListener } from 'node:http';
import { describe, expect, it } from 'vitest';
import { CobrowseError } from '../../src/cobrowse/errors.ts';
import type { CobrowseErrorKind } from '../../src/cobrowse/errors.ts';
import { RightUnknownError, ScopeMissingError } from '../../src/permissions/acts.ts';
import { serve } from '../http/served.ts';
import { answerJson, appBetween } from './app-between.ts';
import { aPage, order } from './stage.ts';

const links =
  (watch_url: unknown): RequestListener =>
  (_, response) =>
    answerJson(response, { status: 'ok', watch_url });

const UNEXPECTED = 'Unexpected reply';
const REFUSED = 'The service refused the app';

/** By the kind of the failure, and the service's code: the status, the title and what to do. */
const FAILURES: readonly (readonly [CobrowseErrorKind, string, number, string, string])[] = [
  ['not-found', '', 404, 'This visitor is gone', 'search again with /cobrowse find'],
  ['limit-reached', '', 402, 'Plan limit reached', 'ask your account owner about the plan'],
  ['refused-key', 'invalid_api_key', 502, REFUSED, 'check the key: COBROWSE_API_KEY'],
  ['refused-key', 'no_subscription', 502, REFUSED, 'renew'],
  ['refused-key', 'api_not_enabled', 502, REFUSED, 'turn on the REST API'],
  ['busy', '', 503, 'The service is busy', 'Try again in a minute'],
  ['unreachable', '', 502, 'Can’t reach the service', 'tell your admin'],
  ['timed-out', '', 504, 'The service took too long', 'Try again in a minute'],
  ['not-understood', '', 502, UNEXPECTED, 'Ask your admin to'],
  ['not-offered', '', 502, 'Not available here', 'Ask'],
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

/** Opens the address of a button whose link cannot be made. */
async function openFailing(failure: Error) {
  const { routes, outcomes, path } = aPage({ issueLink: () => Promise.reject(failure) });
  const { url, failures } = await serve(routes);
  return { answer: await fetch(url + path), outcomes, failures };
}

describe('GET /watch/:ticket when the service fails', () => {
  it.each(FAILURES)('as %s (%s) shows a page that says so', async (kind, code, status, title, next) => {
    const failure = new CobrowseError(kind, 'failed', { code });
    const { answer, outcomes } = await openFailing(failure);
    await expectPage(answer, status, title, next);
    expect(outcomes).toEqual([failure]);
  });

  it.each<[string, RequestListener, number, string, string]>([
    [
      'an error',
      (_, response) => response.writeHead(500).end('stack trace'),
      503,
      'The service is busy',
      'Try again in a minute',
    ],
    [
      'a broken connection',
      (request) => void request.socket.destroy(),
      502,
      'Can’t reach the service',
      'Try again in a minute',
    ],
    [
      'a link that no browser should follow',
      links('javascript:alert(1)'),
      502,
      UNEXPECTED,
      'Ask your admin to',
    ],
    ['a link without TLS', links('http://evil.example/watch/1'), 502, UNEXPECTED, 'Ask your admin to'],
  ])('with %s does not ask it twice, and tells who runs the app', async (_, link, status, title, next) => {
    const app = await appBetween({ link });
    await expectPage(await app.press(), status, title, next);
    expect(app.bodies).toHaveLength(1);
    // The press is named, the ticket and the link are not.
    const told = app.lines.filter((line) => line.includes('no watch link'));
    expect(told).toHaveLength(1);
    expect(told[0]).toContain(order.visitorId);
    expect(app.lines.join('')).not.toContain('evil');
  });

  it('in its words only: http on loopback and https elsewhere are followed', async () => {
    for (const watch_url of ['https://service.example/w/1?a=b#c', 'http://[::1]/w']) {
      const app = await appBetween({ link: links(watch_url) });
      const answer = await app.press();
      expect([answer.status, answer.headers.get('location')]).toEqual([302, watch_url]);
    }
  });
});

describe('a press by somebody of whom Slack does not say who they are', () => {
  it.each([
    ['in general', new Error('Slack is down'), 'Try again in a minute'],
    [
      'for want of a scope',
      new ScopeMissingError('users:read', undefined),
      'again with the scope users:read',
    ],
  ])('%s opens a page that says so', async (_, cause, next) => {
    const failure = new RightUnknownError(cause);
    const { answer, outcomes, failures } = await openFailing(failure);
    expect(answer.status).toBe(503);
    const page = await answer.text();
    expect(page).toContain('<h1>Not checked</h1>');
    expect(page).toContain(next);
    expect(outcomes).toEqual([failure]);
    expect(failures).toEqual([]);
  });
});

it('shows a page with a reference, which is in the log, where a press fails as nobody foresaw', async () => {
  const failure = new Error('out of paper');
  const { answer, failures } = await openFailing(failure);
  expect(answer.status).toBe(500);
  expect(failures).toEqual([{ error: failure, where: 'GET /watch/:ticket' }]);
});

import { describe, expect, it } from 'vitest';
import { CobrowseError, type CobrowseErrorKind } from '../../src/cobrowse/errors.ts';
import { DatabaseError } from '../../src/database/database.ts';
import { RightUnknownError } from '../../src/permissions/permissions.ts';
import { serve } from '../http/served.ts';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { linksMade, open, watchAddress } from './opening.ts';
import { aPage, order } from './stage.ts';

const REFUSED = 'refused this app’s key and said “invalid_api_key”';
const UNCHECKED = 'The app couldn’t check your permission with Slack';
const said = (kind: CobrowseErrorKind, code = '') => new CobrowseError(kind, 'failed', { code });

/** The failure with the service's code, or Slack's: the status, what is said and what to do. */
const FAILURES: readonly (readonly [string, string, number, Error])[] = [
  ['This customer is gone', 'search again with /cobrowse find', 404, said('not-found')],
  [
    'exceed the limits of your co-browsing plan',
    'ask your account owner about the plan',
    502,
    said('limit-reached'),
  ],
  [REFUSED, 'check the key: COBROWSE_API_KEY', 502, said('refused-key', 'invalid_api_key')],
  ['The co-browsing service is busy.', 'Try again in a minute', 502, said('busy')],
  ['The co-browsing service didn’t answer in time.', 'Try again in a minute', 502, said('timed-out')],
  ['Unexpected reply from the co-browsing service.', 'Ask your admin to', 502, said('not-understood')],
  [UNCHECKED, 'Try again in a minute', 503, new RightUnknownError(new Error('Slack is down'))],
];

async function expectPage(answer: Response, status: number, text: string, next: string): Promise<void> {
  expect(answer.status).toBe(status);
  expect(answer.headers.has('location')).toBe(false);
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(answer.headers.get('retry-after')).toBe(status === 503 ? '60' : null);
  const page = await answer.text();
  expect(page).toContain(text);
  expect(page).toContain(next);
  expect(page).not.toMatch(/https?:|evil|javascript|stack trace|<script/i);
}

/** Opens the address of a button whose link cannot be made. */
async function openFailing(failure: Error) {
  const { routes, outcomes, path } = aPage({ issueLink: () => Promise.reject(failure) });
  const { url, failures } = await serve(routes);
  return { answer: await fetch(url + path), outcomes, failures };
}

describe('GET /watch/:ticket when no link can be made', () => {
  it.each(FAILURES)('shows a page that says so: “%s”, %s', async (text, next, status, failure) => {
    const { answer, outcomes, failures } = await openFailing(failure);
    await expectPage(answer, status, text, next);
    expect(outcomes).toEqual([failure]);
    expect(failures).toEqual([]);
  });
});

describe('GET /watch/:ticket when the service answers nonsense', () => {
  const { sandbox, logLines } = checkedSandbox({ watchProof: 'ticket' });

  it('does not ask the service twice, and tells who runs the app', async () => {
    // From then on it's known who Alex is.
    expect((await open(watchAddress(sandbox(), { visitorId: 'noah' }))).status).toBe(302);
    const before = linksMade(sandbox()).length;
    sandbox().service.misbehave({ fail: { with: 'nonsense' } });
    await expectPage(await open(watchAddress(sandbox())), 502, 'Unexpected reply', 'Ask your admin to');
    expect(linksMade(sandbox())).toHaveLength(before + 1);
    const told = logLines.filter((line) => line.includes('no watch link'));
    expect(told).toHaveLength(1);
    expect(told[0]).toContain(order.visitorId);
  });
});

const failing = () => Promise.reject(new DatabaseError('full'));

it('shows a page that says so where the database fails before a link is asked for', async () => {
  const { routes, path } = aPage({ presses: { claim: failing } });
  const { url, failures } = await serve(routes);
  const answer = await fetch(url + path);
  expect(answer.status).toBe(503);
  expect(await answer.text()).toContain('<h1>Nothing was opened</h1>');
  expect(failures).toEqual([]);
});

it('shows a page with a reference, which is in the log, where a press fails as nobody foresaw', async () => {
  const failure = new Error('out of paper');
  const { answer, failures } = await openFailing(failure);
  expect(answer.status).toBe(500);
  expect(failures).toEqual([{ error: failure, where: 'GET /watch/:ticket' }]);
});

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
  ['exceed the limits of your co-browsing plan', 'ask your account owner', 502, said('limit-reached')],
  [REFUSED, 'check the key: COBROWSE_API_KEY', 502, said('refused-key', 'invalid_api_key')],
  ['The co-browsing service is busy.', 'Try again in a minute', 502, said('busy')],
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

/** Opens the address of a button whose link cannot be made, or whose press cannot be looked up. */
async function openFailing(failure: Error, at: 'issueLink' | 'claim' = 'issueLink') {
  const fails = () => Promise.reject(failure);
  const { routes, outcomes, path } = aPage(
    at === 'claim' ? { presses: { claim: fails } } : { issueLink: fails },
  );
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

  it('shows a page that says so where the database fails before a link is asked for', async () => {
    const { answer, failures } = await openFailing(new DatabaseError('full'), 'claim');
    await expectPage(answer, 503, '<h1>Nothing was opened</h1>', 'Try again');
    expect(failures).toEqual([]);
  });

  it('shows a page with a reference, which is in the log, where it fails as nobody foresaw', async () => {
    const failure = new Error('out of paper');
    const { answer, failures } = await openFailing(failure);
    expect(answer.status).toBe(500);
    expect(failures).toEqual([{ error: failure, where: 'GET /watch/:ticket' }]);
  });
});

describe('GET /watch/:ticket when the service fails', () => {
  const { sandbox, logLines } = checkedSandbox({ watchProof: 'ticket' });

  it('opens nobody’s screen under another name, and says so', async () => {
    const { service } = sandbox();
    service.misbehave({ fail: { with: 500 } });
    await expectPage(await open(watchAddress(sandbox())), 502, 'which agent you are', '');
    expect(logLines.join('')).toContain('could not be looked up');
    expect(linksMade(sandbox())).toEqual([]);
    service.misbehave({});
    expect((await open(watchAddress(sandbox(), { visitorId: 'noah' }))).status).toBe(302);
    expect(linksMade(sandbox())).toMatchObject([{ body: { agent: { id: 'agent_alex' } } }]);
  });

  it('does not ask the service twice, and tells who runs the app', async () => {
    const from = logLines.length;
    sandbox().service.misbehave({ fail: { with: 'nonsense' } });
    await expectPage(await open(watchAddress(sandbox())), 502, 'Unexpected reply', 'Ask your admin to');
    expect(linksMade(sandbox())).toHaveLength(2);
    const told = logLines.slice(from).filter((line) => line.includes('no watch link'));
    expect(told).toHaveLength(1);
    expect(told[0]).toContain(order.visitorId);
  });
});

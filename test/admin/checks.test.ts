import { Agent } from 'undici';
import { describe, expect, it } from 'vitest';
import { clockCheck, publicAddressCheck, workspacesCheck } from '../../src/admin/check-operator.ts';
import { OPTIONAL_SCOPES, slackCheck } from '../../src/admin/checks.ts';
import { examine, findingsReport } from '../../src/admin/findings.ts';
import { startLocalService } from '../cobrowse/local-service.ts';
import { problemsIn } from '../support/shown.ts';

const dispatcher = new Agent();
const NOON = Date.parse('2026-11-21T12:00:00Z');

/** What is found before a server whose clock is this far from noon, or which has none. */
async function clockFinding(aheadMs: number | undefined) {
  const server = await startLocalService((_, response) => {
    response.sendDate = false;
    if (aheadMs !== undefined) response.setHeader('date', new Date(NOON + aheadMs).toUTCString());
    response.writeHead(404).end('nothing');
  });
  const found = await clockCheck({ whose: 'Slack’s', url: server.url, dispatcher, now: () => NOON }).run();
  await server.close();
  return found;
}

describe('the clock', () => {
  it.each([
    [0, 'ok', 'This machine’s clock and Slack’s clock are the same.'],
    [-20_000, 'ok', 'This machine’s clock and Slack’s clock are 20 seconds apart.'],
    [60_000, 'warning', 'This machine’s clock is 61 seconds behind Slack’s clock.'],
    [-60_000, 'warning', 'This machine’s clock is 60 seconds ahead of Slack’s clock.'],
    [600_000, 'failure', 'This machine’s clock is 601 seconds behind Slack’s clock.'],
    [undefined, 'warning', 'Slack’s time couldn’t be read.'],
  ])('%s ms apart is %s', async (aheadMs, state, says) => {
    expect(await clockFinding(aheadMs)).toMatchObject([{ state, says }]);
  });

  it('of a server that can’t be reached is another check’s failure', async () => {
    const check = clockCheck({ whose: 'Slack’s', url: 'http://127.0.0.1:1/', dispatcher, now: () => NOON });
    expect(await check.run()).toMatchObject([{ state: 'warning' }]);
  });
});

const neededScopes = ['chat:write', ...OPTIONAL_SCOPES];
/** What is found of a token that Slack takes. */
const tokenFound = (scopes: readonly string[], organizationId?: string, installUrl?: string) =>
  slackCheck({ token: async () => ({ is: 'good', scopes, organizationId }), neededScopes, installUrl }).run();

it('a token of a whole organization serves no single workspace, and is named where organizations install the app', async () => {
  expect(await tokenFound(neededScopes, 'E1')).toMatchObject([
    { state: 'failure', says: expect.stringContaining('whole organization'), next: expect.any(String) },
  ]);
  expect(await tokenFound(neededScopes, 'E1', 'https://app.example/slack/install')).toMatchObject([
    { state: 'ok', says: 'valid, for your organization' },
    { state: 'ok' },
  ]);
});

it.each([
  [['channels:history', 'groups:history', 'im:history'], 'warning', /^Without .*, a post may appear twice/],
  [['im:history'], 'warning', /^Without im:history, a post may appear twice/],
  [['im:history', 'chat:write'], 'failure', /^Missing: chat:write\.$/],
  [[], 'ok', /^all 4 present$/],
])('the scopes without %j: %s', async (without, state, says) => {
  const granted = neededScopes.filter((scope) => !without.includes(scope));
  const [, found] = await tokenFound(granted);
  expect(found).toMatchObject({ state, says: expect.stringMatching(says) });
});

describe('the public address', () => {
  it.each([
    [200, '<html>welcome</html>', 'Something else answers there, with status 200.'],
    [200, '{"status":"ok","probe":"another"}', 'Something else answers there, with status 200.'],
    [502, 'bad gateway', 'Something else answers there, with status 502.'],
    [404, '{}', 'Something answers there, but not this app with these SECRET_KEYS.'],
    [503, '{}', 'A test webhook arrived but couldn’t be stored.'],
  ])('that answers %i %s fails in words', async (status, body, says) => {
    const server = await startLocalService((_, response) => response.writeHead(status).end(body));
    const parts = { publicUrl: server.url, issueProbe: () => 'ticket', dispatcher };
    const found = await publicAddressCheck(parts).run();
    await server.close();
    expect(found).toMatchObject([{ state: 'failure', says }]);
    expect(server.requests).toEqual(['POST /webhooks/session-end/ticket']);
  });

  it('can be missing: Socket Mode needs none', async () => {
    const parts = { publicUrl: undefined, issueProbe: () => '', dispatcher };
    expect(await publicAddressCheck(parts).run()).toMatchObject([{ state: 'ok' }]);
  });
});

it('the doctor says how many workspaces and organizations there are, and how many have to install the app again', async () => {
  const counts = async () => ({ installed: 3, refused: 1, gone: 0, organizations: 1, reinstall: 1 });
  const check = workspacesCheck({ counts, missingKeys: async () => [] });
  expect(await check.run()).toMatchObject([
    { state: 'ok', says: '3 installed, 1 with a refused token; 1 organization' },
    { state: 'failure', says: '1 workspace can’t be served: Slack gave no new token.' },
  ]);
});

describe('an examination', () => {
  it('ends in a finding even if a check fails or never ends', async () => {
    const found = await examine(
      [
        { about: 'One', run: () => Promise.reject(new RangeError('with a secret in it')) },
        { about: 'Two', run: () => new Promise(() => undefined) },
        { about: 'Three', run: async () => [{ about: 'Three', state: 'ok', says: 'Fine.' }] },
      ],
      20,
    );
    expect(found.map(({ about, state }) => [about, state])).toEqual([
      ['One', 'failure'],
      ['Two', 'failure'],
      ['Three', 'ok'],
    ]);
    expect(JSON.stringify(found)).not.toContain('secret');
  });

  it('shows the worst first, as a message that Slack accepts', () => {
    const report = findingsReport([
      { about: 'Disk', state: 'ok', says: 'Enough room.' },
      { about: 'Clock', state: 'warning', says: 'Apart.', next: 'Set it.' },
      {
        about: 'Channel',
        state: 'failure',
        says: 'The app isn’t in this channel.',
        next: 'Invite it.',
        channelId: 'C1',
      },
    ]);
    expect(report.text.split('\n')).toEqual([
      '1 failure, 1 warning, 3 checks.',
      'Failure · Channel: <#C1> The app isn’t in this channel. Invite it.',
      'Warning · Clock: Apart. Set it.',
      'Disk: Enough room.',
    ]);
    expect(problemsIn({ surface: 'message', payload: report })).toEqual([]);
  });
});

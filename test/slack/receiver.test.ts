import { describe, expect, it } from 'vitest';
import type { Snapshot } from '../../sandbox/slack/page-api.ts';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { ALEX } from '../support/person.ts';
import { FORM, JSON_TYPE, signedHeaders, signedSender } from '../support/signed.ts';
import { encoded, genuine } from './genuine-payloads.ts';

const { sandbox } = checkedSandbox();
const send: ReturnType<typeof signedSender> = (...sent) => signedSender(sandbox())(...sent);

/** A command as Slack sends it; the answer goes to a response address that does not exist. */
const commandForm = (text: string) =>
  // Its trigger is its own, as Slack's are: the same within a second would be the same request.
  encoded({ ...genuine[0], text, trigger_id: crypto.randomUUID() }).body;

const refusals = async () => (await fetch(`${sandbox().publicUrl}/metrics`)).text();
const refusedFor = (reason: string) => `cobrowse_slack_requests_refused_total{reason="${reason}"}`;

/** Nothing was run: neither did the service hear of it, nor anybody in Slack. */
function nothingRan() {
  expect(sandbox().service.requests).toEqual([]);
  expect(sandbox().slack.calls.filter(({ method }) => method !== 'auth.test')).toEqual([]);
}

const answersIn = ({ messages }: Snapshot) => messages.filter(({ ephemeral }) => ephemeral).length;
const ofLength = (length: number) => `ssl_check=1&x=${'y'.repeat(length - 14)}`;

describe('a request to /slack/events that isn’t signed by Slack', () => {
  it('is refused and counted by why', async () => {
    const { slack } = sandbox().config;
    const body = commandForm('find jane');
    const secret = slack.mode === 'http' ? slack.signingSecret : '';
    const answer = await send(body, signedHeaders(secret, body, Date.now() - 600_000));
    expect(answer.status).toBe(401);
    expect(await answer.text()).toBe('The request isn’t signed by Slack.\n');
    expect(await refusals()).toContain(refusedFor('stale'));
    nothingRan();
  });

  it.each(['ssl_check=1&', 'ssl_check=1&ssl_check=0&', '&ssl_check=1&payload=%7B%7D&'])(
    'runs nothing that claims to be a test of the certificate: %s…',
    async (claim) => {
      for (const more of [{ 'x-slack-signature': undefined }, { 'x-slack-signature': 'v0=0' }]) {
        const answer = await send(claim + commandForm('find jane'), more);
        expect([200, 401]).toContain(answer.status);
        expect(await answer.text()).toBe(answer.status === 200 ? '' : 'The request isn’t signed by Slack.\n');
      }
      // What was let in by mistake would be under way by then.
      await fetch(`${sandbox().publicUrl}/healthz`);
      nothingRan();
    },
  );
});

describe('POST /slack/events, signed by Slack', () => {
  it.each([FORM, 'Application/X-WWW-Form-URLencoded;charset=UTF-8'])(
    'takes a command as %s',
    async (type) => {
      const before = answersIn(sandbox().slack.snapshot(ALEX));
      const answer = await send(commandForm('help'), { 'content-type': type });
      expect(answer.status).toBe(200);
      expect(await answer.text()).toBe('');
      // The response address is not known, so the answer comes as an ephemeral message, the last call for this command.
      await sandbox().slack.until(ALEX, (snapshot) => answersIn(snapshot) > before);
    },
  );

  it.each([JSON_TYPE, `${JSON_TYPE}; charset=utf-8`])('answers a challenge as %s', async (type) => {
    const body = JSON.stringify({ type: 'url_verification', challenge: '3eZbrw1aB <&> é', token: 'x' });
    const answer = await send(body, { 'content-type': type });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(await answer.text()).toBe('3eZbrw1aB <&> é');
  });

  it.each([
    ['JSON that breaks off', JSON_TYPE, '{"type":'],
    ['nothing, as JSON', JSON_TYPE, ''],
    ['a payload that is no JSON', FORM, 'payload=%7B'],
    ['plain text', 'text/plain', 'command=/cobrowse'],
    ['no type at all', '', '{}'],
  ])('refuses %s as not understood', async (_, type, body) => {
    const answer = await send(body, { 'content-type': type });
    expect(answer.status).toBe(400);
    expect(await answer.text()).toBe('The app doesn’t understand the body.\n');
    expect(await refusals()).toContain(refusedFor('unreadable'));
  });

  it('accepts a body of 1 MiB and refuses a longer one', async () => {
    const most = 1_048_576;
    expect((await send(ofLength(most))).status).toBe(200);
    const answer = await send(ofLength(most + 1));
    expect(answer.status).toBe(413);
    expect(await answer.text()).toBe('The body is larger than 1048576 bytes.\n');
  });
});

import { App } from '@slack/bolt';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createReceiver } from '../../src/slack/receiver.ts';
import { createSlackLogger } from '../../src/workspaces/web-client.ts';
import { keptLog } from '../support/checked-sandbox.ts';
import { FORM, JSON_TYPE, signedHeaders, posted } from '../support/signed.ts';

const SECRET = 'the signing secret of these tests';

const nowS = () => String(Math.floor(Date.now() / 1_000));

/** A receiver in front of a real Bolt app that records which listeners ran. */
function listening() {
  const ran: unknown[] = [];
  const logger = createSlackLogger(keptLog().log);
  const receiver = createReceiver({
    signingSecret: SECRET,
    now: Date.now,
    report: () => undefined,
    rateLimited: () => undefined,
  });
  const app = new App({ receiver, logger, convoStore: false, authorize: async () => ({ botToken: 'none' }) });
  app.use(async ({ body }) => void ran.push(body));
  return { receiver, ran };
}

const command = 'command=%2Fcobrowse&text=find&user_id=U1&team_id=T1&channel_id=C1';
const event = JSON.stringify({ type: 'event_callback', event: { type: 'app_home_opened' } });

describe('a request that claims it needs no signature', () => {
  const claims = [
    'ssl_check=1',
    'ssl_check=1&ssl_check=0',
    'ssl%5Fcheck=1',
    'ssl_check=1%00',
    '&ssl_check=1&',
    'SSL_CHECK=1',
  ];
  const bodies = fc
    .shuffledSubarray([...claims, command, `payload=${encodeURIComponent(event)}`, 'payload=%7B%7D', event], {
      minLength: 1,
    })
    .map((parts) => parts.join('&'));
  const signatures = fc.constantFrom<Record<string, string>>(
    {},
    { 'x-slack-signature': '' },
    { 'x-slack-signature': 'v0=0', 'x-slack-request-timestamp': nowS() },
    { 'x-slack-request-timestamp': nowS() },
    signedHeaders('another secret', command),
  );

  it('runs nothing, whatever it claims to be', async () => {
    const { receiver, ran } = listening();
    await fc.assert(
      fc.asyncProperty(
        bodies,
        signatures,
        fc.constantFrom(FORM, JSON_TYPE, ''),
        async (body, signed, type) => {
          const headers = { 'content-type': type, ...signed };
          const bytes = Buffer.from(body);
          const { status, body: answer } = await receiver.route.handle(posted(headers, bytes));
          expect([200, 401]).toContain(status);
          expect(answer).toBe(status === 200 ? undefined : 'The request isn’t signed by Slack.\n');
        },
      ),
      { numRuns: 1_000 },
    );
    expect(ran).toEqual([]);
  });

  it('would have run if it had been signed', async () => {
    const { receiver, ran } = listening();
    const headers = { 'content-type': FORM, ...signedHeaders(SECRET, command) };
    expect((await receiver.route.handle(posted(headers, Buffer.from(command)))).status).toBe(200);
    expect(ran).toHaveLength(1);
  });
});

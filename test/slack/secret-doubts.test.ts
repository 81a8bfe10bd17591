import { expect, it, onTestFinished } from 'vitest';
import { createNamedClaims } from '../../src/database/named-claims.ts';
import { openDatabase } from '../../src/database/open.ts';
import { createReceiver } from '../../src/slack/receiver.ts';
import { keptLog } from '../support/checked-sandbox.ts';
import { posted, signedHeaders } from '../support/signed.ts';

const SECRET = '0123456789abcdef0123456789abcdef';
const BODY = Buffer.from('ssl_check=1');
const MINUTE = 60_000;

it('warns once an hour of requests in Slack’s form that don’t fit, until one has, and of no others', async () => {
  const clock = { time: Date.UTC(2026, 10, 27, 12) };
  const now = () => clock.time;
  const database = await openDatabase('memory:');
  onTestFinished(() => database.close());
  const { log, lines } = keptLog();
  const { route } = createReceiver({
    signingSecret: SECRET,
    log,
    claims: createNamedClaims(database, now),
    now,
    report: () => undefined,
  });
  const send = async (headers: Readonly<Record<string, string>>) =>
    (await route.handle(posted({ 'content-type': 'application/x-www-form-urlencoded', ...headers }, BODY)))
      ?.status;
  const signed = (secret: string, at = clock.time) => signedHeaders(secret, BODY, at);
  for (const headers of [
    {},
    signed('another', clock.time - 6 * MINUTE),
    { ...signed('another'), 'x-slack-signature': 'v0=abc' },
    { ...signed('another'), 'x-slack-signature': `v1=${'a'.repeat(64)}` },
    { ...signed('another'), 'x-slack-request-timestamp': '1e9' },
  ])
    await send(headers);
  expect(lines).toHaveLength(0);
  expect(await send(signed('another'))).toBe(401);
  clock.time += 59 * MINUTE;
  await send(signed('another'));
  expect(lines).toHaveLength(1);
  clock.time += 2 * MINUTE;
  await send(signed('a third'));
  expect(lines).toHaveLength(2);
  expect(await send(signed(SECRET))).toBe(200);
  clock.time += 120 * MINUTE;
  expect(await send(signed('another'))).toBe(401);
  expect(lines).toHaveLength(2);
});

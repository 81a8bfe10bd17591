import { expect, it, onTestFinished } from 'vitest';
import { createNamedClaims } from '../../src/database/named-claims.ts';
import { openDatabase } from '../../src/database/open.ts';
import { createReceiver } from '../../src/slack/receiver.ts';
import { keptLog } from '../support/checked-sandbox.ts';
import { JSON_TYPE, posted, signedHeaders } from '../support/signed.ts';

const SECRET = 'a signing secret of these tests';
const MINUTE = 60_000;
const NOON = Date.UTC(2026, 2, 1, 12);

/** The receiver alone, before something that answers as the test says. */
async function openReceiver(answers: readonly ('handled' | 'failed')[] = []) {
  const database = await openDatabase('memory:');
  onTestFinished(() => database.close());
  const { log, lines } = keptLog();
  const clock = { now: NOON };
  const handled: unknown[] = [];
  const reports: string[] = [];
  const now = () => clock.now;
  const receiver = createReceiver({
    signingSecret: SECRET,
    log,
    claims: createNamedClaims(database, now),
    now,
    report: (verdict) => void reports.push(verdict),
  });
  const processEvent = async ({ body, ack }: { body: unknown; ack: () => Promise<void> }) => {
    handled.push(body);
    if (answers[handled.length - 1] === 'failed') throw new Error('the database is gone');
    await ack();
  };
  const init: typeof receiver.init = (app) => receiver.init(app);
  Reflect.apply(init, undefined, [{ processEvent }]);
  const send = (body: string, atMs = clock.now, more: Readonly<Record<string, string>> = {}) =>
    sendWith({ ...signedHeaders(SECRET, body, atMs), ...more }, body);
  const sendWith = (headers: Readonly<Record<string, string>>, body = pressed) =>
    receiver.route.handle(posted({ 'content-type': JSON_TYPE, ...headers }, Buffer.from(body)));
  return { clock, handled, reports, lines, send, sendWith };
}

const pressed = JSON.stringify({ type: 'view_submission', trigger_id: '1.2.3' });
const happened = JSON.stringify({ type: 'event_callback', event_id: 'Ev1' });

it('takes in a signed request once, however often and late it’s sent again, and answers nothing to the others', async () => {
  const { clock, handled, reports, send } = await openReceiver();
  expect(await send(pressed)).toMatchObject({ status: 200 });
  for (const laterMs of [0, 1_000, 299_000]) {
    clock.now = NOON + laterMs;
    expect(await send(pressed, NOON)).toEqual({ status: 200 });
  }
  clock.now = NOON + 301_000;
  expect(await send(pressed, NOON)).toMatchObject({ status: 401 });
  expect(handled).toHaveLength(1);
  expect(reports).toEqual(['repeated', 'repeated', 'repeated', 'stale']);
});

it('takes in what Slack sends again because nobody answered, by the signature of its own time', async () => {
  const { handled, send } = await openReceiver();
  const retry = { 'x-slack-retry-num': '1', 'x-slack-retry-reason': 'http_timeout' };
  await send(happened);
  await send(happened, NOON + 1_000, retry);
  expect(handled).toHaveLength(2);
});

it('takes in what failed, sent again within the same second', async () => {
  const { handled, reports, send } = await openReceiver(['failed', 'handled']);
  await expect(send(happened)).rejects.toThrow('the database is gone');
  expect(await send(happened, NOON, { 'x-slack-retry-num': '1' })).toMatchObject({ status: 200 });
  expect(await send(happened, NOON, { 'x-slack-retry-num': '2' })).toEqual({ status: 200 });
  expect([handled.length, reports]).toEqual([2, ['repeated']]);
});

it('warns once an hour of requests in Slack’s form that don’t fit, until one has, and of no others', async () => {
  const { clock, lines, send, sendWith } = await openReceiver();
  const signed = (secret: string, at = clock.now) => signedHeaders(secret, pressed, at);
  for (const headers of [
    {},
    signed('another', clock.now - 6 * MINUTE),
    { ...signed('another'), 'x-slack-signature': 'v0=abc' },
    { ...signed('another'), 'x-slack-signature': `v1=${'a'.repeat(64)}` },
    { ...signed('another'), 'x-slack-request-timestamp': '1e9' },
  ])
    await sendWith(headers);
  expect(lines).toHaveLength(0);
  expect(await sendWith(signed('another'))).toMatchObject({ status: 401 });
  clock.now += 59 * MINUTE;
  await sendWith(signed('another'));
  expect(lines).toHaveLength(1);
  clock.now += 2 * MINUTE;
  await sendWith(signed('a third'));
  expect(lines).toHaveLength(2);
  expect(await send(pressed)).toMatchObject({ status: 200 });
  clock.now += 120 * MINUTE;
  expect(await sendWith(signed('another'))).toMatchObject({ status: 401 });
  expect(lines).toHaveLength(2);
});

import { expect, it } from 'vitest';
import { createReceiver } from '../../src/slack/receiver.ts';
import { keptLog } from '../support/checked-sandbox.ts';
import { JSON_TYPE, posted, signedHeaders } from '../support/signed.ts';

const SECRET = 'a signing secret of these tests';
const NOON = Date.UTC(2026, 2, 1, 12);

/** The receiver alone, before something that answers as the test says. */
function openReceiver(answers: readonly ('handled' | 'failed')[] = []) {
  const clock = { now: NOON };
  const handled: unknown[] = [];
  const reports: string[] = [];
  const receiver = createReceiver({
    signingSecret: SECRET,
    log: keptLog().log,
    claims: { claim: async () => true, release: async () => undefined },
    now: () => clock.now,
    report: (verdict) => void reports.push(verdict),
  });
  const processEvent = async ({ body, ack }: { body: unknown; ack: () => Promise<void> }) => {
    handled.push(body);
    if (answers[handled.length - 1] === 'failed') throw new Error('the database is gone');
    await ack();
  };
  const init: typeof receiver.init = (app) => receiver.init(app);
  Reflect.apply(init, undefined, [{ processEvent }]);
  async function send(body: string, atMs = clock.now, more: Readonly<Record<string, string>> = {}) {
    const headers = { 'content-type': JSON_TYPE, ...signedHeaders(SECRET, body, atMs), ...more };
    return receiver.route.handle(posted(headers, Buffer.from(body)));
  }
  return { clock, handled, reports, send };
}

const pressed = JSON.stringify({ type: 'view_submission', trigger_id: '1.2.3' });
const happened = JSON.stringify({ type: 'event_callback', event_id: 'Ev1' });

it('takes in a signed request once, however often and late it’s sent again, and answers nothing to the others', async () => {
  const { clock, handled, reports, send } = openReceiver();
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
  const { handled, send } = openReceiver();
  const retry = { 'x-slack-retry-num': '1', 'x-slack-retry-reason': 'http_timeout' };
  await send(happened);
  await send(happened, NOON + 1_000, retry);
  expect(handled).toHaveLength(2);
});

it('takes in what failed, sent again within the same second', async () => {
  const { handled, reports, send } = openReceiver(['failed', 'handled']);
  await expect(send(happened)).rejects.toThrow('the database is gone');
  expect(await send(happened, NOON, { 'x-slack-retry-num': '1' })).toMatchObject({ status: 200 });
  expect(await send(happened, NOON, { 'x-slack-retry-num': '2' })).toEqual({ status: 200 });
  expect([handled.length, reports]).toEqual([2, ['repeated']]);
});

it('answers a challenge each time', async () => {
  const { send } = openReceiver();
  const asked = JSON.stringify({ type: 'url_verification', challenge: 'c' });
  for (let time = 0; time < 2; time += 1) expect(await send(asked)).toMatchObject({ body: 'c' });
});

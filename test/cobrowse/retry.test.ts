import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import type { ServiceOptions } from '../../src/cobrowse/http.ts';
import type { CobrowseError } from '../../src/cobrowse/errors.ts';
import { countHeads, holdLimit } from './held-limit.ts';
import { startLocalService } from './local-service.ts';
import { closing, connect, operations, rejection, sam } from './stage.ts';

type Step = (response: ServerResponse) => void;

/** A client of a service that answers the first request with the first step and so on; the last step stays. */
async function follow(steps: readonly Step[], options: Partial<ServiceOptions> = {}) {
  let count = 0;
  const service = await startLocalService((_request, response) => {
    steps[Math.min(count, steps.length - 1)]?.(response);
    count += 1;
  });
  const client = connect(service.url, { timeoutMs: 8_000, ...options });
  // Closed before its client, which would wait for the end of an answer.
  return { client, service: closing(service) };
}

function reply(status: number, body = '', headers: Record<string, string> = {}): Step {
  return (response) => response.writeHead(status, headers).end(body);
}

const good = reply(200, '{"status":"ok","usage":{}}');
const reset: Step = (response) => response.socket?.resetAndDestroy();
const hangUp: Step = (response) => response.socket?.destroy();
const silence: Step = () => {};
const startsAndStops: Step = (response) => response.writeHead(200).write('{"status":"ok",');
const breaksOff: Step = (response) => {
  response
    .writeHead(200, { 'content-length': '1000' })
    .write('{"status":"ok",', () => response.socket?.destroy());
};

const now = () => new Date('2030-01-01T00:00:00Z');

const waits = { 'retry-after': '0' };
const FAILING = [
  ['429', reply(429, 'wait', waits), { kind: 'busy', status: 429 }],
  ['503', reply(503), { kind: 'busy', status: 503 }],
  ['a reset', reset, { kind: 'unreachable' }],
  ['a hang-up', hangUp, { kind: 'unreachable' }],
  ['an answer that breaks off', breaksOff, { kind: 'unreachable' }],
] as const;

describe('a GET', () => {
  it.each(FAILING)('is tried again after %s, once', async (_what, step, failure) => {
    const passing = await follow([step, good]);
    await passing.client.usage();
    const lasting = await follow([step]);
    expect(await rejection(lasting.client.usage())).toMatchObject(failure);
    for (const { service } of [passing, lasting]) expect(service.requests).toHaveLength(2);
  });

  it.each([400, 401, 404, 500])('isn’t tried again after %i', async (status) => {
    const { client, service } = await follow([reply(status), good]);
    await rejection(client.usage());
    expect(service.requests).toHaveLength(1);
  });
});

describe('Retry-After', () => {
  it.each([
    ['0', 2],
    ['Tue, 01 Jan 2030 00:00:01 GMT', 2],
    // Too long for a person.
    ['3', 1],
    ['Tue, 01 Jan 2030 00:00:03 GMT', 1],
  ])('of %j makes for %i requests', async (retryAfter, count) => {
    const { client, service } = await follow([reply(503, '', { 'retry-after': retryAfter }), good], { now });
    const outcome = await client.usage().then(
      () => 'read',
      ({ kind }: CobrowseError) => kind,
    );
    expect([service.requests.length, outcome]).toEqual([count, count === 2 ? 'read' : 'busy']);
  });
});

describe('a POST or DELETE', () => {
  it.each(FAILING)('is sent once, whatever it costs: %s', async (_what, step, failure) => {
    const { client, service } = await follow([step]);
    const changing = Object.entries(operations(client)).filter(([name]) =>
      /^(?:create|authorize|stop|delete)/.test(name),
    );
    for (const [, call] of changing) expect(await rejection(call())).toMatchObject(failure);
    expect(service.requests).toHaveLength(6);
    expect(new Set(service.requests).size).toBe(6);
  });
});

describe('the time limit', () => {
  /** No other timer is that long. */
  const LIMIT_MS = 543_210;

  it.each([
    ['a service that says nothing', silence, 0],
    ['an answer that stops in the middle', startsAndStops, 1],
  ])('ends the wait for %s', async (_name, step, headsOfEach) => {
    const limit = holdLimit(LIMIT_MS);
    const { client, service } = await follow([step], { timeoutMs: LIMIT_MS });
    const heads = countHeads(service.url);
    const calls = [() => client.usage(), () => client.createWatchLink('v', { agent: sam })];
    for (const [before, call] of calls.entries()) {
      const ended = rejection(call());
      await expect.poll(() => service.requests.length).toBe(before + 1);
      await expect.poll(heads).toBe((before + 1) * headsOfEach);
      limit.runOut();
      expect(await ended).toMatchObject({ kind: 'timed-out' });
    }
    expect(service.requests).toHaveLength(2);
  });

  it('covers both tries together', async () => {
    const limit = holdLimit(LIMIT_MS);
    const refuses = reply(503, '', { 'retry-after': '0' });
    const { client, service } = await follow([refuses, silence], { timeoutMs: LIMIT_MS });
    const ended = rejection(client.usage());
    await expect.poll(() => service.requests).toHaveLength(2);
    limit.runOut();
    expect(await ended).toMatchObject({ kind: 'timed-out' });
    expect(service.requests).toHaveLength(2);
  });
});

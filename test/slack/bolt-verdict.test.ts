import { createServer } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { duplexPair } from 'node:stream';
import { HTTPModuleFunctions } from '@slack/bolt';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createReceiver } from '../../src/slack/receiver.ts';
import { createSlackLogger } from '../../src/workspaces/web-client.ts';
import { keptLog } from '../support/checked-sandbox.ts';
import { posted } from '../support/signed.ts';
import { RECEIVED_S, SECRET, mutatedRequests } from './mutated-request.ts';

const logger = createSlackLogger(keptLog().log);

/** Both verdicts on one request, and the request as the parser read it. */
interface Verdicts {
  readonly ours: string;
  readonly bolt: boolean;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

async function boltLetsIn(request: IncomingMessage, response: ServerResponse): Promise<boolean> {
  try {
    const options = { enabled: true, signingSecret: SECRET, logger };
    await HTTPModuleFunctions.parseAndVerifyHTTPRequest(options, request, response);
    return true;
  } catch {
    return false;
  }
}

/** What our receiver reports about a request; `good` if it doesn't complain about the signature. */
async function ourVerdict(headers: IncomingHttpHeaders, body: Buffer): Promise<string> {
  let verdict = 'good';
  const { route } = createReceiver({
    signingSecret: SECRET,
    now: Date.now,
    report: (reason) => (verdict = reason === 'unreadable' ? 'good' : reason),
    rateLimited: () => undefined,
  });
  const reply = await route.handle(posted(headers, body));
  expect(reply.status === 401).toBe(verdict !== 'good');
  return verdict;
}

async function verdictsOn(request: IncomingMessage, response: ServerResponse): Promise<Verdicts> {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  const bolt = await boltLetsIn(request, response);
  const body = Buffer.concat(chunks);
  return { ours: await ourVerdict(request.headers, body), bolt, headers: request.headers, body };
}

/** Feeds the bytes to a real parser, without a socket, and asks both; undefined if the parser refuses the request. */
async function authorize(bytes: Buffer): Promise<Verdicts | undefined> {
  const { promise, resolve } = Promise.withResolvers<Promise<Verdicts> | undefined>();
  const server = createServer((request, response) => resolve(verdictsOn(request, response)));
  const [near, far] = duplexPair();
  server.on('clientError', () => resolve(undefined));
  server.emit('connection', far);
  near.write(bytes);
  try {
    return await promise;
  } finally {
    near.destroy();
  }
}

/** Where the two may differ, and whom the request is let in by. */
const DIFFERENCES: readonly {
  readonly name: string;
  readonly ours: readonly string[];
  readonly applies: (timestamp: string, signature: string, body: Buffer) => boolean;
}[] = [
  {
    name: 'from the future',
    ours: ['stale', 'wrong'],
    applies: (timestamp) => Number(timestamp) > RECEIVED_S + 300,
  },
  {
    name: 'a time in another form',
    ours: ['wrong'],
    applies: (timestamp) => timestamp !== String(Number(timestamp)) || !/^\d+$/.test(timestamp),
  },
  {
    name: 'words behind the signature',
    ours: ['wrong'],
    applies: (_, signature) => /^v0=[0-9a-f]{64}=/.test(signature),
  },
  {
    name: 'bytes that are no UTF-8, signed as text',
    ours: ['wrong'],
    applies: (_time, _signature, body) => !isUtf8(body),
  },
  {
    name: 'bytes that are no UTF-8, signed as bytes',
    ours: ['good'],
    applies: (_time, _signature, body) => !isUtf8(body),
  },
];

const isUtf8 = (body: Buffer) => Buffer.from(body.toString('utf8')).equals(body);

/** The name of the difference that explains the two verdicts; undefined if none does. */
function explanationOf({ ours, bolt, headers, body }: Verdicts): string | undefined {
  const timestamp = String(headers['x-slack-request-timestamp']);
  const signature = String(headers['x-slack-signature']);
  const found = DIFFERENCES.find(
    (difference) =>
      difference.ours.includes(ours) &&
      bolt === (ours !== 'good') &&
      difference.applies(timestamp, signature, body),
  );
  return found?.name;
}

describe('a request signed as Slack and then damaged', () => {
  // Bolt's own check asks the clock.
  beforeAll(() => void vi.useFakeTimers({ toFake: ['Date'], now: RECEIVED_S * 1_000 + 999 }));
  afterAll(() => void vi.useRealTimers());

  it('gets the same verdict as from Bolt’s verifier, except for the documented differences', async () => {
    const counts = new Map<string, number>();
    const count = (name: string) => counts.set(name, (counts.get(name) ?? 0) + 1);
    await fc.assert(
      fc.asyncProperty(mutatedRequests, async (bytes) => {
        const verdicts = await authorize(bytes);
        if (verdicts === undefined) return void count('no request');
        const { ours, bolt } = verdicts;
        if ((ours === 'good') === bolt) return void count(bolt ? 'let in' : `refused, ${ours}`);
        const explanation = explanationOf(verdicts);
        expect(explanation, `ours: ${ours}, Bolt: ${String(bolt)}`).toBeDefined();
        count(explanation ?? '');
      }),
      { numRuns: 10_000 },
    );
    // All of it happened, and often: a run that only ever refuses would prove little.
    expect(counts.get('let in')).toBeGreaterThan(500);
    for (const reason of ['missing', 'stale', 'wrong'])
      expect(counts.get(`refused, ${reason}`)).toBeGreaterThan(100);
    expect(DIFFERENCES.filter(({ name }) => !counts.has(name))).toEqual([]);
  });
});

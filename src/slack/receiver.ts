import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { parse } from 'node:querystring';
import { LRUCache } from 'lru-cache';
import type { App, ReceiverEvent } from '@slack/bolt';
import { z } from 'zod';
import { jsonText } from '../commands/command.ts';
import type { NamedClaims } from '../database/named-claims.ts';
import { plain, type Reply, type Request, type Route } from '../http/server.ts';
import type { Log } from '../logging/log.ts';
import { MOST_BYTES, UNFIT_MS, unfitClaim } from '../workspaces/web-client.ts';

/** How old a request may be, or how far in the future. */
const TOLERANCE_S = 300;
/** Whole seconds since 1970, and a signature, each in the only form Slack uses. */
const TIMESTAMP = /^[1-9]\d{0,11}$/;
const SIGNATURE = /^v0=[0-9a-f]{64}$/;

type SignatureVerdict = 'good' | 'missing' | 'stale' | 'wrong';

/**
 * HMAC-SHA256 over `v0:<timestamp>:<raw body>`. Source: docs.slack.dev/authentication/verifying-requests-from-slack. Not Bolt's,
 * which makes a key for every request, hashes decoded text instead of the bytes, and accepts times in the future or odd forms.
 */
export function createSignatureCheck(signingSecret: string, now: () => number) {
  const key = createSecretKey(signingSecret, 'utf8');
  return function check(signature: unknown, timestamp: unknown, body: Buffer): SignatureVerdict {
    if (typeof signature !== 'string' || typeof timestamp !== 'string') return 'missing';
    if (signature === '' || timestamp === '') return 'missing';
    if (!TIMESTAMP.test(timestamp)) return 'wrong';
    if (Math.abs(Math.floor(now() / 1_000) - Number(timestamp)) > TOLERANCE_S) return 'stale';
    const expected = Buffer.from(
      `v0=${createHmac('sha256', key).update(`v0:${timestamp}:`).update(body).digest('hex')}`,
    );
    const given = Buffer.from(signature);
    return given.length === expected.length && timingSafeEqual(given, expected) ? 'good' : 'wrong';
  };
}

/** Signatures that are remembered: far more than Slack sends within the time in which they hold. */
const MOST_TAKEN = 20_000;

/** Slack tests our certificate without a signature and expects a 200; nothing else happens. Bolt does the same. */
const CERTIFICATE_TEST = /(?:^|&)ssl_check=1(?:&|$)/;

type Body = ReceiverEvent['body'];

const EMPTY: Reply = { status: 200 };

const Json = jsonText.pipe(z.record(z.string(), z.unknown()));

/** Undefined for anything Slack never sends. Form fields come once each; if not, the first one is used. */
function readBody(contentType: string, body: Buffer): Body | undefined {
  const text = body.toString('utf8');
  if (contentType.startsWith('application/json')) return Json.safeParse(text).data;
  if (!contentType.startsWith('application/x-www-form-urlencoded')) return undefined;
  if (!text.startsWith('payload=')) return parse(text);
  return Json.safeParse(new URLSearchParams(text).get('payload')).data;
}

function acknowledgement(response: unknown): Reply {
  if (response === undefined || response === '') return EMPTY;
  return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(response) };
}

interface ReceiverParts {
  readonly signingSecret: string;
  readonly log: Log;
  readonly claims: Pick<NamedClaims, 'claim' | 'release'>;
  readonly now: () => number;
  readonly report: (verdict: SignatureVerdict | 'unreadable' | 'repeated') => void;
}

/** Where the database is away, the next start says it again. */
const unlessAway = (work: Promise<unknown>) => void work.catch(() => undefined);

/** As long as no request has fitted the secret, one in Slack's form is warned about once an hour, and noted for the doctor. */
function createSecretDoubts({ signingSecret, log, claims, now }: ReceiverParts) {
  const name = unfitClaim(signingSecret);
  let hasFitted = false;
  let nextAt = 0;
  return {
    fitted(): void {
      if (!hasFitted) unlessAway(claims.release('', name));
      hasFitted = true;
    },
    unfit(headers: IncomingHttpHeaders): void {
      const { 'x-slack-signature': signature, 'x-slack-request-timestamp': timestamp } = headers;
      const isSigned = SIGNATURE.test(String(signature)) && TIMESTAMP.test(String(timestamp));
      if (hasFitted || now() < nextAt || !isSigned) return;
      nextAt = now() + 60 * 60 * 1_000;
      log.warn('no request from Slack fits SLACK_SIGNING_SECRET: copy it again from the app’s page');
      unlessAway(claims.claim('', name, UNFIT_MS));
    },
  };
}

export type SignedRequests = ReturnType<typeof createSignedRequests>;

export function createSignedRequests(parts: ReceiverParts) {
  const { signingSecret, now, report } = parts;
  const doubts = createSecretDoubts(parts);
  const check = createSignatureCheck(signingSecret, now);
  /** While their signatures hold: whoever has a request of Slack's could send it again. Slack itself signs again. */
  const taken = new LRUCache<string, true>({ max: MOST_TAKEN, ttl: 2 * TOLERANCE_S * 1_000 });
  return {
    report,
    /** The body that Slack signed, or what to answer in its place. */
    async read({ headers, body: readAll }: Request): Promise<Buffer | Reply> {
      const raw = await readAll(MOST_BYTES);
      const verdict = check(headers['x-slack-signature'], headers['x-slack-request-timestamp'], raw);
      if (verdict === 'missing' && CERTIFICATE_TEST.test(raw.toString('latin1'))) return EMPTY;
      if (verdict === 'wrong') doubts.unfit(headers);
      if (verdict !== 'good') {
        report(verdict);
        return plain(401, 'The request isn’t signed by Slack.');
      }
      doubts.fitted();
      return raw;
    },
    /** False for what was taken in before. What fails is to be forgotten. */
    take({ headers }: Request): boolean {
      const signature = String(headers['x-slack-signature']);
      const isNew = !taken.has(signature);
      if (isNew) taken.set(signature, true);
      else report('repeated');
      return isNew;
    },
    forget: ({ headers }: Request) => void taken.delete(String(headers['x-slack-signature'])),
  };
}

/** `POST /slack/events`. About half as expensive as Bolt's HTTPReceiver, and accepts a content type with a charset. */
export function createReceiver(parts: ReceiverParts, signed = createSignedRequests(parts)) {
  let app: App | undefined;

  function process(body: Body): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const ack = async (response?: unknown) => resolve(acknowledgement(response));
      // A listener that never acknowledges still ends in an answer.
      const handled = app?.processEvent({ body, ack }) ?? Promise.resolve();
      handled.then(() => resolve(EMPTY), reject);
    });
  }

  return {
    init: (bolt: App) => void (app = bolt),
    start: async () => undefined,
    stop: async () => undefined,
    route: {
      method: 'POST',
      path: '/slack/events',
      async handle(request) {
        const raw = await signed.read(request);
        if (!Buffer.isBuffer(raw)) return raw;
        const { headers } = request;
        const body = readBody((headers['content-type'] ?? '').toLowerCase(), raw);
        if (body === undefined) {
          parts.report('unreadable');
          return plain(400, 'The app doesn’t understand the body.');
        }
        if (body['type'] === 'url_verification')
          return { ...plain(200, ''), body: String(body['challenge']) };
        if (!signed.take(request)) return EMPTY;
        return process(body).catch((error: unknown) => {
          signed.forget(request);
          throw error;
        });
      },
    } satisfies Route,
  };
}

import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { settings } from './settings.ts';

const key = createSecretKey(settings.SLACK_SIGNING_SECRET, 'utf8');

/** The least that a signature of Slack's costs. */
export function isSigned({ headers }: IncomingMessage, body: Buffer): boolean {
  const timestamp = String(headers['x-slack-request-timestamp']);
  if (Math.abs(Date.now() / 1_000 - Number(timestamp)) > 300) return false;
  const digest = createHmac('sha256', key).update(`v0:${timestamp}:`).update(body).digest('hex');
  const given = Buffer.from(String(headers['x-slack-signature']));
  const expected = Buffer.from(`v0=${digest}`);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

import { createHmac, randomBytes } from 'node:crypto';
import { Secret } from '../workspaces/data-keys.ts';

/*
 * Source: Standard Webhooks 1.0.0, "Signature scheme" and "Webhook headers": HMAC-SHA256 over `id.timestamp.body`, where the
 * timestamp is in seconds since 1970, by a key of 24 to 64 bytes that is written as `whsec_` and base64.
 */

const PREFIX = 'whsec_';
const KEY_BYTES = 32;

/** A new secret, as people copy it into the program that verifies. */
export const createWebhookSecret = (): Secret =>
  new Secret(PREFIX + randomBytes(KEY_BYTES).toString('base64'));

/** What is signed. `at` is when it's sent, milliseconds since 1970. */
export interface Signed {
  /** Without a full stop. */
  readonly id: string;
  readonly at: number;
  readonly body: string;
}

/** The headers that prove where a message is from, with a signature by each of the secrets. */
export function signatureHeaders({ id, at, body }: Signed, secrets: readonly Secret[]) {
  const timestamp = String(Math.floor(at / 1_000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.reveal().slice(PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}

import { describe, expect, it } from 'vitest';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import { createWebhookSecret, signatureHeaders } from '../../src/webhooks/sign.ts';
import { Secret } from '../../src/workspaces/data-keys.ts';

const body = '{"type":"test","data":{"name":"Zoë 😀"}}';
// Its verifier reads the machine's clock, and nothing else here does.
const message = { id: 'msg_1', at: Date.now(), body };

describe('a signature', () => {
  it('is one that receivers verify with the public library, with either secret after a rotation', () => {
    const [current, previous, others] = [createWebhookSecret(), createWebhookSecret(), createWebhookSecret()];
    const headers = signatureHeaders(message, [current, previous]);
    for (const secret of [current, previous])
      expect(new Webhook(secret.reveal()).verify(body, headers)).toEqual(JSON.parse(body));
    const verifying = new Webhook(others.reveal());
    expect(() => verifying.verify(body, headers)).toThrow(WebhookVerificationError);
    expect(() => new Webhook(current.reveal()).verify(`${body} `, headers)).toThrow(WebhookVerificationError);
  });

  it('is made as the standard’s text says', () => {
    const secret = new Secret(`whsec_${Buffer.alloc(24, 1).toString('base64')}`);
    expect(signatureHeaders({ id: 'msg_1', at: 1_674_087_231_999, body: '{}' }, [secret])).toEqual({
      'webhook-id': 'msg_1',
      'webhook-timestamp': '1674087231',
      // printf 'msg_1.1674087231.{}' | openssl dgst -sha256 -mac HMAC -macopt hexkey:0101… -binary | base64
      'webhook-signature': 'v1,XYqFayqyyUTMUqR13Wuogti4Hxtf1oXQNInBjb0/0ZI=',
    });
  });

  it('uses a secret of 32 random bytes, which refuses to be written down', () => {
    const secret = createWebhookSecret();
    expect(secret.reveal()).toMatch(/^whsec_[\w+/]{43}=$/);
    expect(JSON.stringify({ secret })).toBe('{"secret":"[secret]"}');
    expect(createWebhookSecret().reveal()).not.toBe(secret.reveal());
  });
});

import { describe, expect, it } from 'vitest';
import { createWebhookSecret, signatureHeaders } from '../../src/webhooks/sign.ts';
import { Secret } from '../../src/workspaces/data-keys.ts';

// What verifies it: docs.test.ts and home-journey.test.ts.
describe('a signature', () => {
  it('is made as the standard’s text says', () => {
    const secret = new Secret(`whsec_${Buffer.alloc(24, 1).toString('base64')}`);
    expect(signatureHeaders({ id: 'msg_1', at: 1_674_087_231_999, body: '{}' }, [secret])).toEqual({
      'webhook-id': 'msg_1',
      'webhook-timestamp': '1674087231',
      // printf 'msg_1.1674087231.{}' | openssl dgst -sha256 -mac HMAC -macopt hexkey:0101… -binary | base64
      'webhook-signature': 'v1,XYqFayqyyUTMUqR13Wuogti4Hxtf1oXQNInBjb0/0ZI=',
    });
  });

  it('is followed by one with the secret before, after a space', () => {
    const [one, other] = [createWebhookSecret(), createWebhookSecret()];
    const signed = { id: 'msg_1', at: 0, body: '{}' };
    const by = (...secrets: Secret[]) => signatureHeaders(signed, secrets)['webhook-signature'];
    expect(by(one, other)).toBe(`${by(one)} ${by(other)}`);
  });

  it('uses a secret of 32 random bytes, which refuses to be written down', () => {
    const secret = createWebhookSecret();
    expect(secret.reveal()).toMatch(/^whsec_[\w+/]{43}=$/);
    expect(JSON.stringify({ secret })).toBe('{"secret":"[secret]"}');
    expect(createWebhookSecret().reveal()).not.toBe(secret.reveal());
  });
});

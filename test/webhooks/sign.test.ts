import { expect, it } from 'vitest';
import { createWebhookSecret } from '../../src/webhooks/sign.ts';

// What a signature is, and that both secrets sign: docs.test.ts and home-journey.test.ts.
it('a webhook is signed with a secret of 32 random bytes', () => {
  const secret = createWebhookSecret();
  expect(secret.reveal()).toMatch(/^whsec_[\w+/]{43}=$/);
  expect(createWebhookSecret().reveal()).not.toBe(secret.reveal());
});

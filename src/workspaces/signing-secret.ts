import { createHash } from 'node:crypto';

/** Slack documents no form, but has made no other. */
export const looksLikeSigningSecret = (text: string): boolean => /^[0-9a-z]{32}$/i.test(text);

/** How long it's known that no request has fitted. */
export const UNFIT_MS = 30 * 24 * 60 * 60 * 1_000;

/** The claim that is there as long as no request has fitted this secret. */
export const unfitClaim = (secret: string): string =>
  `signing-secret:${createHash('sha256').update(secret).digest('base64url').slice(0, 16)}`;

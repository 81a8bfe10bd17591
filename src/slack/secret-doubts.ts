import type { NamedClaims } from '../database/named-claims.ts';
import { UNFIT_MS, unfitClaim } from '../workspaces/signing-secret.ts';

const WARN_EVERY_MS = 60 * 60 * 1_000;

/** Where the database is away, the next start says it again. */
const unlessAway = (work: Promise<unknown>) => void work.catch(() => undefined);

/**
 * With a wrong signing secret every request is refused, and nobody would know why. So as long as none has fitted, one in Slack's
 * form is warned about, once an hour, and remembered for the doctor. Neither rejects.
 */
export function createSecretDoubts({
  secret,
  claims,
  now,
  warn,
}: {
  readonly secret: string;
  readonly claims: NamedClaims;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly warn: () => void;
}) {
  const name = unfitClaim(secret);
  let hasFitted = false;
  let nextAt = 0;
  return {
    /** Called with each request that fits. */
    fitted(): void {
      if (hasFitted) return;
      hasFitted = true;
      unlessAway(claims.release('', name));
    },
    /** Called with each in Slack's form that doesn't. */
    unfit(): void {
      if (hasFitted || now() < nextAt) return;
      nextAt = now() + WARN_EVERY_MS;
      warn();
      unlessAway(claims.claim('', name, UNFIT_MS));
    },
  };
}

import type { Session } from './schemas.ts';

/**
 * Whether the customer let the agent see the page, as far as the service says; undefined where it doesn't. Of a session
 * that ended without it nobody knows whether it was declined or never answered.
 */
export function wasAccepted({
  session_authorized: isAuthorized,
  went_live: wentLive,
}: Pick<Session, 'session_authorized' | 'went_live'>): boolean | undefined {
  if (isAuthorized === undefined && wentLive === undefined) return undefined;
  return isAuthorized === true || wentLive === true;
}

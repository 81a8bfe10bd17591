import type { IssuedLink } from '../../src/messages/link-request.ts';
import { ALEX, SUPPORT } from '../support/person.ts';

/** A session as the service reports its end, with `id` and whatever else a test is about. */
export function endedSession(id: unknown, fields: Readonly<Record<string, unknown>> = {}) {
  return {
    id,
    _type: 'session',
    // The session shows by its agent's name: a summary does not show its id.
    agents: [{ id: 'agent-1', name: `Agent of ${String(id)}`, _type: 'external_agent' }],
    started_at: '2026-03-01T10:00:00Z',
    ended_at: '2026-03-01T10:01:15Z',
    length_seconds: 75,
    features_used: ['click', 'scroll'],
    // So that there are details.
    on_premise: true,
    visitor_id: 'jane4821',
    ...fields,
  };
}

/** The session-end ticket of a Watch that Alex pressed in #support. */
export const alexInSupport: IssuedLink = {
  workspaceId: 'T0ACME00000',
  userId: ALEX,
  visitorId: 'jane4821',
  access: 'full',
  channelId: SUPPORT,
  linkId: 'grant-1',
};

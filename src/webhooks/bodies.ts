import { z } from 'zod';
import { wasAccepted, type Session } from '../cobrowse/schemas.ts';
import type { IssuedLink } from '../messages/link-request.ts';
import type { SetOutcome } from '../messages/session-words.ts';
import { isChannel } from '../permissions/permissions.ts';
import { linkEndedAt, type SessionEnd } from '../sessions/session-ends.ts';
import type { RecordedLink } from '../sessions/watch-links.ts';

/* Other programs read this: changing or removing a field needs a new version. Never a watch link, a recording or feedback. */

export const WEBHOOK_EVENTS = ['watch_link.opened', 'session.ended', 'session.outcome_changed'] as const;
export const WebhookEvent = z.enum(WEBHOOK_EVENTS);
export type WebhookEvent = z.infer<typeof WebhookEvent>;

/** Names come from elsewhere; no real one is longer. */
const LONGEST_NAME = 200;

const iso = (at: number) => new Date(at).toISOString();

function isoOf(text: string | undefined): string | null {
  const at = Date.parse(text ?? '');
  return Number.isNaN(at) ? null : iso(at);
}

const nameOf = (name: string | undefined): string | null =>
  name?.slice(0, LONGEST_NAME).toWellFormed() ?? null;

const commonOf = (link: IssuedLink, cardUrl: string | undefined) => ({
  version: 1,
  workspace_id: link.workspaceId,
  link_id: link.linkId,
  customer: { id: link.visitorId },
  user_id: link.userId,
  channel_id: link.channelId !== undefined && isChannel(link.channelId) ? link.channelId : null,
  access: link.access,
  ticket: link.ticketUrl ?? null,
  card_url: cardUrl ?? null,
});

export const linkOpenedBody = ({ link, issuedAt, expiresAt }: RecordedLink, cardUrl: string | undefined) => ({
  type: 'watch_link.opened' as const,
  timestamp: iso(issuedAt),
  data: { ...commonOf(link, cardUrl), expires_at: expiresAt === undefined ? null : iso(expiresAt) },
});

/** What nobody accepted took no time, however long the customer was asked. */
const secondsOf = ({ session, seconds }: SessionEnd) =>
  session !== undefined && wasAccepted(session) === false ? 0 : (seconds ?? null);

const agentsOf = ({ agents }: Session) =>
  agents.map(({ id, name, agent_nickname: nickname }) => ({ id, name: nameOf(name ?? nickname) }));

const endedOf = (end: SessionEnd, cardUrl: string | undefined) => ({
  ...commonOf(end.link, cardUrl),
  session_id: end.sessionId,
  started_at: isoOf(end.session?.started_at),
  ended_at: iso(linkEndedAt(end)),
  seconds: secondsOf(end),
  agents: end.session === undefined ? [] : agentsOf(end.session),
  tools: end.session?.features_used.map((name) => name.slice(0, LONGEST_NAME).toWellFormed()) ?? [],
  was_live: end.session?.went_live ?? null,
  authorized: end.session?.session_authorized ?? null,
  outcome: end.outcome?.outcome ?? null,
  recovered: end.recovered,
});

export const sessionEndedBody = (end: SessionEnd, cardUrl: string | undefined) => {
  const data = endedOf(end, cardUrl);
  return { type: 'session.ended' as const, timestamp: data.ended_at, data };
};

/** @param end as it was before; `set` is what somebody says now */
export const outcomeChangedBody = (end: SessionEnd, set: SetOutcome, cardUrl: string | undefined) => ({
  type: 'session.outcome_changed' as const,
  timestamp: iso(set.at),
  data: {
    ...endedOf(end, cardUrl),
    outcome: set.outcome,
    previous_outcome: end.outcome?.outcome ?? null,
    outcome_by: set.by,
  },
});

const AnyBody = z.looseObject({ data: z.looseObject({}) });

/** A body, as JSON, with the customer's name where an admin wants that; null if it isn't known. */
export function withCustomer(body: string, id: string, named: false | { readonly name: string | undefined }) {
  const { data, ...others } = AnyBody.parse(JSON.parse(body));
  const customer = { id, ...(named && { name: nameOf(named.name) }) };
  return JSON.stringify({ ...others, data: { ...data, customer } });
}

/** @param at milliseconds since 1970 */
export const testBody = (workspaceId: string, at: number) => ({
  type: 'test' as const,
  timestamp: iso(at),
  data: { version: 1, workspace_id: workspaceId },
});

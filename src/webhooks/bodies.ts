import { z } from 'zod';
import { wasAccepted, type Session } from '../cobrowse/schemas.ts';
import type { IssuedLink } from '../messages/link-request.ts';
import { SessionOutcome, type SetOutcome } from '../messages/session-words.ts';
import { Access, isChannel } from '../permissions/permissions.ts';
import { linkEndedAt, type SessionEnd } from '../sessions/session-ends.ts';
import type { RecordedLink } from '../sessions/watch-links.ts';

/* Other programs read this: changing or removing a field needs a new version. Never a watch link, a recording or feedback. */

export const WEBHOOK_EVENTS = ['watch_link.opened', 'session.ended', 'session.outcome_changed'] as const;
export const WebhookEvent = z.enum(WEBHOOK_EVENTS);
export type WebhookEvent = z.infer<typeof WebhookEvent>;

/** Names come from elsewhere; no real one is longer. */
const LONGEST_NAME = 200;

const time = z.iso.datetime();
const version = z.literal(1);
/** Slack's id of a workspace, a person or a channel. */
const slackId = z.string();

const Common = z.strictObject({
  version,
  workspace_id: slackId,
  link_id: z.string(),
  /** `name` is there only where an admin switched it on; null if it isn't known. */
  customer: z.strictObject({ id: z.string(), name: z.string().nullable().optional() }),
  /** Who asked to see the screen. */
  user_id: slackId,
  /** Null where it wasn't asked for in a channel. */
  channel_id: slackId.nullable(),
  access: Access,
  ticket: z.string().nullable(),
  /** The address of the message in Slack. */
  card_url: z.string().nullable(),
});

const Ended = Common.extend({
  session_id: z.string(),
  started_at: time.nullable(),
  ended_at: time,
  seconds: z.number().nullable(),
  /** As the service names them. */
  agents: z.array(z.strictObject({ id: z.string(), name: z.string().nullable() })),
  /** As the service names them. */
  tools: z.array(z.string()),
  /** Whether an agent saw the page; null if the service doesn't say. */
  was_live: z.boolean().nullable(),
  /** Whether the customer said yes; null if the service doesn't say. */
  authorized: z.boolean().nullable(),
  outcome: SessionOutcome.nullable(),
  /** The end was found by asking the service: it didn't report it. */
  recovered: z.boolean(),
});

const bodyOf = <Type extends WebhookEvent | 'test', Data extends z.ZodType>(type: Type, data: Data) =>
  z.strictObject({ type: z.literal(type), timestamp: time, data });

/** A webhook's body, with nothing that isn't named here. `timestamp` says when it happened, not when it was sent. */
export const WebhookBody = z.discriminatedUnion('type', [
  bodyOf('watch_link.opened', Common.extend({ expires_at: time.nullable() })),
  bodyOf('session.ended', Ended),
  bodyOf(
    'session.outcome_changed',
    Ended.extend({
      outcome: SessionOutcome,
      previous_outcome: SessionOutcome.nullable(),
      outcome_by: slackId,
    }),
  ),
  bodyOf('test', z.strictObject({ version, workspace_id: slackId })),
]);
export type WebhookBody = z.infer<typeof WebhookBody>;
type BodyOf<Type extends WebhookBody['type']> = Extract<WebhookBody, { type: Type }>;

const iso = (at: number) => new Date(at).toISOString();

function isoOf(text: string | undefined): string | null {
  const at = Date.parse(text ?? '');
  return Number.isNaN(at) ? null : iso(at);
}

const nameOf = (name: string | undefined): string | null =>
  name?.slice(0, LONGEST_NAME).toWellFormed() ?? null;

const commonOf = (link: IssuedLink, cardUrl: string | undefined) => ({
  version: 1 as const,
  workspace_id: link.workspaceId,
  link_id: link.linkId,
  customer: { id: link.visitorId },
  user_id: link.userId,
  channel_id: link.channelId !== undefined && isChannel(link.channelId) ? link.channelId : null,
  access: link.access,
  ticket: link.ticketUrl ?? null,
  card_url: cardUrl ?? null,
});

export const linkOpenedBody = (
  { link, issuedAt, expiresAt }: RecordedLink,
  cardUrl: string | undefined,
): BodyOf<'watch_link.opened'> => ({
  type: 'watch_link.opened',
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

export const sessionEndedBody = (end: SessionEnd, cardUrl: string | undefined): BodyOf<'session.ended'> => {
  const data = endedOf(end, cardUrl);
  return { type: 'session.ended', timestamp: data.ended_at, data };
};

/** @param end as it was before; `set` is what somebody says now */
export const outcomeChangedBody = (
  end: SessionEnd,
  set: SetOutcome,
  cardUrl: string | undefined,
): BodyOf<'session.outcome_changed'> => ({
  type: 'session.outcome_changed',
  timestamp: iso(set.at),
  data: {
    ...endedOf(end, cardUrl),
    outcome: set.outcome,
    previous_outcome: end.outcome?.outcome ?? null,
    outcome_by: set.by,
  },
});

const AnyBody = z.looseObject({ data: z.looseObject({ customer: z.looseObject({}) }) });

/** A body with what the customer is called now, where an admin switched that on; both as JSON. */
export function withName(body: string, name: string | undefined): string {
  const { data, ...others } = AnyBody.parse(JSON.parse(body));
  const customer = { ...data.customer, name: nameOf(name) };
  return JSON.stringify({ ...others, data: { ...data, customer } });
}

/** A body without what the customer is called, if it says that; both as JSON. */
export function withoutName(body: string): string {
  const { data, ...others } = AnyBody.parse(JSON.parse(body));
  const { name, ...customer } = data.customer;
  return name === undefined ? body : JSON.stringify({ ...others, data: { ...data, customer } });
}

/** @param at milliseconds since 1970 */
export const testBody = (workspaceId: string, at: number): BodyOf<'test'> => ({
  type: 'test',
  timestamp: iso(at),
  data: { version: 1, workspace_id: workspaceId },
});

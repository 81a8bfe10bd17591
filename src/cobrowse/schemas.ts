import { z } from 'zod';
import { isWatchPath } from './watch-link.ts';
import { defaultWireNames, isObject, pathOf, valueAt, visitorNames, type WireNames } from './wire-names.ts';

// The service's answers. Only what identifies a thing is required. Any other field that is missing, null or of another type is
// `undefined` (a list: empty), so that a change on the other side costs one line on a screen and not the answer.

/** Longer than any id, yet short enough for a button's value and, sealed, for an address, in every script. */
const LONGEST_ID = 255;
/** As JSON: three bytes a letter. */
const MOST_ID_BYTES = 3 * LONGEST_ID + 2;

const fitsAnId = (text: string) =>
  /\S/.test(text) && text.length <= LONGEST_ID && Buffer.byteLength(JSON.stringify(text)) <= MOST_ID_BYTES;

/** Older versions of the service sent integers. */
const isId = (value: unknown): value is string | number =>
  typeof value === 'string' ? fitsAnId(value) : Number.isSafeInteger(value);

const id = z.custom<string | number>(isId).transform(String);

const optional = <Schema extends z.ZodType>(schema: Schema) =>
  schema
    .nullish()
    .transform((value) => value ?? undefined)
    .catch(undefined);

const text = optional(z.string());
const words = z.union([z.string(), z.number()]).transform(String);
const textOrNumber = optional(words);
const flag = optional(z.boolean());
const amount = optional(z.number().nonnegative());
/** In seconds. No session lasts a century, and adding up larger numbers could overflow. */
const length = optional(z.number().nonnegative().max(3_155_760_000));
/** ISO 8601 with any offset, kept as text. `new Date` alone would accept words in parentheses. */
const time = optional(
  z.string().refine((value) => /^\d{4}-[\d:.TZ+ -]{0,40}$/i.test(value) && !Number.isNaN(Date.parse(value))),
);
const anything = z.array(z.unknown()).catch([]);

const MOST_FEEDBACK = 5;
/** Of a visitor's pageviews and sessions: the document doesn't say which end of the list is newest. */
const MOST_AT_AN_END = 500;

/** Checked first: an answer may hold millions of entries without an id, and the parser's errors are costly. */
export const hasId = (entry: unknown, field: 'id' | 'short_id'): entry is object =>
  isObject(entry) && isId(entry[field]);

const first = (most: number) => anything.transform((entries) => entries.slice(0, most));

const bothEnds = anything.transform((entries) =>
  entries.length <= 2 * MOST_AT_AN_END
    ? entries
    : [...entries.slice(0, MOST_AT_AN_END), ...entries.slice(-MOST_AT_AN_END)],
);

const listOf = <Schema extends z.ZodType>(schema: Schema, shortened: z.ZodType<readonly unknown[]>) =>
  shortened.transform((entries) =>
    entries.flatMap((entry) => (hasId(entry, 'id') ? (schema.safeParse(entry).data ?? []) : [])),
  );

/** In any form that somebody could open or repair: encoded, without its scheme, or with other slashes. */
const ADDRESS =
  /https?:|[/\\]{2}|%2f|%3a|(?:[\p{L}\p{N}-]\.\p{L}{2,}|\d(?:\.\d{1,3}){3}|localhost)(?::\d+)?[/?#\\]\S/iu;

/** For foreign text that is kept or posted. Shows that an address was there, not which: it could be a watch link. */
export const withoutAddresses = (value: string): string =>
  value.replaceAll(/\S+/gu, (word) => (ADDRESS.test(word) ? '[link]' : word));

/** A bit more than is shown, so that what is cut shows that. */
const cut = (value: string, longest: number) => withoutAddresses(value.slice(0, longest).toWellFormed());

/** For sessions, which are stored and posted. */
const kept = (longest: number) => optional(words.transform((value) => cut(value, longest)));

const texts = anything.transform((entries) => entries.filter((entry) => typeof entry === 'string'));

const RATING_NAMES = ['rating', 'score', 'stars', 'value'] as const;
const COMMENT_NAMES = ['comment', 'text', 'message', 'feedback'] as const;

/** The document doesn't give its form: a text, a number, or an object with a rating or a comment is understood. */
function feedbackIn(element: unknown): string {
  if (!isObject(element)) return wordsIn(element);
  return [RATING_NAMES, COMMENT_NAMES]
    .map((names) => names.map((name) => wordsIn(element[name])).find(Boolean))
    .filter(Boolean)
    .join(': ');
}

const wordsIn = (value: unknown) =>
  typeof value === 'string' || typeof value === 'number' ? cut(String(value), 320).trim() : '';

/** Only the recording behind the dashboard's login: the public one shows the screen to anyone who has the address. */
function recordingIn(address: string): string | undefined {
  const url = URL.parse(address);
  if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '' || isWatchPath(url))
    return undefined;
  return url.href.length <= 2_000 ? url.href : undefined;
}

const SessionAgentSchema = z.object({ id, agent_nickname: kept(100), email: kept(100), name: kept(100) });

/**
 * A session: listed for agents, posted by the session-end webhook, or read from our database. Since it's stored, only what is
 * shown is read: any other field could hold a link, or what the link was requested with, including the webhook's address.
 */
export const SessionSchema = z.object({
  id,
  agents: listOf(SessionAgentSchema, first(10)),
  ended_at: time,
  features_used: texts.transform((names) => names.slice(0, 20).map((name) => cut(name, 40))),
  length_seconds: length,
  /** What the link was requested with, perhaps; only the link's id is kept. */
  metadata: optional(
    z.object({ slack_link: optional(z.string().transform((name) => cut(name, LONGEST_ID))) }),
  ),
  on_premise: flag,
  quality_feedback: anything.transform((elements) =>
    elements
      .slice(0, 10 * MOST_FEEDBACK)
      .map(feedbackIn)
      .filter(Boolean)
      .slice(0, MOST_FEEDBACK),
  ),
  session_authorized: flag,
  started_at: time,
  video_url: optional(z.string().transform(recordingIn)),
  visitor_id: kept(LONGEST_ID),
  went_live: flag,
});
export type Session = z.output<typeof SessionSchema>;

const renaming = <Value>(schema: z.ZodType<Value>, changed: (entry: object) => object): z.ZodType<Value> =>
  z.preprocess((entry) => (isObject(entry) ? { ...entry, ...changed(entry) } : entry), schema);

/** SessionSchema that takes the link's id from this path. */
export function createSessionSchema(linkIdPath: string): z.ZodType<Session> {
  if (linkIdPath === defaultWireNames.sessionLinkId) return SessionSchema;
  return renaming(SessionSchema, (entry) => {
    const found = valueAt(entry, pathOf(linkIdPath));
    return { metadata: { slack_link: typeof found === 'string' ? found : undefined } };
  });
}

/** Only `short_id` is documented; the other names come from `wire-names.ts`. */
export const VisitorSchema = z.looseObject({
  short_id: id,
  added_at: time,
  browser_name: text,
  call_name: text,
  device_name: text,
  device_type: text,
  email: text,
  /** Pageviews, if asked for; their shape is unknown. */
  history: bothEnds,
  identities: texts,
  integration: text,
  ip_address: text,
  is_in_session: flag,
  is_online: flag,
  is_supported: flag,
  is_waiting_for_call: flag,
  last_seen_at: time,
  last_url: text,
  location_city: text,
  location_country: text,
  location_country_name: text,
  lookup_code: textOrNumber,
  nickname: text,
  sessions: listOf(SessionSchema, bothEnds),
  tags: texts,
  unique_id: textOrNumber,
  /** For people who log in to the dashboard; not a secure link. */
  watch_link: text,
});
export type Visitor = z.output<typeof VisitorSchema>;

export const AgentSchema = z.looseObject({
  id,
  agent_nickname: text,
  email: text,
  name: text,
  last_request_at: time,
  sessions: listOf(SessionSchema, anything),
});
export type Agent = z.output<typeof AgentSchema>;

const counts = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.preprocess((value) => (isObject(value) ? value : {}), z.looseObject(shape));
const period = counts({ last_30_days: amount, today: amount });

/** `session_seconds` is in seconds. `today` is the last 24 hours. */
export const UsageSchema = z.looseObject({
  agents: period,
  session_counts: counts({ last_30_days: amount, now: amount, today: amount }),
  session_seconds: period,
  visitors: counts({ last_24_hrs: amount, online_now: amount }),
});
export type Usage = z.output<typeof UsageSchema>;

/** Older versions of the service may leave it out. */
const status = z.literal('ok').nullish();

export const UsageReplySchema = z.object({ status, usage: UsageSchema });

export const VisitorsReplySchema = z.object({ status, visitors: z.array(z.unknown()).nullable() });

/** VisitorSchema that takes the fields from where these names say. */
export function createVisitorSchema(names: WireNames): z.ZodType<Visitor> {
  const renamed = Array.from(visitorNames, ([key, ours]) => ({
    ours,
    path: pathOf(names[key] ?? ours),
  })).filter(({ ours, path }) => path.join('.') !== ours);
  const schema = VisitorSchema.extend({
    sessions: listOf(createSessionSchema(names.sessionLinkId), bothEnds),
  });
  if (renamed.length === 0) return schema;
  return renaming(schema, (entry) =>
    Object.fromEntries(renamed.map(({ ours, path }) => [ours, valueAt(entry, path)])),
  );
}

export const VisitorReplySchema = z.object({ status, visitor: z.unknown() });

/** The sessions are read later: there can be a hundred thousand. */
export const AgentReplySchema = z.object({ status, agent: AgentSchema.extend({ sessions: anything }) });

export const WatchLinkReplySchema = z.object({
  status,
  watch_url: z.string(),
  expiration: z.string().nullish().catch(undefined),
});

export const ProxyLinkReplySchema = z.object({ status, proxy_url: z.string() });

export const LicenseReplySchema = z.discriminatedUnion('authorized', [
  z.object({ status, authorized: z.literal(true), token: z.string().min(1) }),
  z.object({ status, authorized: z.literal(false) }),
]);

/** Whether the customer let the agent see the page: false if they declined or didn't answer, undefined if nobody says. */
export function wasAccepted({
  session_authorized: isAuthorized,
  went_live: wentLive,
}: Pick<Session, 'session_authorized' | 'went_live'>): boolean | undefined {
  if (isAuthorized === undefined && wentLive === undefined) return undefined;
  return isAuthorized === true || wentLive === true;
}

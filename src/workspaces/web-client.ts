import { createHash, randomUUID } from 'node:crypto';
import {
  LogLevel,
  WebAPIPlatformError,
  WebClient,
  type FetchFunction,
  type Logger,
  type WebClientOptions,
} from '@slack/web-api';
import type { Histogram } from 'prom-client';
import { Headers, Response, request, type Dispatcher } from 'undici';
import { z } from 'zod';
import { createDispatcher, type Proxy } from '../http/dispatcher.ts';
import type { Log } from '../logging/log.ts';
import { isTokenRefused, kindOf, type CodeKind } from '../messages/slack-codes.ts';
import type { Secret } from './data-keys.ts';
import type { Workspace } from './workspaces.ts';

/** Bytes: Slack's largest payloads, modals with full state, are a third of this. */
export const MOST_BYTES = 1_048_576;

/** Connections to Slack, kept for half a minute, so that what follows soon needs no TLS handshake. */
export const createSlackAgent = (proxy?: Proxy): Dispatcher =>
  createDispatcher(proxy, {
    keepAliveTimeout: 30_000,
    webSocket: { maxPayloadSize: MOST_BYTES },
  });

interface SlackAccess {
  readonly apiUrl: string;
  readonly slackAgent: Dispatcher;
  readonly log: Log;
  /** Slack said yes (`ok`), no (`refused`), nothing (`failed`). */
  readonly answered?: Pick<Histogram<'method' | 'outcome'>, 'startTimer'>;
}

/** Node's fetch takes half as much processor time again. Rejects without a whole answer, and for redirects: Slack sends none. */
const fetchFor =
  ({ slackAgent: dispatcher, answered }: Omit<SlackAccess, 'apiUrl' | 'log'>): FetchFunction =>
  async (url, { headers, body = '', signal } = {}) => {
    if (typeof body === 'object') throw new TypeError('Files are uploaded by posts.ts.');
    const took = answered?.startTimer({ method: String(url).split('/').at(-1) ?? '' });
    try {
      const answer = await request(url, { method: 'POST', headers, body, signal, dispatcher });
      const { statusCode: status, statusText } = answer;
      const text = await answer.body.text();
      // web-api takes that for an object.
      const said = text.replace(/"response_metadata":\s*null/, '"response_metadata":{}');
      if (status >= 300 && status < 400) throw new Error(`Slack redirects with ${status}.`);
      const found = new Headers();
      for (const [name, value] of Object.entries(answer.headers)) found.set(name, String(value));
      // web-api takes one without a number of seconds for no answer.
      if (status === 429 && !/^\d{1,9}$/.test(found.get('retry-after') ?? '')) found.set('retry-after', '0');
      const isNo = said.includes('"ok":false') || status === 429;
      took?.({ outcome: isNo ? 'refused' : status < 300 ? 'ok' : 'failed' });
      return new Response(said, { status, statusText, headers: found });
    } catch (error) {
      took?.({ outcome: 'failed' });
      throw error;
    }
  };

const joined = (parts: readonly unknown[]) =>
  parts.map((part) => (part instanceof Error ? part.message : String(part))).join(' ');

/** Through our scrubber. Debug lines are dropped: they hold whole requests and answers, watch links, what people typed. */
export function createSlackLogger(log: Log): Logger {
  const child = log.child({ from: 'bolt' });
  return {
    debug: () => undefined,
    info: (...parts) => child.debug(joined(parts)),
    warn: (...parts) => child.warn(joined(parts)),
    error: (...parts) => child.error(joined(parts)),
    setLevel: () => undefined,
    getLevel: () => LogLevel.WARN,
    setName: () => undefined,
  };
}

/** Callers retry: web-api's ten tries can post twice, and with its limit of 100 calls a press waits behind those that hang. */
export function webClientOptions({ apiUrl, log, ...access }: SlackAccess) {
  return {
    slackApiUrl: apiUrl,
    fetch: fetchFor(access),
    logger: createSlackLogger(log),
    timeout: 10_000,
    maxRequestConcurrency: Infinity,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    allowAbsoluteUrls: false,
  } as const;
}

const Complaints = z.object({ response_metadata: z.object({ messages: z.array(z.string()) }) });
const TRIGGER = /\b(?:expired_|exchanged_|invalid_)?trigger_id\b/;

/** Slack's error code, if Slack said no. A proxy's page comes as the same kind of error, with its text instead of a code. */
export function slackErrorCode(error: unknown): string | undefined {
  if (!(error instanceof WebAPIPlatformError)) return undefined;
  const code: unknown = error.data.error;
  if (typeof code !== 'string' || !/^\w+$/.test(code)) return undefined;
  if (code !== 'invalid_arguments') return code;
  // Slack says this, too, of a trigger that has run out.
  const messages = Complaints.safeParse(error.data).data?.response_metadata.messages ?? [];
  return messages.some((message) => TRIGGER.test(message)) ? 'invalid_trigger_id' : code;
}

export function slackErrorKind(error: unknown): CodeKind | undefined {
  const code = slackErrorCode(error);
  return code === undefined ? undefined : kindOf(code);
}

/** Slack documents no format, but has never used another. */
export const looksLikeSigningSecret = (secret: string): boolean => /^[0-9a-z]{32}$/i.test(secret);

/** How long it's known that no request has fitted. */
export const UNFIT_MS = 30 * 24 * 60 * 60 * 1_000;

/** The claim that is there as long as no request has fitted this secret. */
export const unfitClaim = (secret: string): string =>
  `signing-secret:${createHash('sha256').update(secret).digest('base64url').slice(0, 16)}`;

/*
 * Where workspaces install the app, the `block_id` of buttons and the `callback_id` of views carry the install id: in a channel
 * that two share, Slack has named the other workspace. Source: slackapi/bolt-js#1614, slackapi/bolt-python#1229.
 */

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null;
const MARKED = /^(.*)@([\w-]{36})$/s;

/** An id of ours, and the install id that it carries, if it does. */
export function readMarked(marked: string): { readonly id: string; readonly installId?: string } {
  const [, id, installId] = MARKED.exec(marked) ?? [];
  return id === undefined || installId === undefined ? { id: marked } : { id, installId };
}

/** @param botId who posted it, where Slack says so: for what was posted before ids carried an install id */
export async function isPostedBy(
  { installId: own, installedAs }: Pick<Workspace, 'installId' | 'installedAs'>,
  marked: string,
  botId?: string | null,
): Promise<boolean> {
  // The workspace in the settings.
  if (own === undefined) return true;
  const { installId } = readMarked(marked);
  if (installId !== undefined) return installId === own;
  return typeof botId !== 'string' || (await installedAs()).botId === botId;
}

const mark = (id: unknown, installId: string) => `${typeof id === 'string' ? id : ''}@${installId}`;

function markedBlock(block: unknown, installId: string): unknown {
  if (!isFields(block) || (block['type'] !== 'actions' && block['accessory'] === undefined)) return block;
  // A new one each time, as Slack gives it: a menu in a changed message must not keep its old choice.
  return { ...block, block_id: mark(block['block_id'] ?? randomUUID(), installId) };
}

export const markedView = <View extends { readonly callback_id?: unknown }>(
  view: View,
  installId: string | undefined,
) => (installId === undefined ? view : { ...view, callback_id: mark(view.callback_id, installId) });

/** @param sent a message with `blocks`, or a `view` */
export function withMark(sent: Fields, installId: string | undefined): Fields {
  if (installId === undefined) return sent;
  const { blocks, view } = sent;
  return {
    ...sent,
    ...(Array.isArray(blocks) ? { blocks: blocks.map((block) => markedBlock(block, installId)) } : {}),
    ...(isFields(view) ? { view: markedView(view, installId) } : {}),
  };
}

/** What has to be told which workspace it's about, since the token may be its organization's. Source: each method, `team_id`. */
const ASKED_OF_A_TEAM = /^usergroups\.(?:list|users\.list)$/;

interface Owner {
  readonly workspaceId: string;
  readonly installId: string;
  /** What took the place of a token that Slack refuses, if anything did. */
  readonly nextToken: () => Promise<Secret | undefined>;
}

/** Marks whatever it posts as the workspace's own. */
export class WorkspaceClient extends WebClient {
  readonly #owner: Owner;
  constructor(token: string | undefined, options: WebClientOptions, owner: Owner) {
    super(token, options);
    this.#owner = owner;
  }
  override async apiCall(method: string, options: Fields = {}) {
    const { workspaceId: team_id, installId, nextToken } = this.#owner;
    const marked = withMark(ASKED_OF_A_TEAM.test(method) ? { ...options, team_id } : options, installId);
    try {
      return await super.apiCall(method, marked);
    } catch (error) {
      if (!isTokenRefused(slackErrorCode(error) ?? '')) throw error;
      const token = (await nextToken().catch(() => undefined))?.reveal();
      if (token === undefined) throw error;
      return super.apiCall(method, { ...marked, token });
    }
  }
}

// Slack leaves out what it has no value for, or sends null, whatever its types say. Source: its methods' Example responses.

const maybe = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullish().transform((value) => value ?? undefined);
const text = maybe(z.string());
const flag = maybe(z.boolean());
const texts = maybe(z.array(z.string()));
const Next = maybe(z.object({ next_cursor: text }));

export const AuthTested = z.object({
  team_id: text,
  bot_id: text,
  user_id: text,
  url: text,
  enterprise_id: text,
  is_enterprise_install: flag,
  response_metadata: maybe(z.object({ scopes: texts })),
});

export const UserFound = z.object({
  user: maybe(
    z.object({
      team_id: text,
      name: text,
      real_name: text,
      deleted: flag,
      is_admin: flag,
      is_owner: flag,
      is_restricted: flag,
      is_ultra_restricted: flag,
      is_bot: flag,
      is_stranger: flag,
      tz: text,
      tz_offset: maybe(z.number()),
      locale: text,
      enterprise_user: maybe(z.object({ teams: texts, is_admin: flag, is_owner: flag })),
      profile: maybe(z.object({ display_name: text, real_name: text, email: text })),
    }),
  ),
});
export type SlackUser = NonNullable<z.infer<typeof UserFound>['user']>;

export const ChannelFound = z.object({
  channel: maybe(
    z.object({
      name: text,
      is_archived: flag,
      is_member: flag,
      is_channel: flag,
      is_private: flag,
      is_ext_shared: flag,
      is_pending_ext_shared: flag,
    }),
  ),
});
export type SlackChannel = Partial<NonNullable<z.infer<typeof ChannelFound>['channel']>>;

/** Without a list of members nobody would be seen to be one. */
export const MembersPage = z.object({ members: z.array(z.string()), response_metadata: Next });

export const TeamsPage = z.object({ teams: z.array(z.object({ id: z.string() })) });

export const GroupMembers = z.object({ users: texts });

export const Groups = z.object({
  usergroups: maybe(z.array(z.object({ id: text, name: text, handle: text }))),
});

export const MessagesPage = z.object({ messages: maybe(z.array(z.unknown())), response_metadata: Next });

/** A message is posted whatever else Slack says about it. */
export const Posted = z.object({ ts: text.catch(undefined), channel: text.catch(undefined) });

export const Opened = z.object({ channel: maybe(z.object({ id: text })) });

export const ViewOpened = z.object({ view: maybe(z.object({ id: text })) });

export const UploadOpened = z.object({ upload_url: z.string(), file_id: z.string() });

export const Permalink = z.object({ permalink: text });

export const ConnectionOpened = z.object({ url: text });

import { z } from 'zod';
import { AgentSchema, UsageSchema } from './schemas.ts';
import type { Visitor } from './schemas.ts';

/** Every JSON answer with HTTP 200 says `ok`; older versions of the service may leave it out. */
const status = z.literal('ok').nullish();

export const UsageReplySchema = z.object({ status, usage: UsageSchema });

/** The entries stay unread: of thousands, only those that are shown are worth the work. */
export const VisitorListReplySchema = z.object({ status, visitors: z.array(z.unknown()).nullable() });

/** @param visitorSchema VisitorSchema, for the names this service uses */
export function createVisitorReplySchema(visitorSchema: z.ZodType<Visitor>) {
  return z.object({ status, visitor: visitorSchema });
}

export const AgentReplySchema = z.object({ status, agent: AgentSchema });

export const WatchLinkReplySchema = z.object({
  status,
  watch_url: z.string(),
  expiration: z.string().nullish().catch(undefined),
});

export const ProxyLinkReplySchema = z.object({ status, proxy_url: z.string() });

export const LicenceReplySchema = z.discriminatedUnion('authorized', [
  z.object({ status, authorized: z.literal(true), token: z.string().min(1) }),
  z.object({ status, authorized: z.literal(false) }),
]);

/** What an answer says, or where it stops making sense. The complaint never quotes the answer. */
export type Reading<Value> =
  | { readonly value: Value }
  | { readonly complaint: string; readonly cause?: Error };

/** Reads the text of an answer as JSON of this shape. */
export function readJson<Value>(text: string, schema: z.ZodType<Value>): Reading<Value> {
  const json = parseJson(text);
  if (json === undefined) return { complaint: 'the answer is no JSON' };
  const read = schema.safeParse(json);
  if (read.success) return { value: read.data };
  return { complaint: complaintAbout(read.error), cause: read.error };
}

/** Where an answer stops making sense, without a word of it. */
export function complaintAbout({ issues }: z.ZodError): string {
  const places = issues.map((issue) => `${issue.path.join('.') || 'answer'} (${issue.code})`);
  return `the answer cannot be read at ${places.join(', ')}`;
}

/** Whether the text is the plain `ok` of a deletion. The same in JSON is understood too. */
export function isOk(text: string): boolean {
  if (text.trim() === 'ok') return true;
  const json = parseJson(text);
  return json === 'ok' || z.looseObject({ status: z.literal('ok') }).safeParse(json).success;
}

/** Why a key was refused, where the body is JSON and says so in this field. */
export function readErrorCode(text: string, field: string): string | undefined {
  const body = z.record(z.string(), z.unknown()).safeParse(parseJson(text));
  const code = body.success ? body.data[field] : undefined;
  return typeof code === 'string' ? code : undefined;
}

/** JSON.parse's own error quotes the text, which may hold a link: it is left behind. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

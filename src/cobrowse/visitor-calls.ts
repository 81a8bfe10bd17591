import type { Connection } from './connection.ts';
import { VisitorListReplySchema, WatchLinkReplySchema } from './replies.ts';
import type { Visitor } from './schemas.ts';
import { hasId } from './schemas.ts';
import { failureOf } from './service-call.ts';
import type { ServiceCall } from './service-call.ts';
import type { WatchLink } from './watch-link.ts';

/*
 * The rows about visitors that the cloud and the on-premise service answer alike. The endpoints are the caller's, so
 * that an error names the one that failed.
 */

/**
 * Entries without a usable id are left out, and only what is shown is read. A list of nothing but unusable entries is
 * an answer we do not understand, not an empty one.
 */
export async function readVisitors(
  { transport, visitorSchema }: Connection,
  call: ServiceCall,
  limit: number,
): Promise<readonly Visitor[]> {
  const reply = await transport.read({ ...call, isList: true }, VisitorListReplySchema);
  const visitors: Visitor[] = [];
  for (const entry of reply.visitors ?? []) {
    if (visitors.length >= limit) return visitors;
    if (!hasId(entry, 'short_id')) continue;
    const read = visitorSchema.safeParse(entry);
    if (read.success) visitors.push(read.data);
  }
  if (reply.visitors?.length && visitors.length === 0) {
    throw failureOf(call, 'not-understood', {
      what: 'no visitor in the answer has a usable short_id',
      status: 200,
    });
  }
  return visitors;
}

export async function readVisitor(
  { transport, visitorReplySchema }: Connection,
  call: Pick<ServiceCall, 'endpoint' | 'visitorId' | 'query'>,
): Promise<Visitor> {
  const reply = await transport.read(
    { ...call, method: 'GET', meanings: { 404: 'not-found' } },
    visitorReplySchema,
  );
  return reply.visitor;
}

/** The on-premise service tells no expiration. */
export async function askForWatchLink(
  { transport, readLink }: Connection,
  call: Pick<ServiceCall, 'endpoint' | 'visitorId' | 'body' | 'secrets'>,
): Promise<WatchLink> {
  const meanings = { 402: 'limit-reached', 404: 'not-found' } as const;
  const { value: reply, servedAt } = await transport.readDated(
    { ...call, method: 'POST', meanings },
    WatchLinkReplySchema,
  );
  return readLink(reply.watch_url, { expiration: reply.expiration ?? undefined, servedAt });
}

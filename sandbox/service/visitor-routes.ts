import { cloudPath as base } from './apis.ts';
import type { BulkDelete } from './bulk-delete.ts';
import { json, parseBody, ServiceError, text, type Call, type Route } from './http.ts';
import { watchLinkBody } from './request-bodies.ts';
import { searchVisitors } from './search.ts';
import { isoTime } from './time.ts';
import type { Visitor } from './visitor.ts';
import { visitorObject } from './visitor-object.ts';
import { endSessionsOf, isAtLimit, removeVisitor, type World } from './world.ts';

/** The rows of the document about visitors. `origin` is the address of this service, without a slash. */
export function visitorRoutes(world: World, origin: () => string, bulkDelete: BulkDelete): readonly Route[] {
  const one = `${base}/visitors/:id`;
  return [
    { method: 'GET', path: `${base}/list`, run: (call) => list(world, call, origin()) },
    { method: 'GET', path: one, run: (call) => show(world, call, origin()) },
    { method: 'POST', path: `${one}/watch_url`, run: (call) => issueLink(world, call, origin()) },
    { method: 'DELETE', path: `${one}/session`, run: (call) => stopSession(world, call) },
    { method: 'DELETE', path: one, run: (call) => removeOne(world, call) },
    { method: 'DELETE', path: `${base}/visitors`, run: (call) => removeAllOffline(bulkDelete, call) },
  ];
}

/** The visitor in the path. Throws a ServiceError 404. */
export function knownVisitor(world: World, call: Call): Visitor {
  const visitor = world.visitors.find(call.param('id'));
  if (!visitor) throw new ServiceError(404, 'not_found');
  return visitor;
}

function list(world: World, call: Call, origin: string) {
  const wanted = Number(call.query.get('max_results') ?? Infinity);
  if (!(wanted >= 1)) throw new ServiceError(400, 'invalid_parameter: max_results');
  const found = searchVisitors(world.visitors.latest(), call.query.get('search') ?? '').slice(0, wanted);
  const view = { origin, alone: false, withHistory: false };
  return json(200, { status: 'ok', visitors: found.map((visitor) => visitorObject(world, visitor, view)) });
}

function show(world: World, call: Call, origin: string) {
  const withHistory = call.query.get('with_history') === 'true';
  const visitor = visitorObject(world, knownVisitor(world, call), { origin, alone: true, withHistory });
  return json(200, { status: 'ok', visitor });
}

function issueLink(world: World, call: Call, origin: string) {
  const visitor = knownVisitor(world, call);
  const body = parseBody(watchLinkBody, call.text);
  if (isAtLimit(world)) throw new ServiceError(402, 'session_limit_reached');
  const link = world.links.issue(visitor.fields.short_id, body);
  return json(200, {
    status: 'ok',
    watch_url: `${origin}${link.path}`,
    expiration: isoTime(link.expiresAt),
  });
}

// Also succeeds if no session is running.
function stopSession(world: World, call: Call) {
  endSessionsOf(world, knownVisitor(world, call).fields.short_id, 'api');
  return text(200, 'ok');
}

function removeOne(world: World, call: Call) {
  const visitor = knownVisitor(world, call);
  if (visitor.isOnline) throw new ServiceError(409, 'visitor_online');
  removeVisitor(world, visitor);
  return text(200, 'ok');
}

function removeAllOffline(bulkDelete: BulkDelete, call: Call) {
  if (call.query.get('all') !== 'true') throw new ServiceError(400, 'invalid_parameter: all');
  bulkDelete.start();
  return text(200, 'ok');
}

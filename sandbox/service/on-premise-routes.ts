import { json, parseBody, ServiceError, type Call, type Route } from './http.ts';
import type { Licenses } from './licenses.ts';
import { onPremiseWatchLinkBody } from './request-bodies.ts';
import { searchVisitors } from './search.ts';
import type { Visitor } from './visitor.ts';
import { visitorObject } from './visitor-object.ts';
import { knownVisitor } from './visitor-routes.ts';
import { isAtLimit, type World } from './world.ts';

export interface OnPremiseRouteOptions {
  readonly world: World;
  /** The stand-in's address, without a slash at its end. */
  readonly origin: () => string;
  /** The path of the installation's `BASE_ENDPOINT` there. */
  readonly path: string;
  readonly licenses: Licenses;
  /** Whether it's connected to the dashboard, and so needs no license token. */
  readonly connected: boolean;
}

/** The rows of the document about an on-premise installation. */
export function onPremiseRoutes(options: OnPremiseRouteOptions): readonly Route[] {
  const { world, path } = options;
  const visitors = `${path}/api/visitors`;
  return [
    { method: 'GET', path: `${visitors}/list/latest`, run: () => latest(options) },
    {
      method: 'GET',
      path: `${visitors}/list/search`,
      run: (call) => listed(options, searchVisitors(world.visitors.latest(), call.query.get('q') ?? '')),
    },
    {
      method: 'GET',
      path: `${visitors}/:id`,
      run: (call) => json(200, { status: 'ok', visitor: shown(options, knownVisitor(world, call), true) }),
    },
    { method: 'POST', path: `${visitors}/:id/watch_url`, run: (call) => issueLink(options, call) },
  ];
}

function latest(options: OnPremiseRouteOptions) {
  return listed(
    options,
    options.world.visitors.latest().filter((visitor) => visitor.isOnline),
  );
}

function listed(options: OnPremiseRouteOptions, found: readonly Visitor[]) {
  return json(200, { status: 'ok', visitors: found.map((visitor) => shown(options, visitor, false)) });
}

function shown({ world, origin, path }: OnPremiseRouteOptions, visitor: Visitor, alone: boolean) {
  return visitorObject(world, visitor, { origin: `${origin()}${path}`, alone, withHistory: false });
}

function issueLink(options: OnPremiseRouteOptions, call: Call) {
  const { world, licenses, connected, origin } = options;
  const visitorId = knownVisitor(world, call).fields.short_id;
  const { licenseToken, ...body } = parseBody(onPremiseWatchLinkBody, call.text);
  if (!connected) {
    if (licenseToken === undefined) throw new ServiceError(400, 'invalid_parameter: licenseToken');
    const spending = licenses.spend(licenseToken, { visitorId, agentId: body.agent.id });
    if (spending !== 'spent') throw new ServiceError(403, `${spending}_license_token`);
  }
  if (isAtLimit(world)) throw new ServiceError(402, 'session_limit_reached');
  const link = world.links.issue(visitorId, body);
  return json(200, { status: 'ok', watch_url: `${origin()}${link.path}` });
}

import type { ProxyLinkRequest, WatchLinkRequest, WatchPermissions } from './client.ts';
import { CobrowseError } from './errors.ts';
import { bodyPath, isBodyName, pathOf, withValueAt, type BodyName, type WireNames } from './wire-names.ts';

/*
 * Translates our words into the service's. Undefined values are left out when the body becomes JSON; empty objects are
 * left out here.
 */

type Values = Readonly<Partial<Record<BodyName, unknown>>>;

/** Source: POST /visitors/{visitor_id}/watch_url. @throws CobrowseError not-offered, as permissionValues does */
export function watchLinkBody(request: WatchLinkRequest, names: WireNames): object {
  return withNamed({ ...documented(request), webhook_url: request.webhookUrl }, names, {
    ...commonValues(request, names),
    permissionVideoAudio: videoAudio(request.permissions, names),
    bodyInitialNotes: request.initialNotes,
  });
}

/** Source: the on-premise POST /visitors/{visitor_id}/watch_url, which has neither webhook, notes nor video audio. */
export function onPremiseWatchLinkBody(
  request: WatchLinkRequest,
  licenseToken: string | undefined,
  names: WireNames,
): object {
  return withNamed({ licenseToken, ...documented(request) }, names, commonValues(request, names));
}

function documented({ agent, metadata, branding }: WatchLinkRequest) {
  return {
    agent: { id: agent.id, name: agent.name },
    branding: branding?.naked === undefined ? undefined : { naked: branding.naked },
    metadata,
  };
}

function commonValues({ viewer, permissions, ...request }: WatchLinkRequest, names: WireNames): Values {
  return {
    brandingRetryUrl: request.retryUrl,
    brandingOnEndUrl: request.onEndUrl,
    viewerId: viewer?.id,
    viewerName: viewer?.name,
    ...(permissions === undefined ? {} : permissionValues(permissions, names)),
  };
}

/** Puts each value where its name says; without a name it's left out. */
function withNamed(body: Readonly<Record<string, unknown>>, names: WireNames, values: Values): object {
  let whole = body;
  for (const name of Object.keys(values).filter(isBodyName))
    whole = withValueAt(whole, pathOf(bodyPath(name, names)), values[name]);
  return whole;
}

/** Source: POST /proxy_sessions, which names its retry address. */
export function proxyLinkBody(request: ProxyLinkRequest): object {
  return {
    initial_url: request.initialUrl,
    allowed_domains: request.allowedDomains,
    branding: request.retryUrl === undefined ? undefined : { retry_url: request.retryUrl },
  };
}

/** What is forbidden can't be left out: the agent could do it. @throws CobrowseError not-offered */
function permissionValues(permissions: WatchPermissions, names: WireNames): Values {
  const values = {
    permissionRedirect: permissions.redirect,
    permissionAudio: permissions.audio,
    permissionClick: permissions.click,
    permissionConsole: permissions.console,
    permissionDraw: permissions.draw,
    permissionScroll: permissions.scroll,
    permissionType: permissions.type,
  } as const;
  for (const [name, value] of Object.entries(values))
    if (value === false && isBodyName(name) && bodyPath(name, names) === '') throw withoutName(name);
  return values;
}

/** Nobody knows this name, so it's neither granted nor forbidden without one. @throws CobrowseError not-offered */
function videoAudio(permissions: WatchPermissions | undefined, names: WireNames): boolean | undefined {
  const value = permissions?.videoAudio;
  if (value !== undefined && bodyPath('permissionVideoAudio', names) === '')
    throw withoutName('permissionVideoAudio');
  return value;
}

const withoutName = (name: BodyName) => new CobrowseError('not-offered', `The wire name ${name} is not set.`);

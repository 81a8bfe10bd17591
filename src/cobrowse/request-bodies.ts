import type { ProxyLinkRequest, WatchLinkRequest, WatchPermissions } from './client.ts';
import { CobrowseError } from './errors.ts';
import type { WireNames } from './wire-names.ts';

/*
 * Translates our words into the service's. Undefined values are left out when the body becomes JSON; empty objects are
 * left out here.
 */

/** Source: POST /visitors/{visitor_id}/watch_url. @throws CobrowseError not-offered, as videoAudioFlag does */
export function watchLinkBody(request: WatchLinkRequest, names: WireNames): object {
  const { permissions } = request;
  return {
    ...commonFields(request, names),
    permissions:
      permissions &&
      withValues({ ...permissionFlags(permissions, names), ...videoAudioFlag(permissions, names) }),
    webhook_url: request.webhookUrl,
    [names.bodyInitialNotes]: request.initialNotes,
  };
}

/** Source: the on-premise POST /visitors/{visitor_id}/watch_url, which has neither webhook, notes nor video audio. */
export function onPremiseWatchLinkBody(
  request: WatchLinkRequest,
  licenseToken: string | undefined,
  names: WireNames,
): object {
  const { permissions } = request;
  return {
    licenseToken,
    ...commonFields(request, names),
    permissions: permissions && withValues(permissionFlags(permissions, names)),
  };
}

function commonFields({ agent, viewer, metadata, ...request }: WatchLinkRequest, names: WireNames): object {
  return {
    agent: { id: agent.id, name: agent.name },
    branding: withValues({
      naked: request.branding?.naked,
      [names.brandingRetryUrl]: request.retryUrl,
      [names.brandingOnEndUrl]: request.onEndUrl,
    }),
    metadata,
    [names.bodyViewer]: viewer && { [names.viewerId]: viewer.id, [names.viewerName]: viewer.name },
  };
}

/** Source: POST /proxy_sessions, which names its retry address. */
export function proxyLinkBody(request: ProxyLinkRequest): object {
  return {
    initial_url: request.initialUrl,
    allowed_domains: request.allowedDomains,
    branding: withValues({ retry_url: request.retryUrl }),
  };
}

function permissionFlags(
  permissions: WatchPermissions,
  names: WireNames,
): Readonly<Record<string, boolean | undefined>> {
  return {
    [names.permissionRedirect]: permissions.redirect,
    [names.permissionAudio]: permissions.audio,
    [names.permissionClick]: permissions.click,
    [names.permissionConsole]: permissions.console,
    [names.permissionDraw]: permissions.draw,
    [names.permissionScroll]: permissions.scroll,
    [names.permissionType]: permissions.type,
  };
}

/**
 * A permission without a name can't be granted or removed. That's an error, because ignoring it would do the opposite.
 */
function videoAudioFlag({ videoAudio }: WatchPermissions, { permissionVideoAudio: name }: WireNames): object {
  if (name !== undefined) return { [name]: videoAudio };
  if (videoAudio === undefined) return {};
  throw new CobrowseError('not-offered', 'The wire name permissionVideoAudio is not set.');
}

function withValues<Values extends object>(values: Values): Values | undefined {
  return Object.values(values).some((value) => value !== undefined) ? values : undefined;
}

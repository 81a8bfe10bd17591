import type { ProxyLinkRequest, WatchLinkRequest, WatchPermissions } from './client.ts';
import { CobrowseError } from './errors.ts';
import type { WireNames } from './wire-names.ts';

/*
 * Our words in the service's. A value of undefined is left out when the body becomes JSON, and an object without values
 * is left out here.
 */

/** Source: POST /visitors/{visitor_id}/watch_url. @throws CobrowseError not-offered, as permissionFlags does */
export function watchLinkBody(request: WatchLinkRequest, names: WireNames): object {
  const { agent, viewer, permissions } = request;
  return {
    agent: { id: agent.id, name: agent.name },
    branding: withValues({
      naked: request.branding?.naked,
      [names.brandingRetryUrl]: request.retryUrl,
      [names.brandingOnEndUrl]: request.onEndUrl,
    }),
    permissions: permissions && withValues(permissionFlags(permissions, names)),
    metadata: request.metadata,
    webhook_url: request.webhookUrl,
    [names.bodyInitialNotes]: request.initialNotes,
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

/** A permission that has no name cannot be given or taken away: an error, for silence would do the opposite. */
function permissionFlags(
  permissions: WatchPermissions,
  names: WireNames,
): Record<string, boolean | undefined> {
  const videoAudioName = names.permissionVideoAudio;
  if (permissions.videoAudio !== undefined && videoAudioName === undefined) {
    throw new CobrowseError('not-offered', 'The wire name permissionVideoAudio is not set.');
  }
  return {
    [names.permissionRedirect]: permissions.redirect,
    [names.permissionAudio]: permissions.audio,
    [names.permissionClick]: permissions.click,
    [names.permissionConsole]: permissions.console,
    [names.permissionDraw]: permissions.draw,
    [names.permissionScroll]: permissions.scroll,
    [names.permissionType]: permissions.type,
    ...(videoAudioName === undefined ? {} : { [videoAudioName]: permissions.videoAudio }),
  };
}

function withValues<Values extends object>(values: Values): Values | undefined {
  return Object.values(values).some((value) => value !== undefined) ? values : undefined;
}

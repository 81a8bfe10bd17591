import type { CobrowseSettings } from '../cobrowse/client.ts';
import { isLoopback } from '../cobrowse/watch-link.ts';
import type { WireNames } from '../cobrowse/wire-names.ts';
import { isForMany } from './slack-settings.ts';

/** The settings for the services, each parsed by itself. */
interface DeploymentSettings {
  readonly COBROWSE_WIRE_NAMES: WireNames;
  readonly COBROWSE_BASE_URL?: string;
  readonly COBROWSE_API_KEY?: string;
  readonly COBROWSE_ONPREM_BASE_ENDPOINT?: string;
  readonly COBROWSE_ONPREM_REST_KEY?: string;
  readonly COBROWSE_ONPREM_CONNECTED: boolean;
}

/** What of the operator's account for many workspaces is set in part: there may be none. */
function complaintsOfMany(missing: (names: readonly string[]) => readonly string[], connected: boolean) {
  const needs = (name: string, needed: readonly string[]) =>
    missing([name]).length > 0 ? [] : missing(needed).map((other) => `${other} is missing beside ${name}`);
  return [
    ...needs('COBROWSE_API_KEY', ['COBROWSE_BASE_URL']),
    ...needs('COBROWSE_ONPREM_BASE_ENDPOINT', ['COBROWSE_ONPREM_REST_KEY']),
    ...needs('COBROWSE_ONPREM_REST_KEY', [
      'COBROWSE_ONPREM_BASE_ENDPOINT',
      ...(connected ? [] : ['COBROWSE_API_KEY']),
    ]),
  ];
}

/** What is missing for a service that is configured or needed. @param set the raw settings, without empty ones */
export function complaintsAboutDeployment(set: Readonly<Record<string, string>>): string[] {
  const missing = (names: readonly string[]) => names.filter((name) => set[name] === undefined);
  const cloud = ['COBROWSE_BASE_URL', 'COBROWSE_API_KEY'];
  const onPremise = ['COBROWSE_ONPREM_BASE_ENDPOINT', 'COBROWSE_ONPREM_REST_KEY'];
  const connected = set['COBROWSE_ONPREM_CONNECTED'] === 'true';
  if (isForMany(set)) return complaintsOfMany(missing, connected);
  const hasOnPremise = connected || missing(onPremise).length < onPremise.length;
  const needsCloud = !connected || missing(cloud).length < cloud.length;
  const why = hasOnPremise && !connected ? ' (the cloud gives the license tokens that on-premise needs)' : '';
  return [
    ...(needsCloud ? missing(cloud).map((name) => `${name} is missing${why}`) : []),
    ...(hasOnPremise ? missing(onPremise).map((name) => `${name} is missing`) : []),
  ];
}

/**
 * Undefined if something is missing; {@link complaintsAboutDeployment} says what.
 *
 * @param many whether for many workspaces, which may bring all of it
 */
export function readDeployment(settings: DeploymentSettings, many: boolean): CobrowseSettings | undefined {
  const {
    COBROWSE_WIRE_NAMES: wireNames,
    COBROWSE_BASE_URL: baseUrl,
    COBROWSE_API_KEY: apiKey,
    COBROWSE_ONPREM_BASE_ENDPOINT: baseEndpoint,
    COBROWSE_ONPREM_REST_KEY: restKey,
    COBROWSE_ONPREM_CONNECTED: connected,
  } = settings;
  const cloud = baseUrl !== undefined && apiKey !== undefined ? { baseUrl, apiKey } : undefined;
  if (baseEndpoint === undefined || restKey === undefined) {
    if (cloud === undefined) return many ? { wireNames, cloud, onPremise: undefined } : undefined;
    return { wireNames, cloud, onPremise: undefined };
  }
  if (cloud !== undefined) return { wireNames, cloud, onPremise: { baseEndpoint, restKey, connected } };
  return connected ? { wireNames, cloud, onPremise: { baseEndpoint, restKey, connected } } : undefined;
}

/** Warnings for the log: it works, but you should know. */
export function warningsAbout({ onPremise }: CobrowseSettings): string[] {
  const url = URL.parse(onPremise?.baseEndpoint ?? '');
  return url?.protocol === 'http:' && !isLoopback(url.hostname)
    ? [
        'COBROWSE_ONPREM_BASE_ENDPOINT is plain http: the key and what customers do can be read on the way to it',
      ]
    : [];
}

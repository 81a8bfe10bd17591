import type { Api } from './handler.ts';

/** Where the cloud API is below the service's address. */
export const cloudPath = '/v1.3';

/** Where the installation is below it: a path of its own, as real ones may have. */
export const installationPath = '/cobrowsing';

/** This version's paths and those of v1.2, also ending in `.json`, as older versions had them all. No id here ends so. */
const cloudPaths = /^\/v1\.(?:[23](?<now>\/.*?)(?:\.json)?|[01](?<old>\/.*)\.json)$/u;

/** The cloud API, with the key in either header that versions of it use. */
export function cloudApi(apiKey: string): Api {
  return {
    pathOf(pathname) {
      const { now, old } = cloudPaths.exec(pathname)?.groups ?? {};
      const path = now ?? old;
      return path === undefined ? undefined : `${cloudPath}${path}`;
    },
    refusal: ({ 'x-api-key': key, authorization }) =>
      key === apiKey || authorization === `Bearer ${apiKey}` ? undefined : 'invalid_api_key',
  };
}

/** The API of the on-premise installation. @param restKey undefined: the API is switched off */
export function onPremiseApi(path: string, restKey: string | undefined): Api {
  return {
    pathOf: (pathname) => (pathname.startsWith(`${path}/api/`) ? pathname : undefined),
    refusal({ authorization }) {
      if (restKey === undefined) return 'api_not_enabled';
      return authorization === restKey ? undefined : 'invalid_api_key';
    },
  };
}

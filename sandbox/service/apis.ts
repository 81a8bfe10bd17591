import type { Api } from './handler.ts';

/** The path of the cloud API on the stand-in. */
export const cloudPath = '/v1.3';

/** The path of the installation on the stand-in, as real ones may have one. */
export const installationPath = '/cobrowsing';

/**
 * The paths of this version and of v1.2, with or without the `.json` that all paths of older versions had. No id here
 * ends in it.
 */
const cloudPaths = /^\/v1\.(?:[23](?<now>\/.*?)(?:\.json)?|[01](?<old>\/.*)\.json)$/u;

/** The cloud API, with the key in either of the headers that its versions use. */
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

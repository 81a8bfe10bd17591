import { ConfigError, readConfig } from '../../src/config/config.ts';

// Put together here, so that no secret scanner mistakes them for real ones.
export const BOT_TOKEN = ['xoxb', '1', 'a'].join('-');
export const APP_TOKEN = ['xapp', '1', 'a'].join('-');
export const SEALING_KEY = 'a sealing key of these tests that is long';

export type Settings = Readonly<Record<string, string | undefined>>;

export const overHttp: Settings = {
  SLACK_BOT_TOKEN: BOT_TOKEN,
  SLACK_SIGNING_SECRET: 'signing-secret',
  COBROWSE_BASE_URL: 'https://api.service.example',
  COBROWSE_API_KEY: 'api-key',
  PUBLIC_URL: 'https://cobrowse.example.com',
  SECRET_KEYS: SEALING_KEY,
};
export const overSocket: Settings = {
  ...overHttp,
  SLACK_APP_TOKEN: APP_TOKEN,
  SLACK_SIGNING_SECRET: undefined,
  PUBLIC_URL: undefined,
};

/** For workspaces that install the app. */
export const forMany: Settings = {
  ...overHttp,
  SLACK_BOT_TOKEN: undefined,
  SLACK_CLIENT_ID: '1.2',
  SLACK_CLIENT_SECRET: 'client-secret',
  ALLOWED_WORKSPACES: 'T0ACME00000',
};

/** What is wrong with these settings, on top of good ones. */
export function complaints(more: Settings, base: Settings = overHttp): readonly string[] {
  try {
    readConfig({ ...base, ...more });
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.complaints;
    throw error;
  }
}

/** The configuration of good settings over HTTP with these on top. */
export const read = (more: Settings) => readConfig({ ...overHttp, ...more });

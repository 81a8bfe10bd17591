import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { describe, expect, it } from 'vitest';
import { defaultWireNames } from '../../src/cobrowse/wire-names.ts';
import { SETTING_NAMES, readConfig } from '../../src/config/config.ts';
import {
  APP_TOKEN,
  BOT_TOKEN,
  SEALING_KEY,
  complaints,
  overHttp,
  overSocket,
  read,
} from '../support/settings.ts';

describe('the required settings', () => {
  it('are enough over HTTP; everything else has a default', () => {
    expect(readConfig(overHttp)).toEqual({
      slack: {
        mode: 'http',
        botToken: BOT_TOKEN,
        signingSecret: 'signing-secret',
        apiUrl: 'https://slack.com/api/',
      },
      cobrowse: {
        wireNames: defaultWireNames,
        cloud: { baseUrl: 'https://api.service.example', apiKey: 'api-key' },
        onPremise: undefined,
      },
      serviceHosts: [],
      webhookHosts: [],
      slackbot: false,
      publicUrl: 'https://cobrowse.example.com',
      host: '127.0.0.1',
      port: 3000,
      drainSeconds: 5,
      storeUrl: 'sqlite:data/cobrowse.db',
      mayBeOneWay: false,
      secretKeys: [SEALING_KEY],
      summaryChannel: undefined,
      watchProof: 'press',
      watchHosts: [],
      rules: {
        watch: { members: true, ids: [] },
        stop: { members: true, ids: [] },
        delete: { members: false, ids: [] },
        usage: { members: true, ids: [] },
      },
      auditDays: 365,
      sessionDays: 90,
      logLevel: 'info',
      warnings: [],
    });
  });

  it('are fewer in Socket Mode, which an app-level token selects; it may have a public address', () => {
    const slack = {
      mode: 'socket',
      botToken: BOT_TOKEN,
      appToken: APP_TOKEN,
      apiUrl: 'https://slack.com/api/',
    };
    expect(readConfig(overSocket)).toMatchObject({ slack, publicUrl: undefined });
    const publicUrl = 'https://cobrowse.example.com';
    expect(read({ SLACK_APP_TOKEN: APP_TOKEN })).toMatchObject({ slack, publicUrl });
  });

  it.each([
    ['SLACK_BOT_TOKEN', 'SLACK_BOT_TOKEN is missing'],
    ['SLACK_SIGNING_SECRET', 'SLACK_SIGNING_SECRET is missing (or set SLACK_APP_TOKEN for Socket Mode)'],
    ['PUBLIC_URL', 'PUBLIC_URL is missing (or set SLACK_APP_TOKEN for Socket Mode)'],
    ['COBROWSE_BASE_URL', 'COBROWSE_BASE_URL is missing'],
    ['COBROWSE_API_KEY', 'COBROWSE_API_KEY is missing'],
    ['SECRET_KEYS', 'SECRET_KEYS is missing'],
  ])('are reported one by one: %s', (name, complaint) => {
    // An empty line of a settings file is no setting.
    for (const none of [undefined, '', ' \t ']) expect(complaints({ [name]: none })).toEqual([complaint]);
  });

  it('are all reported if nothing is set', () => {
    expect(() => readConfig({})).toThrow(
      /^Can't start: 6 settings are missing\. .+\n( {2}- .+\n){5} {2}- .+$/,
    );
  });
});

describe('.env.example', () => {
  const text = readFileSync(new URL('../../.env.example', import.meta.url), 'utf8');
  const everything = parseEnv(text.replaceAll(/^# (?=[A-Z_]+=)/gm, ''));

  it('names every setting and nothing else', () => {
    expect(Object.keys(everything).toSorted()).toEqual(SETTING_NAMES.toSorted());
  });

  it('asks for exactly what is needed over HTTP', () => {
    const asked = Object.keys(parseEnv(text));
    expect(asked.toSorted()).toEqual(Object.keys(overHttp).toSorted());
    expect(complaints({}, parseEnv(text))).toHaveLength(asked.length);
  });

  it('shows the real defaults', () => {
    const shown = Object.fromEntries(Object.entries(everything).filter(([, value]) => value !== ''));
    expect(Object.keys(shown).length).toBeGreaterThan(8);
    expect(read(shown)).toEqual(read({}));
  });
});

import { describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { webhookHostsFor } from '../../src/webhooks/send.ts';
import { APP_TOKEN, BOT_TOKEN, complaints, forMany, overHttp } from '../support/settings.ts';

it('the settings for one workspace take no token that ends, and say what to do', () => {
  expect(complaints({ SLACK_BOT_TOKEN: `xoxe.${BOT_TOKEN}` })).toEqual([
    'SLACK_BOT_TOKEN ends after twelve hours, and the app can’t write the next one into the settings: create the app without token rotation, or serve it as for many workspaces (docs/many-workspaces.md)',
  ]);
});

describe('the settings for many workspaces', () => {
  it('are those of an app that is installed by OAuth, without a token', () => {
    expect(readConfig({ ...forMany, ALLOWED_WORKSPACES: 'T0ACME00000, T0UMBRELLA0' }).slack).toEqual({
      mode: 'many',
      apiUrl: 'https://slack.com/api/',
      signingSecret: 'signing-secret',
      oauth: {
        clientId: '1.2',
        clientSecret: 'client-secret',
        authorizeUrl: 'https://slack.com/oauth/v2/authorize',
        allowed: ['T0ACME00000', 'T0UMBRELLA0'],
        publicUrl: 'https://cobrowse.example.com',
      },
    });
  });

  it.each([
    [{ SLACK_CLIENT_SECRET: undefined }, 'SLACK_CLIENT_SECRET is missing'],
    [{ SLACK_CLIENT_ID: undefined }, 'SLACK_CLIENT_ID is missing'],
    [{ SLACK_SIGNING_SECRET: undefined }, 'SLACK_SIGNING_SECRET is missing'],
    [{ PUBLIC_URL: undefined }, 'PUBLIC_URL is missing'],
    [
      { SLACK_BOT_TOKEN: BOT_TOKEN },
      'SLACK_BOT_TOKEN can’t be set beside SLACK_CLIENT_ID: each workspace brings its own token. Remove one of the two',
    ],
    [
      { SLACK_APP_TOKEN: APP_TOKEN },
      'SLACK_APP_TOKEN can’t be set beside SLACK_CLIENT_ID: many workspaces are served over HTTP. Remove one of the two',
    ],
    [
      { SUMMARY_CHANNEL: 'C0123456789' },
      'SUMMARY_CHANNEL can’t be set beside SLACK_CLIENT_ID: a channel is in one workspace only; admins set theirs in the Home tab. Remove one of the two',
    ],
    [
      { MAY_WATCH: 'members U0123456789' },
      'MAY_WATCH can’t name ids beside SLACK_CLIENT_ID: they’re of one workspace only',
    ],
    [
      { ALLOWED_WORKSPACES: undefined },
      'COBROWSE_API_KEY is set, and anybody could install the app and see your customers: name the workspaces that may in ALLOWED_WORKSPACES',
    ],
    [
      { ALLOWED_WORKSPACES: 'acme' },
      'ALLOWED_WORKSPACES must be ids of workspaces such as T0123456789, or of organizations such as E0123456789: "acme" isn’t one',
    ],
  ])('hear what is wrong with %o', (more, complaint) => {
    expect(complaints(more, forMany)).toEqual([complaint]);
  });

  it('name hosts as URLs spell them, each perhaps with a port', () => {
    const hosts = 'Cobrowse.Intern, 10.0.0.7:8080 bücher.example [::1]:9000';
    expect(readConfig({ ...forMany, COBROWSE_HOSTS: hosts }).serviceHosts).toEqual([
      'cobrowse.intern',
      '10.0.0.7:8080',
      'xn--bcher-kva.example',
      '[::1]:9000',
    ]);
  });

  it.each([
    ['https://cobrowse.intern', '"https://cobrowse.intern"'],
    ['cobrowse.intern/path', '"cobrowse.intern/path"'],
    ['user:topsecret@cobrowse.intern', 'one'],
    ['*.intern', '"*.intern"'],
  ])('can’t name the host %s', (host, shown) => {
    expect(complaints({ COBROWSE_HOSTS: host }, forMany)).toEqual([
      `COBROWSE_HOSTS must be host names, each perhaps with a port: ${shown} isn’t one`,
    ]);
  });

  it('name workspaces and hosts only beside an app that is installed by OAuth', () => {
    expect(complaints({ ALLOWED_WORKSPACES: 'T0ACME00000' })).toEqual([
      'ALLOWED_WORKSPACES only counts for many workspaces: set SLACK_CLIENT_ID too, or remove it',
    ]);
    const { warnings } = readConfig({ ...overHttp, COBROWSE_HOSTS: 'a.example' });
    expect(warnings).toEqual(['COBROWSE_HOSTS only counts for many workspaces']);
  });
});

/** The hosts that webhooks of a workspace may reach beside public ones. */
function opened(settings: Readonly<Record<string, string>>, workspaceId: string) {
  const { slack, webhookHosts } = readConfig(settings);
  return webhookHostsFor(slack, webhookHosts)(workspaceId);
}

describe('WEBHOOK_HOSTS', () => {
  it('is written like COBROWSE_HOSTS, and neither opens the other', () => {
    const named = { WEBHOOK_HOSTS: 'N8N.intern:5678', COBROWSE_HOSTS: 'cobrowse.intern' };
    expect(readConfig({ ...forMany, ...named })).toMatchObject({
      webhookHosts: ['n8n.intern:5678'],
      serviceHosts: ['cobrowse.intern'],
    });
    expect(complaints({ WEBHOOK_HOSTS: 'http://n8n.intern' })).toEqual([
      'WEBHOOK_HOSTS must be host names, each perhaps with a port: "http://n8n.intern" isn’t one',
    ]);
  });

  it('is for the workspaces that the operator named, where there are many', () => {
    const hosts = { WEBHOOK_HOSTS: 'n8n.intern' };
    const ofFirst = { ...forMany, ...hosts, ALLOWED_WORKSPACES: 'T0ACME00000' };
    const open = { ...forMany, ...hosts, ALLOWED_WORKSPACES: '', COBROWSE_API_KEY: '' };
    expect(opened(ofFirst, 'T0ACME00000')).toEqual(['n8n.intern']);
    expect(opened(ofFirst, 'T0OTHER0000')).toEqual([]);
    expect(opened(open, 'T0ACME00000')).toEqual([]);
    expect(opened({ ...overHttp, ...hosts }, 'T0ACME00000')).toEqual(['n8n.intern']);
    expect(readConfig(open).warnings).toEqual([
      'WEBHOOK_HOSTS only counts for the workspaces in ALLOWED_WORKSPACES, which names none',
    ]);
  });
});

describe('the operator’s account, with many workspaces', () => {
  const without = { COBROWSE_API_KEY: undefined, ALLOWED_WORKSPACES: undefined };

  it('can be left out, and then may have an address to suggest', () => {
    const config = readConfig({ ...forMany, ...without });
    expect(config.cobrowse).toMatchObject({ cloud: undefined, onPremise: undefined });
    expect(config.suggestedAddress).toBe('https://api.service.example');
    expect(
      readConfig({ ...forMany, ...without, COBROWSE_BASE_URL: undefined }).suggestedAddress,
    ).toBeUndefined();
  });

  const COBROWSE_ONPREM_BASE_ENDPOINT = 'https://cobrowse.intern';
  const alone = { COBROWSE_API_KEY: undefined, COBROWSE_ONPREM_REST_KEY: 'rest-key' };
  it.each([
    [{ COBROWSE_BASE_URL: undefined }, 'COBROWSE_BASE_URL is missing beside COBROWSE_API_KEY'],
    [
      { COBROWSE_ONPREM_BASE_ENDPOINT },
      'COBROWSE_ONPREM_REST_KEY is missing beside COBROWSE_ONPREM_BASE_ENDPOINT',
    ],
    [
      { ...alone, COBROWSE_ONPREM_BASE_ENDPOINT },
      'COBROWSE_API_KEY is missing beside COBROWSE_ONPREM_REST_KEY',
    ],
  ])('is said to be missing in part with %o', (more, complaint) => {
    expect(complaints(more, forMany)).toEqual([complaint]);
  });
});

import { describe, expect, it, onTestFinished } from 'vitest';
import { startApp } from '../../src/app.ts';
import { startSandbox } from '../../sandbox/sandbox.ts';
import { keptLog } from '../support/checked-sandbox.ts';
import { complaints, read, type Settings } from '../support/settings.ts';

const onPremise: Settings = {
  COBROWSE_ONPREM_BASE_ENDPOINT: 'https://cobrowse.intern/',
  COBROWSE_ONPREM_REST_KEY: 'rest-key',
};
const withoutCloud: Settings = { COBROWSE_BASE_URL: undefined, COBROWSE_API_KEY: undefined };
const warnings = (address: string) => read({ ...onPremise, COBROWSE_ONPREM_BASE_ENDPOINT: address }).warnings;

describe('the on-premise service', () => {
  it('works beside the cloud, or connected alone', () => {
    expect(read(onPremise).cobrowse.onPremise).toEqual({
      baseEndpoint: 'https://cobrowse.intern',
      restKey: 'rest-key',
      connected: false,
    });
    const alone = read({ ...onPremise, ...withoutCloud, COBROWSE_ONPREM_CONNECTED: 'true' }).cobrowse;
    expect(alone).toMatchObject({ cloud: undefined, onPremise: { connected: true } });
  });

  it('needs certain settings beside it', () => {
    expect(complaints({ ...onPremise, ...withoutCloud })).toEqual([
      'COBROWSE_BASE_URL is missing (the cloud gives the license tokens that on-premise needs)',
      'COBROWSE_API_KEY is missing (the cloud gives the license tokens that on-premise needs)',
    ]);
    expect(complaints({ ...onPremise, COBROWSE_ONPREM_REST_KEY: undefined })).toEqual([
      'COBROWSE_ONPREM_REST_KEY is missing',
    ]);
    expect(complaints({ COBROWSE_ONPREM_CONNECTED: 'true' })).toHaveLength(2);
    expect(complaints({ ...onPremise, COBROWSE_ONPREM_CONNECTED: 'yes' })).toEqual([
      'COBROWSE_ONPREM_CONNECTED must be true or false',
    ]);
  });

  it('can be plain http, with a warning if that leaves the machine', () => {
    expect(warnings('http://cobrowse.intern')).toHaveLength(1);
    expect(warnings('http://cobrowse.intern').join('')).not.toContain('intern');
    expect(warnings('http://127.0.0.1:3000')).toEqual([]);
    expect(warnings('https://cobrowse.intern')).toEqual([]);
  });

  it('can be connected with the cloud beside it, which is then complete or not there', () => {
    const connected = { ...onPremise, COBROWSE_ONPREM_CONNECTED: 'true' };
    expect(read(connected).cobrowse).toMatchObject({
      cloud: { apiKey: 'api-key' },
      onPremise: { connected: true },
    });
    expect(read({ ...onPremise, COBROWSE_ONPREM_CONNECTED: 'false' }).cobrowse.onPremise).toMatchObject({
      connected: false,
    });
    expect(complaints({ ...connected, COBROWSE_API_KEY: undefined })).toEqual([
      'COBROWSE_API_KEY is missing',
    ]);
    expect(complaints({ ...connected, COBROWSE_BASE_URL: undefined })).toEqual([
      'COBROWSE_BASE_URL is missing',
    ]);
  });

  it.each([
    ['https://cobrowse.intern/cobrowsing//', 'https://cobrowse.intern/cobrowsing'],
    ['http://10.0.0.7:8080/a/b', 'http://10.0.0.7:8080/a/b'],
  ])('keeps the path of its base endpoint: %s', (address, baseEndpoint) => {
    const settings = { ...onPremise, COBROWSE_ONPREM_BASE_ENDPOINT: address };
    expect(read(settings).cobrowse.onPremise).toMatchObject({ baseEndpoint });
  });

  it.each([
    'cobrowse.topsecret',
    'ftp://cobrowse.intern/topsecret',
    'https://topsecret@cobrowse.intern',
    'https://:topsecret@cobrowse.intern',
    'https://cobrowse.intern/?k=topsecret',
    'https://cobrowse.intern/#topsecret',
  ])('can’t have the base endpoint %s, which isn’t repeated', (address) => {
    const [told, ...others] = complaints({ ...onPremise, COBROWSE_ONPREM_BASE_ENDPOINT: address });
    expect(told).toBe('COBROWSE_ONPREM_BASE_ENDPOINT must be an https or http address, without a query');
    expect(others).toEqual([]);
  });

  it.each(['top secret', 'top\nsecret', 'topsécret'])(
    'can’t have the key %j, which isn’t repeated',
    (restKey) => {
      expect(complaints({ ...onPremise, COBROWSE_ONPREM_REST_KEY: restKey })).toEqual([
        'COBROWSE_ONPREM_REST_KEY must be one word of plain characters',
      ]);
    },
  );
});

it('a warning about the settings is logged when the app starts', async () => {
  const sandbox = await startSandbox();
  onTestFinished(() => sandbox.close());
  const { log, lines } = keptLog();
  const [warning = ''] = warnings('http://cobrowse.intern');
  const app = await startApp({ ...sandbox.config, port: 0, warnings: [warning] }, { log });
  onTestFinished(() => app.stop());
  expect(lines.map((line): unknown => JSON.parse(line))).toContainEqual(
    expect.objectContaining({ level: 40, msg: warning }),
  );
});

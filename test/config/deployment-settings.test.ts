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
const at = (address: string) => ({ ...onPremise, COBROWSE_ONPREM_BASE_ENDPOINT: address });
const connected = { ...onPremise, COBROWSE_ONPREM_CONNECTED: 'true' };

describe('the on-premise service', () => {
  it.each<[Settings, object]>([
    [onPremise, { connected: false, baseEndpoint: 'https://cobrowse.intern', restKey: 'rest-key' }],
    [{ ...connected, COBROWSE_ONPREM_CONNECTED: 'false' }, { connected: false }],
    [connected, { connected: true }],
    [at('https://cobrowse.intern/cobrowsing//'), { baseEndpoint: 'https://cobrowse.intern/cobrowsing' }],
    [at('http://10.0.0.7:8080/a/b'), { baseEndpoint: 'http://10.0.0.7:8080/a/b' }],
  ])('works beside the cloud, by %o', (settings, service) => {
    const { cloud, onPremise: own } = read(settings).cobrowse;
    expect(own).toMatchObject(service);
    expect(cloud).toMatchObject({ apiKey: 'api-key' });
  });

  it('works alone where it’s connected', () => {
    const { cobrowse } = read({ ...connected, ...withoutCloud });
    expect(cobrowse).toMatchObject({ cloud: undefined, onPremise: { connected: true } });
  });

  const forTokens = ' (the cloud gives the license tokens that on-premise needs)';
  it.each<[Settings, readonly string[]]>([
    [
      { ...onPremise, ...withoutCloud },
      [`COBROWSE_BASE_URL is missing${forTokens}`, `COBROWSE_API_KEY is missing${forTokens}`],
    ],
    [{ ...onPremise, COBROWSE_ONPREM_REST_KEY: undefined }, ['COBROWSE_ONPREM_REST_KEY is missing']],
    [
      { COBROWSE_ONPREM_CONNECTED: 'true' },
      ['COBROWSE_ONPREM_BASE_ENDPOINT is missing', 'COBROWSE_ONPREM_REST_KEY is missing'],
    ],
    [{ ...onPremise, COBROWSE_ONPREM_CONNECTED: 'yes' }, ['COBROWSE_ONPREM_CONNECTED must be true or false']],
    [{ ...connected, COBROWSE_API_KEY: undefined }, ['COBROWSE_API_KEY is missing']],
    [{ ...connected, COBROWSE_BASE_URL: undefined }, ['COBROWSE_BASE_URL is missing']],
  ])('isn’t complete with %o', (settings, missing) => {
    expect(complaints(settings)).toEqual(missing);
  });

  it('can be plain http, with a warning if that leaves the machine', () => {
    const [warning, ...others] = read(at('http://cobrowse.intern')).warnings;
    expect(warning).not.toContain('intern');
    expect(others).toEqual([]);
    for (const address of ['http://127.0.0.1:3000', 'https://cobrowse.intern'])
      expect(read(at(address)).warnings).toEqual([]);
  });

  it.each([
    'cobrowse.topsecret',
    'ftp://cobrowse.intern/topsecret',
    'https://topsecret@cobrowse.intern',
    'https://:topsecret@cobrowse.intern',
    'https://cobrowse.intern/?k=topsecret',
    'https://cobrowse.intern/#topsecret',
  ])('can’t have the base endpoint %s, which isn’t repeated', (address) => {
    expect(complaints(at(address))).toEqual([
      'COBROWSE_ONPREM_BASE_ENDPOINT must be an https or http address, without a query',
    ]);
  });

  it.each(['top secret', 'top\nsecret', 'topsécret'])(
    'can’t have the key %j, which isn’t repeated',
    (key) => {
      expect(complaints({ ...onPremise, COBROWSE_ONPREM_REST_KEY: key })).toEqual([
        'COBROWSE_ONPREM_REST_KEY must be one word of plain characters',
      ]);
    },
  );
});

it('a warning about the settings is logged when the app starts', async () => {
  const sandbox = await startSandbox();
  onTestFinished(() => sandbox.close());
  const { log, lines } = keptLog();
  const [warning = ''] = read(at('http://cobrowse.intern')).warnings;
  const app = await startApp({ ...sandbox.config, port: 0, warnings: [warning] }, { log });
  onTestFinished(() => app.stop());
  expect(lines.map((line): unknown => JSON.parse(line))).toContainEqual(
    expect.objectContaining({ level: 40, msg: warning }),
  );
});

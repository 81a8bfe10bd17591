import { describe, expect, it } from 'vitest';
import { complaints, read } from './support/settings.ts';
import type { Settings } from './support/settings.ts';

const onPremise: Settings = {
  COBROWSE_ONPREM_BASE_ENDPOINT: 'https://cobrowse.intern/',
  COBROWSE_ONPREM_REST_KEY: 'rest-key',
};
const withoutCloud: Settings = { COBROWSE_BASE_URL: undefined, COBROWSE_API_KEY: undefined };
const warnings = (address: string) => read({ ...onPremise, COBROWSE_ONPREM_BASE_ENDPOINT: address }).warnings;

describe('the on-premise service', () => {
  it('stands beside the cloud, or connected alone', () => {
    expect(read(onPremise).cobrowse.onPremise).toEqual({
      baseEndpoint: 'https://cobrowse.intern',
      restKey: 'rest-key',
      connected: false,
    });
    const alone = read({ ...onPremise, ...withoutCloud, COBROWSE_ONPREM_CONNECTED: 'true' }).cobrowse;
    expect(alone).toMatchObject({ cloud: undefined, onPremise: { connected: true } });
  });

  it('is told what is missing beside it', () => {
    expect(complaints({ ...onPremise, ...withoutCloud })).toEqual([
      'COBROWSE_BASE_URL is missing (the cloud gives the licence tokens that on-premise needs)',
      'COBROWSE_API_KEY is missing (the cloud gives the licence tokens that on-premise needs)',
    ]);
    expect(complaints({ ...onPremise, COBROWSE_ONPREM_REST_KEY: undefined })).toEqual([
      'COBROWSE_ONPREM_REST_KEY is missing',
    ]);
    expect(complaints({ COBROWSE_ONPREM_CONNECTED: 'true' })).toHaveLength(2);
    expect(complaints({ ...onPremise, COBROWSE_ONPREM_CONNECTED: 'yes' })).toEqual([
      'COBROWSE_ONPREM_CONNECTED must be true or false',
    ]);
  });

  it('may be plain http, with a warning where that leaves the machine', () => {
    expect(warnings('http://cobrowse.intern')).toHaveLength(1);
    expect(warnings('http://cobrowse.intern').join('')).not.toContain('intern');
    expect(warnings('http://127.0.0.1:3000')).toEqual([]);
    expect(warnings('https://cobrowse.intern')).toEqual([]);
  });
});

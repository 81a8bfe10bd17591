import { describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { type Settings, complaints, forMany, read } from '../support/settings.ts';

const PROXY = 'http://proxy.example.test:3128';

describe('the settings of a proxy', () => {
  it('are those that other programs read, by either case', () => {
    expect(read({}).proxy).toBeUndefined();
    const proxy = { httpsProxy: PROXY, httpProxy: '', noProxy: '.intern', isForWorkspaces: true };
    expect(read({ HTTPS_PROXY: PROXY, NO_PROXY: '.intern' })).toMatchObject({ proxy, warnings: [] });
    const lower = { https_proxy: PROXY, no_proxy: '.intern', HTTPS_PROXY: 'http://other.example.test' };
    expect(read(lower)).toMatchObject({ proxy, warnings: [] });
    expect(read({ ftp_proxy: PROXY, FTP_PROXY: PROXY }).warnings).toEqual([]);
  });

  it.each<[Settings['x'], boolean]>([
    [undefined, false],
    ['off', false],
    ['on', true],
  ])(
    'with many workspaces, PROXY_FOR_WORKSPACES=%s: what they typed goes through it: %s',
    (word, isForWorkspaces) => {
      const config = readConfig({ ...forMany, HTTPS_PROXY: PROXY, PROXY_FOR_WORKSPACES: word });
      expect(config).toMatchObject({ proxy: { isForWorkspaces }, warnings: [] });
    },
  );

  it.each<[Settings, RegExp]>([
    [{ ALL_PROXY: PROXY }, /^ALL_PROXY isn’t read: set HTTPS_PROXY/],
    [{ all_proxy: 'socks5://a' }, /^ALL_PROXY isn’t read: set HTTPS_PROXY/],
    [
      { HTTPS_PROXY: PROXY, NO_PROXY: 'intern, 10.0.0.0/8 .b' },
      /names.*no networks: 10\.0\.0\.0\/8 is ignored/,
    ],
    [{ HTTPS_PROXY: PROXY, NO_PROXY: '192.168.*' }, /192\.168\.\* is ignored/],
    [{ HTTPS_PROXY: PROXY, NO_PROXY: 'https://intern' }, /https:\/\/intern is ignored/],
    [{ PROXY_FOR_WORKSPACES: 'on' }, /^PROXY_FOR_WORKSPACES only counts/],
  ])('%o is warned about', (more, warning) => {
    expect(read(more).warnings).toEqual([expect.stringMatching(warning)]);
  });

  it.each([
    'proxy.example.test:3128',
    '10.0.0.1:3128',
    'socks5://proxy.example.test',
    'http://a:secret%@b',
    'http://',
  ])('%s isn’t the address of one, said without repeating it', (HTTPS_PROXY) => {
    expect(complaints({ HTTPS_PROXY })).toEqual([
      'HTTPS_PROXY must be an address with its scheme, such as http://proxy.example.com:3128',
    ]);
  });

  it.each(['*', 'localhost', '10.0.0.7:8080', '*.intern.example', '.intern', '[::1]:443', '::1', 'a.b.'])(
    'NO_PROXY=%s is not',
    (NO_PROXY) => expect(read({ HTTPS_PROXY: PROXY, NO_PROXY }).warnings).toEqual([]),
  );
});

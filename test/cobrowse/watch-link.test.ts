import { format, inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { CobrowseError } from '../../src/cobrowse/errors.ts';
import { parseWatchLink } from '../../src/cobrowse/watch-link.ts';

const url = 'https://cobrowse.example/w/secret-part?sig=a%2Fb';

function refusal(text: string): unknown {
  try {
    return parseWatchLink(text);
  } catch (error) {
    return error;
  }
}

describe('a watch link', () => {
  it('gives its address for a redirect', () => {
    expect(parseWatchLink(url).locationHeader()).toBe(url);
  });

  it('refuses to be written down', () => {
    const link = parseWatchLink(url, '2030-01-01T00:00:00Z');
    const written = [
      ['', link].join(''),
      String(link),
      ''.concat(link.toString()),
      JSON.stringify({ link }),
      inspect(link),
      inspect({ deep: { link } }, { depth: 9, showHidden: true }),
      inspect(link, { customInspect: false, showHidden: true }),
      format('%s %o %j', link, link, link),
      JSON.stringify(structuredClone(link)),
      JSON.stringify(Object.entries(link)),
      inspect(new Error('failed', { cause: link })),
    ];
    expect(written.filter((text) => text.includes('secret-part'))).toEqual([]);
    expect(written[0]).toBe('[watch link]');
    expect(written[3]).toBe('{"link":"[watch link]"}');
    expect(written[4]).toBe('[watch link]');
  });

  it.each([
    'http://localhost:3001/w/1',
    'http://127.0.0.1/w/1',
    'http://127.8.9.1:80/',
    'http://[::1]:3001/w/1',
  ])('may be plain http on this machine: %s', (loopback) => {
    expect(parseWatchLink(loopback).locationHeader()).toBe(new URL(loopback).href);
  });

  it.each([
    '',
    'w/secret-part',
    '//cobrowse.example/secret-part',
    'http://cobrowse.example/secret-part',
    'http://127.0.0.1.evil.example/secret-part',
    'http://localhost.evil.example/secret-part',
    'javascript:alert("secret-part")',
    'data:text/html,secret-part',
    'ftp://cobrowse.example/secret-part',
    'https://user:secret-part@cobrowse.example/',
    'https://secret-part@cobrowse.example/',
    ' https://cobrowse.example/secret-part',
    'https://cobrowse.example/secret-part\r\nSet-Cookie: a=b',
    'https://cobrowse.example/secret-part\u0000',
    'https://cobrowse.example/a secret-part',
    `https://cobrowse.example/secret-part${'x'.repeat(8_000)}`,
  ])('is never %j', (text) => {
    const error = refusal(text);
    expect(error).toBeInstanceOf(CobrowseError);
    expect(error).toMatchObject({ kind: 'not-understood' });
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('secret-part');
  });

  it('can always stand in a header', () => {
    expect(parseWatchLink('https://cobrowse.example/ü/☃?q=é').locationHeader()).toMatch(/^[\x21-\x7e]+$/);
  });
});

import { Console } from 'node:console';
import { readFile, readdir } from 'node:fs/promises';
import { Writable } from 'node:stream';
import { format, inspect } from 'node:util';
import { serialize } from 'node:v8';
import { pino } from 'pino';
import type { Logger } from 'pino';
import { describe, expect, it } from 'vitest';
import { CobrowseError } from '../../src/cobrowse/errors.ts';
import { parseWatchLink } from '../../src/cobrowse/watch-link.ts';
import type { WatchLink } from '../../src/cobrowse/watch-link.ts';

const url = 'https://cobrowse.example/w/secret-part?sig=a%2Fb';

function refusal(text: string): unknown {
  try {
    return parseWatchLink(text);
  } catch (error) {
    return error;
  }
}

/** What a line of the log has of something. */
function logged(log: (into: Logger) => void): string {
  const lines: string[] = [];
  log(pino({ level: 'trace' }, { write: (line) => void lines.push(line) }));
  return lines.join('');
}

/** What the console makes of something. */
function printed(print: (into: Console) => void): string {
  const chunks: string[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      chunks.push(String(chunk));
      done();
    },
  });
  print(new Console(stream));
  return chunks.join('');
}

const deeply = { depth: 9, showHidden: true, getters: true } as const;

/** Every way that text is made of a thing which somebody may take without thinking of links. */
const WRITINGS: readonly (readonly [string, (link: WatchLink) => string])[] = [
  ['String', (link) => String(link)],
  ['a template', (link) => `to ${link.toString()} ${String(link)}`],
  ['concatenation', (link) => ['to ', link].join('')],
  ['concat', (link) => 'to '.concat(link.toString())],
  ['a primitive of any kind', (link) => `${link[Symbol.toPrimitive]()}${String(Number(link))}`],
  ['locale', (link) => link.toLocaleString()],
  ['value', (link) => inspect(link.valueOf(), deeply)],
  ['JSON', (link) => JSON.stringify({ link, list: [link], text: JSON.stringify(link) })],
  ['JSON by a list of keys', (link) => JSON.stringify(link, ['url', '#url', 'expiresAt'])],
  ['inspection', (link) => inspect(link)],
  ['a deep inspection', (link) => inspect({ deep: { link, map: new Map([[link, link]]) } }, deeply)],
  ['an inspection past its own', (link) => inspect(link, { ...deeply, customInspect: false })],
  ['an inspection of a proxy', (link) => inspect(new Proxy(link, {}), { ...deeply, showProxy: true })],
  ['format', (link) => format('%s %o %O %j %d %i', link, link, link, link, link, link)],
  ['the console', (link) => printed((to) => to.log('link', link, { link }))],
  ['the console’s tree', (link) => printed((to) => to.dir({ link }, deeply))],
  ['the console’s table', (link) => printed((to) => to.table([{ link }]))],
  ['a clone', (link) => inspect(structuredClone(link), { ...deeply, customInspect: false })],
  ['serialized bytes', (link) => serialize({ link }).toString('latin1')],
  ['entries', (link) => JSON.stringify([Object.entries(link), Object.values(link)])],
  ['a copy', (link) => inspect(Object.assign({}, link), deeply)],
  ['properties', (link) => inspect(Object.getOwnPropertyDescriptors(link), deeply)],
  ['hidden keys', (link) => inspect(Reflect.ownKeys(link), deeply)],
  ['the cause of an error', (link) => inspect(new Error('failed', { cause: link }), deeply)],
  ['an error', (link) => inspect(Object.assign(new Error(String(link)), { link }), deeply)],
  ['an error of ours', (link) => inspect(new CobrowseError('busy', 'no', { cause: link }), deeply)],
  ['a log line', (link) => logged((log) => log.info({ link, err: new Error('x', { cause: link }) }))],
  ['a log line’s message', (link) => logged((log) => log.warn(link, 'at %s %o %j', link, link, link))],
  ['a child of the log', (link) => logged((log) => log.child({ link }).error('failed'))],
  ['a query', (link) => new URLSearchParams({ link: String(link) }).toString()],
  ['a header', (link) => inspect(new Headers({ 'x-link': String(link) }))],
  ['bytes', (link) => Buffer.from(String(link)).toString()],
];

describe('a watch link', () => {
  it('gives its address for a redirect', () => {
    expect(parseWatchLink(url).locationHeader()).toBe(url);
  });

  it.each(WRITINGS)('refuses to be written down: %s', (_how, write) => {
    const link = parseWatchLink(url, { expiration: '2030-01-01T00:00:00Z' });
    const written = write(link);
    expect(written).not.toMatch(/secret-part|sig=a|cobrowse\.example/);
  });

  it('is named instead of showing its address', () => {
    const link = parseWatchLink(url);
    expect(`${String(link)} ${inspect(link)} ${JSON.stringify({ link })}`).toBe(
      '[watch link] [watch link] {"link":"[watch link]"}',
    );
  });

  it('gives its address to the redirect, and to the button if no redirect is possible', async () => {
    const folder = new URL('../../src/', import.meta.url);
    const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.ts'));
    const asking: string[] = [];
    for (const name of files) {
      if ((await readFile(new URL(name, folder), 'utf8')).includes('.locationHeader(')) asking.push(name);
    }
    expect(asking.toSorted()).toEqual(['watch/link-here.ts', 'watch/redirect.ts']);
  });

  it.each([
    'http://localhost:3001/w/1',
    'http://127.0.0.1/w/1',
    'http://127.8.9.1:80/',
    'http://[::1]:3001/w/1',
  ])('can be plain http on this machine if the service is: %s', (loopback) => {
    expect(parseWatchLink(loopback, { plainHost: '127.0.0.1' }).locationHeader()).toBe(
      new URL(loopback).href,
    );
    // Any other service would lead the agent's browser to whatever runs beside it.
    expect(() => parseWatchLink(loopback)).toThrow(CobrowseError);
    expect(() => parseWatchLink(loopback, { plainHost: 'support.example' })).toThrow(CobrowseError);
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

  it('always fits in a header', () => {
    expect(parseWatchLink('https://cobrowse.example/ü/☃?q=é').locationHeader()).toMatch(/^[\x21-\x7e]+$/);
  });
});

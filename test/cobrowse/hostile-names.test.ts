import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isUsableId, pathOf } from '../../src/cobrowse/http.ts';
import { defaultWireNames, parseWireNames } from '../../src/cobrowse/wire-names.ts';
import { connect, serve } from './stage.ts';
import { anyCharacter } from '../support/any-text.ts';

const hostileText = fc.oneof(
  fc.constantFrom('..', '%2e%2e', '../usage', 'a/b?x=y#z', '\\..\\usage', '//evil.example', '@evil.example'),
  fc.constantFrom('a\r\nX-Evil: 1', '\u0000', '?all=true', '#', ';a=b', '__proto__', 'constructor', '․․/'),
  fc.string({ unit: anyCharacter, maxLength: 30 }),
  fc.stringMatching(/^[/.%\\?#a-f0-9]{1,12}$/),
);
const endpoint = '/visitors/{visitor_id}/session';

describe('an id of a visitor, whatever it is', () => {
  it('is one part of the path, and stays one if the other side decodes it first', () => {
    fc.assert(
      fc.property(hostileText, (visitorId) => {
        fc.pre(isUsableId(visitorId));
        const path = pathOf({ method: 'DELETE', endpoint, visitorId });
        expect(path).toMatch(/^\/visitors\/[^/?#\\\s]+\/session$/);
        // As read by URL parsers, and by readers without one.
        const read = new URL(`https://service.example${path}`);
        expect(read).toMatchObject({ pathname: path, search: '', hash: '' });
        const [, visitors, id, session, ...more] = path.split('/').map(decodeURIComponent);
        expect([visitors, id, session, more]).toEqual(['visitors', visitorId, 'session', []]);
        expect(decodeURIComponent(path).split('/')).toHaveLength(4);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('COBROWSE_WIRE_NAMES, whatever it holds', () => {
  const keys = Object.keys({ ...defaultWireNames, permissionVideoAudio: '' });
  // Without a name for the search nothing is searched, and no list asked for.
  const fieldName = fc
    .oneof(fc.stringMatching(/^_?[A-Za-z][\w.-]{0,20}$/), hostileText)
    .filter((name) => name !== '');
  const prefix = fc.oneof(
    fc.stringMatching(/^(\/[\w.-]{1,6}){1,3}$/),
    hostileText,
    hostileText.map((text) => `/v1/${text}`),
  );
  const own: Readonly<Record<string, fc.Arbitrary<string>>> = {
    versionPrefix: prefix,
    authHeader: fc.constantFrom('X-Api-Key', 'Authorization Bearer', 'Content-Type', 'Host'),
  };
  /** At most three at a time: of many, one is nearly always refused. */
  const few = fc
    .subarray(keys, { minLength: 1, maxLength: 3 })
    .chain((chosen) =>
      fc.record(Object.fromEntries(chosen.map((key) => [key, own[key] ?? fieldName])), { requiredKeys: [] }),
    );

  it('is refused, or changes only names: neither the host, nor a header, nor the end of a path', async () => {
    const seen: { headers: readonly string[]; path: string }[] = [];
    const service = await serve((request, response) => {
      seen.push({ headers: Object.keys(request.headers), path: request.url ?? '' });
      response.end('{"status":"ok","visitors":[],"visitor":{"short_id":"v1"}}');
    });
    let accepted = 0;
    await fc.assert(
      fc.asyncProperty(few, async (names) => {
        const read = parseWireNames(JSON.stringify(names));
        if (!read.ok) return;
        accepted += 1;
        seen.length = 0;
        const baseUrl = `${service.url}/base`;
        const client = connect(baseUrl, { wireNames: read.names });
        await Promise.allSettled([
          client.listVisitors({ search: 'a', limit: 1 }),
          client.visitor('v1', { withHistory: true }),
          client.stopSession('v1'),
        ]);
        // All of them came here, and each to its own endpoint.
        const base = `/base${read.names.versionPrefix}`;
        const paths = seen.map(({ path }) => new URL(path, 'https://service.example').pathname);
        const endpoints = ['/list', '/visitors/v1', '/visitors/v1/session'];
        expect(paths.toSorted()).toEqual(endpoints.map((one) => base + one));
        const known = /^(?:accept|user-agent|host|connection|x-api-key|authorization|content-length)$/;
        expect(seen.flatMap(({ headers }) => headers).filter((name) => !known.test(name))).toEqual([]);
      }),
      { numRuns: 300 },
    );
    expect(accepted).toBeGreaterThan(30);
  });
});

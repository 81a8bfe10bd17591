import { describe, expect, it } from 'vitest';
import { defaultWireNames, parseWireNames } from '../../src/cobrowse/wire-names.ts';
import { overridden } from './stage.ts';

function complaint(json: string): string {
  const read = parseWireNames(json);
  return read.ok ? 'no complaint' : read.complaint;
}

describe('COBROWSE_WIRE_NAMES', () => {
  it('changes only what it names, and can be left out', () => {
    const changed = { listSearch: 'query', permissionVideoAudio: 'allow_video' };
    for (const names of [changed, {}]) expect(overridden(names)).toEqual({ ...defaultWireNames, ...names });
    expect(parseWireNames(undefined)).toEqual({ ok: true, names: defaultWireNames });
  });

  it.each(['', 'nonsense', '{"listSearch":"a"', '[]', 'null'])('is no object: %j', (json) => {
    expect(complaint(json)).toBe('must be one JSON object of names');
  });

  it.each(['listSaerch', '__proto__', 'constructor'])('names an unknown override: %s', (name) => {
    expect(complaint(`{"${name}":"q"}`)).toBe(`unknown name "${name}"`);
  });

  const NAME =
    'must be empty, or letters, digits, "_" and "-", 64 at most, where each part between dots starts with a letter or one "_"';
  const HEADER = 'must be a header like "X-Api-Key", or one with a scheme like "Authorization Bearer"';

  it.each([
    [
      'listSearch',
      NAME,
      [' ', 'a..b', 'a.__proto__', 'a\r\nX-Evil: 1', 'a&b=c', 'naïve', '__proto__', '1st'],
    ],
    ['listSearch', NAME, ['x'.repeat(65), 7, null, ['a']]],
    ['versionPrefix', 'must be a path like "/v1.3"', ['', '/', 'v1.3', '/v1.3/', '/../admin', '/v1/..']],
    ['versionPrefix', 'must be a path like "/v1.3"', ['/a b', '/v1?x=1', '//evil.example', 7]],
    ['authHeader', HEADER, ['', 'X-Key  Bearer', 'X-Key Bearer more', 'X-Key: Bearer', 'X-Key\r\nX-Evil']],
    ['authHeader', HEADER, ['X-Key Bäarer', `X-${'k'.repeat(64)}`, 7]],
    ['authHeader', HEADER, ['Host', 'host Bearer', 'content-length', 'CONTENT-TYPE', 'Connection']],
    [
      'searchOnline',
      'must be letters, digits and "_", "-", ".", ":", "#" or "=", 64 at most',
      ['a b', 'x'.repeat(65), 7],
    ],
  ])('refuses a bad %s without repeating it: it %s', (name, rule, values) => {
    for (const value of values) expect(complaint(JSON.stringify({ [name]: value }))).toBe(`${name} ${rule}`);
  });

  it.each(['X-Api-Key', 'x-token', 'Authorization Bearer', 'X-Key Scheme.1'])(
    'sends the key as %j where told to',
    (authHeader) => expect(overridden({ authHeader }).authHeader).toBe(authHeader),
  );

  it('reports every bad override together', () => {
    const text = complaint('{"listSearch":"a b","nobody":"x","versionPrefix":1}');
    expect(text).toMatch(/listSearch .*; /);
    expect(text).toContain('unknown name "nobody"');
    expect(text).toContain('versionPrefix');
  });
});

describe('a name that is empty or a path', () => {
  it.each(['', 'branding.notes', '.retry_url', 'metadata.notes', '_a.b-c.d'])('is accepted: %j', (value) => {
    const names = { bodyInitialNotes: value, visitorEmail: value };
    expect(overridden(names)).toMatchObject(names);
  });
});

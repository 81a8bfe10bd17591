import { describe, expect, it } from 'vitest';
import { defaultWireNames, parseWireNames, wireNameTable } from '../../src/cobrowse/wire-names.ts';

function complaint(json: string): string {
  const read = parseWireNames(json);
  return read.ok ? 'no complaint' : read.complaint;
}

describe('COBROWSE_WIRE_NAMES', () => {
  it('may be left out', () => {
    expect(parseWireNames(undefined)).toEqual({ ok: true, names: defaultWireNames });
    expect(parseWireNames('{}')).toEqual({ ok: true, names: defaultWireNames });
  });

  it('changes only what it names', () => {
    const json =
      '{"listSearch":"query","authHeader":"Authorization Bearer","permissionVideoAudio":"allow_video"}';
    expect(parseWireNames(json)).toEqual({
      ok: true,
      names: {
        ...defaultWireNames,
        listSearch: 'query',
        authHeader: 'Authorization Bearer',
        permissionVideoAudio: 'allow_video',
      },
    });
  });

  it.each(['', 'nonsense', '{"listSearch":"a"', '[]', 'null', '"search"', '7'])(
    'is no object: %j',
    (json) => {
      expect(complaint(json)).toBe('must be one JSON object of names');
    },
  );

  it('names an override nobody knows', () => {
    expect(complaint('{"listSaerch":"q"}')).toBe('unknown name "listSaerch"');
    expect(complaint('{"__proto__":"q"}')).toBe('unknown name "__proto__"');
    expect(complaint('{"constructor":"q"}')).toBe('unknown name "constructor"');
  });

  it.each([
    '',
    ' ',
    'a b',
    'a\r\nX-Evil: 1',
    'a&b=c',
    'naïve',
    '__proto__',
    '1st',
    'x'.repeat(65),
    7,
    null,
    true,
    ['a'],
    {},
  ])('refuses the field name %j without repeating it', (value) => {
    expect(complaint(JSON.stringify({ listSearch: value }))).toBe(
      'listSearch must be letters, digits, "_", "-" or ".", 64 at most, and start with a letter or one "_"',
    );
  });

  it.each(['', '/', 'v1.3', '/v1.3/', '/../admin', '/v1/..', '/a b', '/v1?x=1', '//evil.example', 7])(
    'refuses the prefix %j',
    (value) => {
      expect(complaint(JSON.stringify({ versionPrefix: value }))).toBe(
        'versionPrefix must be a path like "/v1.3"',
      );
    },
  );

  it('knows two ways to send the key', () => {
    expect(complaint('{"authHeader":"Cookie"}')).toBe(
      'authHeader must be one of "X-Api-Key", "Authorization Bearer"',
    );
  });

  it('tells every bad override at once', () => {
    const text = complaint('{"listSearch":"","nobody":"x","versionPrefix":1}');
    expect(text).toMatch(/listSearch .*; /);
    expect(text).toContain('unknown name "nobody"');
    expect(text).toContain('versionPrefix');
  });

  it.each([
    ['listSearch', 'max_results'],
    ['permissionVideoAudio', 'allow_audio'],
    ['brandingRetryUrl', 'naked'],
    ['bodyViewer', 'agent'],
    ['viewerName', 'id'],
  ])('refuses %s as %s, which is taken', (key, value) => {
    expect(complaint(JSON.stringify({ [key]: value }))).toContain('is a name that is already used beside it');
  });
});

describe('the table of wire names', () => {
  it('has a meaning for every name, and the default that is used', () => {
    const entries = Object.entries(wireNameTable);
    expect(entries.length).toBeGreaterThan(40);
    expect(entries.filter(([, { meaning }]) => meaning === '')).toEqual([]);
    expect(Object.fromEntries(entries.map(([key, entry]) => [key, entry.default]))).toEqual({
      ...defaultWireNames,
      permissionVideoAudio: undefined,
    });
  });
});

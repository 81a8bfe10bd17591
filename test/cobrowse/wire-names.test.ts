import { describe, expect, it } from 'vitest';
import { defaultWireNames, parseWireNames, wireNameTable } from '../../src/cobrowse/wire-names.ts';

function complaint(json: string): string {
  const read = parseWireNames(json);
  return read.ok ? 'no complaint' : read.complaint;
}

describe('COBROWSE_WIRE_NAMES', () => {
  it('can be left out', () => {
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

  it('names an unknown override', () => {
    expect(complaint('{"listSaerch":"q"}')).toBe('unknown name "listSaerch"');
    expect(complaint('{"__proto__":"q"}')).toBe('unknown name "__proto__"');
    expect(complaint('{"constructor":"q"}')).toBe('unknown name "constructor"');
  });

  it.each([
    ' ',
    'a..b',
    'a.__proto__',
    'a\r\nX-Evil: 1',
    'a&b=c',
    'naïve',
    '__proto__',
    '1st',
    'x'.repeat(65),
    7,
    null,
    ['a'],
  ])('refuses the field name %j without repeating it', (value) => {
    expect(complaint(JSON.stringify({ listSearch: value }))).toBe(
      'listSearch must be empty, or letters, digits, "_" and "-", 64 at most, where each part between dots starts with a letter or one "_"',
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

  it.each(['X-Api-Key', 'x-token', 'Authorization Bearer', 'X-Key Scheme.1'])(
    'sends the key as %j where told to',
    (authHeader) => {
      expect(parseWireNames(JSON.stringify({ authHeader }))).toMatchObject({
        ok: true,
        names: { authHeader },
      });
    },
  );

  it.each([
    '',
    'X-Key  Bearer',
    'X-Key Bearer more',
    'X-Key: Bearer',
    'X-Key\r\nX-Evil',
    'X-Key Bäarer',
    `X-${'k'.repeat(64)}`,
    7,
  ])('refuses the header %j without repeating it', (authHeader) => {
    expect(complaint(JSON.stringify({ authHeader }))).toBe(
      'authHeader must be a header like "X-Api-Key", or one with a scheme like "Authorization Bearer"',
    );
  });

  it.each(['Host', 'content-length', 'CONTENT-TYPE', 'Cookie'])(
    'refuses the header %j, which is used for something else',
    (authHeader) => {
      expect(complaint(JSON.stringify({ authHeader }))).toBe(
        'authHeader must be a header of its own, which HTTP or the app does not use for something else',
      );
    },
  );

  it('reports every bad override together', () => {
    const text = complaint('{"listSearch":"a b","nobody":"x","versionPrefix":1}');
    expect(text).toMatch(/listSearch .*; /);
    expect(text).toContain('unknown name "nobody"');
    expect(text).toContain('versionPrefix');
  });

  it.each([
    ['listSearch', 'max_results'],
    ['permissionVideoAudio', 'allow_audio'],
    ['bodyViewer', 'agent'],
    ['brandingRetryUrl', 'branding.naked'],
    ['brandingRetryUrl', '.webhook_url'],
    ['brandingRetryUrl', 'agent.id.more'],
    ['bodyInitialNotes', 'permissions'],
    ['bodyInitialNotes', 'branding.on_end_url'],
  ])('refuses %s as %s, which is taken', (key, value) => {
    expect(complaint(JSON.stringify({ [key]: value }))).toContain('is a name that is already used beside it');
  });
});

describe('a name that is empty or a path', () => {
  it.each(['', 'branding.notes', '.retry_url', 'metadata.notes', '_a.b-c.d'])('is accepted: %j', (value) => {
    const read = parseWireNames(JSON.stringify({ bodyInitialNotes: value, visitorEmail: value }));
    expect(read).toMatchObject({ ok: true, names: { bodyInitialNotes: value, visitorEmail: value } });
  });

  it('clashes with no other that is empty, too', () => {
    const names = { listSearch: '', listLimit: '', bodyInitialNotes: '', brandingRetryUrl: '', viewerId: '' };
    expect(parseWireNames(JSON.stringify(names))).toMatchObject({ ok: true });
  });

  it.each(['a b', 'x'.repeat(65), 'naïve', 7])('isn’t a search: %j', (value) => {
    expect(complaint(JSON.stringify({ searchOnline: value }))).toContain('searchOnline must be letters');
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

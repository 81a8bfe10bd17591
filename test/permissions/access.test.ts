import { describe, expect, it } from 'vitest';
import { ACCESS_LEVELS, accessLevelsUpTo, lesser, permissionsOf } from '../../src/permissions/permissions.ts';

describe('an access level', () => {
  it('is bounded by a channel’s: of two, the lesser one counts', () => {
    const pairs = ACCESS_LEVELS.map((one) => ACCESS_LEVELS.map((other) => lesser(one, other)));
    expect(pairs).toEqual([
      ['view', 'view', 'view'],
      ['view', 'point', 'point'],
      ['view', 'point', 'full'],
    ]);
    expect(ACCESS_LEVELS.map(accessLevelsUpTo)).toEqual([['view'], ['view', 'point'], ACCESS_LEVELS]);
  });

  it('switches off what it doesn’t allow, and leaves the rest to the visitor’s page', () => {
    const rest = { redirect: false, audio: false, click: false, console: false, type: false };
    expect(permissionsOf('view')).toEqual({ ...rest, draw: false, scroll: false });
    expect(permissionsOf('point')).toEqual(rest);
    expect(permissionsOf('full')).toBeUndefined();
  });
});

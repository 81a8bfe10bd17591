import { describe, expect, it } from 'vitest';
import { SessionSchema, wasAccepted } from '../../src/cobrowse/schemas.ts';

const NOTHING: unknown = undefined;

describe('whether the customer accepted', () => {
  it.each([
    [true, true, true],
    [true, false, true],
    [false, true, true],
    [false, false, false],
    [true, NOTHING, true],
    [NOTHING, true, true],
    [false, NOTHING, false],
    [NOTHING, false, false],
    [NOTHING, NOTHING, undefined],
    [null, null, undefined],
    ['yes', 1, undefined],
    ['no', false, false],
    [{ at: 'noon' }, true, true],
  ])('is, with session_authorized %j and went_live %j, %j', (session_authorized, went_live, accepted) => {
    expect(wasAccepted(SessionSchema.parse({ id: 's1', session_authorized, went_live }))).toBe(accepted);
  });
});

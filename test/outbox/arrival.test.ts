import { expect, it } from 'vitest';
import { arrivalIn } from '../../src/outbox/post.ts';

it.each([
  ['is there where it’s seen', { found: ['1.0'], channelId: 'D1' }, 'yes'],
  ['isn’t there where it isn’t seen', { found: [], channelId: 'D1' }, 'no'],
  ['is sent again where not everything was seen', { found: [], channelId: 'D1', isPartial: true }, 'no'],
  ['is sent again where the app may not look', { outcome: 'never', reason: 'missing_scope' }, 'no'],
  ['isn’t known while Slack doesn’t say', { outcome: 'later', reason: 'ratelimited' }, 'later'],
  ['isn’t known while Slack refuses the token', { outcome: 'never', reason: 'token_revoked' }, 'later'],
] as const)('a message whose answer was lost %s', (_words, sighting, arrival) => {
  expect(arrivalIn(sighting)).toBe(arrival);
});

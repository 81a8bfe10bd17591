import { describe, expect, it } from 'vitest';
import { readFilter } from '../../src/admin/audit.ts';

const now = Date.UTC(2026, 10, 8, 15, 30);
const nothing = {
  userIds: [],
  channelIds: [],
  visitorIds: [],
  words: [],
  since: undefined,
  until: undefined,
};

describe('the filter of the audit', () => {
  it.each([
    ['', {}],
    ['<@U0SAM000002|sam> <@W0KIM000003>', { userIds: ['U0SAM000002', 'W0KIM000003'] }],
    ['<#C0SUPPORT01> <#G0PRIVATE01|>', { channelIds: ['C0SUPPORT01', 'G0PRIVATE01'] }],
    ['Refusals, stops', { words: ['refusal', 'stop'] }],
    ['searches deletion proxy', { words: ['search', 'delete', 'proxy-link'] }],
    ['visitor: Xq9Z link', { visitorIds: ['Xq9Z'], words: ['link'] }],
    ['jane4821', { visitorIds: ['jane4821'] }],
    ['“stop”', { words: ['stop'] }],
    [
      'links by4821 <@U0SAM000002> <#C0SUPPORT01|support> Last 2 days',
      {
        words: ['link'],
        visitorIds: ['by4821'],
        userIds: ['U0SAM000002'],
        channelIds: ['C0SUPPORT01'],
        since: new Date(Date.UTC(2026, 10, 6, 15, 30)),
      },
    ],
  ])('reads %j', (typed, expected) => {
    expect(readFilter(typed, now, 'UTC')).toMatchObject({ filter: { ...nothing, ...expected }, rest: '' });
  });

  it.each([
    ['link Jane Cooper today', 'Jane Cooper'],
    ['jane@acme.com', 'jane@acme.com'],
    ['last many days', 'last many days'],
  ])('leaves what may name a customer: %j', (typed, rest) => {
    expect(readFilter(typed, now, 'UTC')).toMatchObject({ rest });
  });

  it.each([
    ['2026-11-01', 'I didn’t understand “2026-11-01”.'],
    ['&lt;!channel&gt;', 'I didn’t understand “<!channel>”.'],
    ['@nobody', 'I didn’t understand “@nobody”.'],
  ])('does not guess at %j', (typed, complaint) => {
    expect(readFilter(typed, now, 'UTC')).toBe(complaint);
  });
});

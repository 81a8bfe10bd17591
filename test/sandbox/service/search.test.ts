import { describe, expect, it } from 'vitest';
import { searchVisitors } from '../../../sandbox/service/search.ts';
import { seededVisitors } from '../../../sandbox/service/seed-visitors.ts';
import { visitorFromSeed } from '../../../sandbox/service/visitor.ts';

const visitors = seededVisitors.map((seed) => visitorFromSeed(seed, new Date()));
const find = (search: string) => searchVisitors(visitors, search).map((visitor) => visitor.fields.short_id);

describe('the search text', () => {
  it.each([
    ['an email, exactly', 'JANE@acme.com', ['jane4821']],
    ['an email among the identities', 'sofia@globex.example', ['Xq9Z']],
    ['a lookup code', '9034', ['Xq9Z']],
    ['a tag', '#vip', ['jane4821', 'priya55']],
    ['an address', 'ip:198.51.100.23', ['lm3']],
    ['a unique id', 'id:customer-1006', ['noah']],
    ['an integration id', 'integration_id:zendesk:90210', ['noah']],
    ['words in any case, without their accents', 'MaLaga', ['Xq9Z']],
    ['words of another script', '田中', ['yuki0000tanaka000']],
    ['a word with one wrong letter', 'amera', ['amara7']],
    ['a word with two swapped letters', 'Coopre', ['jane4821']],
    ['a word with one letter too few', 'Schmdt', ['noah']],
    ['several forms together', 'jane -online', ['janepark']],
  ])('finds by %s', (_what, search, expected) => {
    expect(find(search)).toEqual(expected);
  });

  it.each(['ip:198.51.100.2', 'id:customer-100', '#vi', '4820', 'integration_id:zendesk:902', 'qqqq'])(
    'does not stretch %s',
    (search) => {
      expect(find(search)).toEqual([]);
    },
  );

  it('divides all visitors by online and -online', () => {
    expect(find('online').length + find('-online').length).toBe(visitors.length);
    expect(find('online -online')).toEqual([]);
  });
});

import { describe, expect, it } from 'vitest';
import { VisitorSchema } from '../../src/cobrowse/schemas.ts';
import { writtenDates } from '../../src/slack/answer.ts';
import { visitorCard } from '../../src/visitors/visitor-card.ts';
import { buttonsIn } from '../support/person.ts';
import { problemsIn } from '../support/shown.ts';

const targetsOf = (visitorId: string) => ({ usual: { value: visitorId }, choices: [] });

function drawn(fields: Readonly<Record<string, unknown>>) {
  const visitor = VisitorSchema.parse({ short_id: 'jane4821', is_online: true, ...fields });
  const { text, blocks } = visitorCard(visitor, { targetsOf, canStop: true, at: new Date(0) });
  expect(problemsIn({ surface: 'message', payload: { text, blocks } })).toEqual([]);
  return { text: writtenDates(text), labels: buttonsIn(blocks).map((one) => one.text.text) };
}
const cardOf = (fields: Readonly<Record<string, unknown>>): string => drawn(fields).text;

const sections: readonly (readonly [string, string, Readonly<Record<string, unknown>>])[] = [
  ['Pages seen', '/cart', { history: ['https://shop.example/cart'] }],
  ['Recent sessions', 'still running', { sessions: [{ id: 's1' }] }],
  ['Tags: ', 'vip', { tags: ['vip'] }],
  ['Other names: ', 'jc', { identities: ['Jane', 'jc'] }],
  ['Lookup code: ', '4821', { lookup_code: 4821 }],
  ['Integration: ', 'intercom', { integration: 'intercom' }],
  ['Unique id: ', 'customer-1', { unique_id: 'customer-1' }],
  ['First seen: ', '2026-03-01', { added_at: '2026-03-01T10:00:00Z' }],
  ['Page: ', '/checkout', { last_url: 'https://shop.example/checkout' }],
];

describe('the card of a visitor', () => {
  it.each(sections)(
    'has "%s" with %s where it is known, and nothing of it where it is not',
    (title, words, fields) => {
      const text = cardOf(fields);
      expect(text).toContain(title);
      expect(text).toContain(words);
      expect(cardOf({})).not.toContain(title);
    },
  );

  it.each([
    { history: [], sessions: [], tags: [], identities: ['Jane'], integration: {}, lookup_code: '' },
    { history: null, sessions: null, tags: ['', ' \u202E'], integration: [null, {}], unique_id: ' ' },
  ])('has no empty section for %j', (fields) => {
    expect(cardOf(fields)).not.toMatch(
      /Pages seen|Recent sessions|Tags|Other names|Integration|Lookup|Unique/,
    );
  });

  it('shows the last three pages, newest first, without what stands behind the path', () => {
    const history = Array.from({ length: 12 }, (_, index) => ({
      url: `https://shop.example/page-${index}?token=secret-${index}#secret`,
      viewed_at: new Date(Date.UTC(2026, 2, 1, 10, index)).toISOString(),
    }));
    const text = cardOf({ history });
    expect(text).not.toContain('secret');
    expect(text.match(/page-\d+/g)).toEqual([11, 10, 9].map((index) => `page-${index}`));
    expect(text).toContain('- 2026-03-01 10:11 UTC  /page-11');
  });

  it('understands a time in seconds and in milliseconds, leaves out what it cannot read of a history, and shows what is hostile as text', () => {
    const at = Date.UTC(2026, 2, 1, 10);
    const times = [
      { page_url: 'https://shop.example/a', timestamp: at / 1_000 },
      { href: 'https://shop.example/b', time: at },
    ];
    expect(cardOf({ history: times }).match(/2026-03-01 10:00 UTC/g)).toHaveLength(2);
    const history = [
      null,
      7,
      [],
      {},
      '',
      'javascript:alert(1)',
      { url: 5, at: {} },
      { url: 'https://shop.example/%E0%A4%A', at: 'never' },
      { url: 'https://shop.example/<!channel>*b*', at: 1e300 },
      { url: `https://shop.example/${'x'.repeat(9_000)}`, at: null },
      { url: 'https://shop.example/gpj%E2%80%AEexe' },
      { __proto__: null, url: 'https://shop.example/far', at: 8.64e15 },
    ];
    const shown = history.map((element) => cardOf({ history: [element] }));
    expect(shown.join('\n')).not.toMatch(/javascript|NaN|Invalid|\u202E/);
    expect(shown.filter((text) => /^- /m.test(text))).toHaveLength(5);
  });

  it('shows the latest two sessions, with who helped, whatever their order', () => {
    const sessions = [3, 1, 5, 2, 4].map((day) => ({
      id: `s${day}`,
      started_at: `2026-03-0${day}T10:00:00Z`,
      ended_at: `2026-03-0${day}T10:05:00Z`,
      length_seconds: 300,
      visitor_id: 'jane4821',
      agents: [{ id: 'a', name: `Agent ${day}` }],
    }));
    const rows = cardOf({ sessions }).match(/^- .*$/gm);
    expect(rows).toEqual([5, 4].map((day) => `- 2026-03-0${day} 10:00 UTC, 5 minutes, with Agent ${day}`));
  });

  it.each([
    [{ is_online: false }, ['Tell me when online', 'Watch']],
    [{ is_online: true }, ['Watch', 'Ask a colleague']],
    // A service may say both at once: who is in a session or waits is there.
    [{ is_online: false, is_in_session: true }, ['Watch', 'Ask a colleague', 'Stop']],
    [{ is_online: false, is_waiting_for_call: true }, ['Watch', 'I’m on it', 'Ask a colleague']],
  ])('offers what can be done with %j', (fields, labels) => {
    expect(drawn(fields).labels).toEqual(labels);
  });
});

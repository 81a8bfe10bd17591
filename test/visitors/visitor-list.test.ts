import { describe, expect, it } from 'vitest';
import { VisitorSchema } from '../../src/cobrowse/schemas.ts';
import { visitorChoice, type VisitorTools } from '../../src/messages/visitor-pieces.ts';
import { listOn, visitorList, type VisitorList } from '../../src/visitors/visitor-list.ts';
import { inOrder, onlineFirst } from '../../src/visitors/visitor-search.ts';
import { buttonsIn, choicesIn, readable } from '../support/person.ts';
import { problemsIn } from '../support/shown.ts';

const NOON = new Date('2026-03-01T12:00:00Z');
const minutesAgo = (minutes: number) => new Date(NOON.getTime() - minutes * 60_000).toISOString();
const goneFor = (minutes: number) => ({ is_online: false, last_seen_at: minutesAgo(minutes) });
const visitor = (short_id: string, fields: object = {}) => VisitorSchema.parse({ short_id, ...fields });
const tools: VisitorTools = {
  at: NOON,
  canStop: true,
  targetsOf: (value) => ({ usual: { value }, choices: [] }),
};

function shown(visitors: VisitorList['visitors'], more: Partial<VisitorTools & VisitorList> = {}) {
  const list = { ...listOn({ query: 'x', offset: 0 }, visitors, false), visitors, ...more };
  const { text, blocks } = visitorList(list, { ...tools, ...more });
  expect(problemsIn({ surface: 'message', payload: { text, blocks } })).toEqual([]);
  return { text, blocks, words: readable(blocks), labels: buttonsIn(blocks).map((one) => one.text.text) };
}

describe('a list of visitors', () => {
  it.each([
    [{ is_online: true }, 'Online now', 'Visitor jane'],
    [{ is_online: true, is_waiting_for_call: true }, 'Online now', 'Visitor jane\n⏳ Waiting for help'],
    [{ is_in_session: true }, 'Online now', 'Visitor jane\n🎧 In session'],
    [{ is_online: false, is_in_session: true }, 'Online now', 'Visitor jane\n🎧 In session'],
    [{ is_in_session: true, is_waiting_for_call: true }, 'Online now', 'Visitor jane\n🎧 In session'],
    [
      { is_in_session: true, sessions: [{ id: 's1', went_live: false }] },
      'Presence unknown',
      'Visitor jane\nAsked to show the screen',
    ],
    [{ is_online: false }, 'Offline', 'Visitor jane'],
    [goneFor(0), 'Offline', 'Visitor jane · last seen just now'],
    [goneFor(60 * 24 * 9), 'Offline', 'Visitor jane · last seen 9 days ago'],
    [{ last_seen_at: minutesAgo(1) }, 'Presence unknown', 'Visitor jane · last seen 1 minute ago'],
    [{}, 'Presence unknown', 'Visitor jane'],
  ])(
    'says who is there in a title, and a mark where somebody may have to act: %j',
    (fields, title, words) => {
      const { words: read, text } = shown([visitor('jane', fields)]);
      expect(read).toContain(`\n${title}`);
      expect(read).toContain(words);
      // A screen reader gets the words alone.
      expect(text).toBe(`1 customer matching x\n${title}\n${words.replaceAll(/[⏳🎧] /gu, '')}`);
    },
  );

  it('says each presence once, whoever comes first', () => {
    const all = [
      visitor('a', { is_online: true }),
      visitor('b', { is_online: false }),
      visitor('c', {}),
      visitor('d', { is_online: true, is_in_session: true }),
      visitor('e', { is_online: false }),
    ];
    const lines = shown(all).text.split('\n').slice(1);
    expect(lines.slice(0, 4)).toEqual(['Online now', 'Visitor a', 'Visitor d', 'In session']);
    const others = ['Presence unknown', 'Visitor c', 'Offline', 'Visitor b', 'Visitor e'];
    expect(lines.slice(4)).toEqual(others);
  });

  it.each([
    ['you', 'You asked to see the screen'],
    ['you and Sam Lee', 'You and Sam Lee asked to see the screen'],
    ['Alex Rivera', 'Alex Rivera asked to see the screen'],
  ])('says who only asked, and nothing of a session: %s', (names, said) => {
    const partners = new Map([['jane', { names, isAsking: true }]]);
    const { words } = shown([visitor('jane', { is_in_session: true })], { partners });
    expect(words).toContain(`Visitor jane\n${said}`);
    expect(words).not.toContain('In session');
  });

  it('says so in a choice, too, as far as anybody knows', () => {
    const [asked, live] = [false, true].map((went_live) => [{ id: 's1', went_live }]);
    const states = [[], asked, live].map(
      (sessions) => visitorChoice(visitor('jane', { is_in_session: true, sessions })).text,
    );
    expect(states).toEqual(
      ['in session', 'asked to show the screen', 'in session'].map((state) => `Visitor jane (${state})`),
    );
  });

  it.each([
    ['https://shop.example/', 'Visitor jane · Home page'],
    ['https://shop.example?token=secret', 'Visitor jane · Home page'],
    ['https://shop.example/cart/?token=secret#x', 'Visitor jane · /cart/'],
  ])('shows the page by its path, or by a name: %s', (last_url, words) => {
    expect(shown([visitor('jane', { is_online: true, last_url })]).words).toContain(words);
  });

  it('has one block and one button a person, and no more than one row of them below', () => {
    const many = Array.from({ length: 6 }, (_nothing, index) =>
      visitor(`v${index}`, { is_online: index < 4 }),
    );
    const { blocks, labels } = shown(many, { previous: '{}', next: '{}', total: 30 });
    expect(blocks).toHaveLength(9);
    expect(labels).toEqual([...Array(4).fill('Watch'), ...Array(2).fill('Details'), 'Previous', 'Next']);
    expect(choicesIn(blocks)).toHaveLength(6);
  });
});

describe('the order of visitors', () => {
  const all = [
    visitor('long-gone', { identities: ['Jan Gone'], is_online: false, last_seen_at: minutesAgo(90) }),
    visitor('anon', { is_online: true }),
    visitor('gone', { identities: ['Jan Last'], is_online: false, last_seen_at: minutesAgo(5) }),
    visitor('nata', { identities: ['Priya Natarajan'], is_online: true }),
    visitor('unknown', { identities: ['Jan Maybe'] }),
    visitor('in', { identities: ['Jan Zed'], is_online: true, is_in_session: true }),
    visitor('jane', { identities: ['Jane Cooper'], is_online: true, last_seen_at: minutesAgo(1) }),
    visitor('waits', { identities: ['Zoe'], is_online: true, is_waiting_for_call: true }),
  ];
  const idsOf = (typed: string, visitors = all) => inOrder(visitors, typed).map(({ short_id }) => short_id);

  it('is: who waits, whose name begins as was typed, who is online by name, the rest last seen first', () => {
    const usual = ['waits', 'in', 'jane', 'nata', 'anon', 'unknown', 'gone', 'long-gone'];
    expect(idsOf('')).toEqual(usual);
    expect(idsOf('jan')).toEqual(['waits', 'in', 'jane', 'unknown', 'gone', 'long-gone', 'nata', 'anon']);
    // In a list to watch from, who is online comes first.
    expect(onlineFirst(inOrder(all, 'jan')).map(({ short_id }) => short_id)).toEqual(usual);
  });

  it('puts nobody at the top for a sign at the beginning of a name', () => {
    const online = ['<!channel> first', '!!! First', '田中 雪', '3M', 'Zoe'].map((name) =>
      visitor(name, { identities: [name], is_online: true }),
    );
    expect(idsOf('', online)).toEqual(['3M', 'Zoe', '田中 雪', '!!! First', '<!channel> first']);
  });
});

import { describe, expect, it } from 'vitest';
import { input, option } from '../slack/tiny-app.ts';

const load = (name: string) => import(new URL(`../../../sandbox/page/${name}.js`, import.meta.url).href);
const { collectState, elementState } = await load('form-state');
const { parseMrkdwn } = await load('mrkdwn');

describe("a modal's state", () => {
  const online = option('online');

  it.each<[string, object, object]>([
    ['plain_text_input', { initial_value: 'jane' }, { value: 'jane' }],
    ['static_select', { initial_option: online }, { selected_option: online }],
    ['radio_buttons', {}, { selected_option: null }],
    ['multi_users_select', { initial_users: ['U1'] }, { selected_users: ['U1'] }],
  ])('has Slack’s shape of %s, with its start value, wherever it is', (type, rest, state) => {
    const element = { type, action_id: 'it', ...rest };
    const blocks = [
      input('in', element),
      { type: 'section', block_id: 'side', accessory: element },
      { type: 'actions', block_id: 'row', elements: [{ type: 'button' }, element] },
    ];
    const held = { it: { type, ...state } };
    expect(collectState(blocks, new Map())).toEqual({ in: held, side: held, row: held });
  });

  it('prefers what was typed to the start value, even when it was emptied', () => {
    const element = { type: 'plain_text_input', initial_value: 'jane' };
    const typed = new Map([['text/it', elementState(element, null)]]);
    const empty = { type: 'plain_text_input', value: null };
    expect(collectState([input('text', element)], typed)).toEqual({ text: { it: empty } });
  });
});

const text = (words: string) => ({ type: 'text', text: words });
const link = (url: string, label = url) => ({ type: 'link', url, label });

type Row = [string, string, readonly unknown[]];
const wordsAlone = (words: string): Row => ['words alone', words, [text(words)]];

describe('mrkdwn on the sandbox page', () => {
  it.each<Row>([
    [
      'escaped characters as characters, so that escaped text can mention nobody',
      '&lt;!channel&gt; &amp;lt; &lt;https://evil.example|click&gt;',
      [text('<!channel> &lt; <'), link('https://evil.example'), text('|click>')],
    ],
    [
      'mentions, links and dates between angle brackets',
      '<@U1AB> <#C1AB|sales> <!here> <mailto:jane@acme.com> <!date^1700000000^{date}|then>',
      [
        { type: 'user', id: 'U1AB', label: '' },
        text(' '),
        { type: 'channel', id: 'C1AB', label: 'sales' },
        text(' '),
        { type: 'broadcast', range: 'here' },
        text(' '),
        link('mailto:jane@acme.com', 'jane@acme.com'),
        text(' '),
        { type: 'date', timestamp: 1_700_000_000, format: '{date}', url: '', fallback: 'then' },
      ],
    ],
    [
      'a bare address as a link, and the full stop after it',
      'See https://a.example/x?y=1&amp;z=2.',
      [text('See '), link('https://a.example/x?y=1&z=2'), text('.')],
    ],
    // Marks that style nothing, and addresses that must not be followed.
    ['bold', '*both*', [{ type: 'bold', children: [text('both')] }]],
    ...['2 * 3 * 4', 'snake_case_name', '*open', 'a*b*c'].map(wordsAlone),
    ...['<javascript:alert(1)|click>', '<data:text/html,x>', '<b>'].map(wordsAlone),
  ])('reads %s: %s', (_what, words, children) => {
    expect(parseMrkdwn(words)).toEqual([{ type: 'line', hanging: false, children }]);
  });
});

import { describe, expect, it } from 'vitest';

const load = (name: string) => import(new URL(`../../../sandbox/page/${name}.js`, import.meta.url).href);
const { parseMrkdwn } = await load('mrkdwn');

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

import { describe, expect, it } from 'vitest';

const { parseMrkdwn } = await import(new URL('../../../sandbox/page/mrkdwn.js', import.meta.url).href);

const text = (words: string) => ({ type: 'text', text: words });
const line = (...children: readonly unknown[]) => ({ type: 'line', hanging: false, children });

describe('mrkdwn on the sandbox page', () => {
  it('reads bold, italic, strike and code, one inside another', () => {
    expect(parseMrkdwn('*bold _both_* ~no~ `a*b*`')).toEqual([
      line(
        { type: 'bold', children: [text('bold '), { type: 'italic', children: [text('both')] }] },
        text(' '),
        { type: 'strike', children: [text('no')] },
        text(' '),
        { type: 'code', children: [text('a*b*')] },
      ),
    ]);
  });

  it.each(['2 * 3 * 4', 'snake_case_name', '* not bold*', '*open', '**', 'a*b*c'])(
    'leaves marks that style nothing: %s',
    (words) => {
      expect(parseMrkdwn(words)).toEqual([line(text(words))]);
    },
  );

  it('shows escaped characters as characters, so that escaped text can mention nobody', () => {
    expect(parseMrkdwn('&lt;!channel&gt; &amp;lt; &lt;https://evil.example|click&gt;')).toEqual([
      line(
        text('<!channel> &lt; <'),
        { type: 'link', url: 'https://evil.example', label: 'https://evil.example' },
        text('|click>'),
      ),
    ]);
  });

  it('reads mentions, links and dates between angle brackets', () => {
    expect(
      parseMrkdwn('<@U1AB> <#C1AB|sales> <!here> <mailto:jane@acme.com> <!date^1700000000^{date}|then>'),
    ).toEqual([
      line(
        { type: 'user', id: 'U1AB', label: '' },
        text(' '),
        { type: 'channel', id: 'C1AB', label: 'sales' },
        text(' '),
        { type: 'broadcast', range: 'here' },
        text(' '),
        { type: 'link', url: 'mailto:jane@acme.com', label: 'jane@acme.com' },
        text(' '),
        { type: 'date', timestamp: 1_700_000_000, format: '{date}', url: '', fallback: 'then' },
      ),
    ]);
  });

  it.each(['<javascript:alert(1)|click>', '<data:text/html,x>', '<b>'])('makes no link of %s', (words) => {
    expect(parseMrkdwn(words)).toEqual([line(text(words))]);
  });

  it('makes a bare address a link and leaves the full stop after it', () => {
    expect(parseMrkdwn('See https://a.example/x?y=1&amp;z=2.')).toEqual([
      line(
        text('See '),
        { type: 'link', url: 'https://a.example/x?y=1&z=2', label: 'https://a.example/x?y=1&z=2' },
        text('.'),
      ),
    ]);
  });

  it('tells lines, list items, quotes and preformatted text apart', () => {
    expect(parseMrkdwn('one\n• two\n&gt; said\n> more\n```\n*raw*\n```\nlast')).toEqual([
      line(text('one')),
      { type: 'line', hanging: true, children: [text('• two')] },
      { type: 'quote', lines: [[text('said')], [text('more')]] },
      { type: 'preformatted', children: [text('*raw*')] },
      line(text('last')),
    ]);
  });
});

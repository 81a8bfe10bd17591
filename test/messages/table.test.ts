import { describe, expect, it } from 'vitest';
import { message } from '../../src/messages/message.ts';
import { fitting, table, type Columns } from '../../src/messages/table.ts';
import { link, short, who, type Line } from '../../src/messages/text.ts';
import { problemsIn } from '../support/shown.ts';

const columns: Columns<string> = {
  heads: ['Name', 'Length', 'Links'],
  cells: (name) => [name, { value: name.length, text: `${name.length} s` }, linksOf(name)],
};
const linksOf = (name: string): Line =>
  name === '' ? [] : [who('U0ALEX00001'), link('https://acme.example/a', 'Open')];

const shown = (rows: readonly string[]) =>
  message(
    table(
      'Names',
      columns,
      rows,
      rows.map((name) => [short(name)]),
    ),
  );
const problems = (rows: readonly string[]) => problemsIn({ surface: 'message', payload: { ...shown(rows) } });

describe('a table', () => {
  it.each([
    ['short', ['', '<!channel>', '\u202Ekoob'], 3],
    ['a hundred at most', Array.from({ length: 150 }, String), 100],
    ['as many as have ten thousand characters', Array.from({ length: 100 }, () => 'n'.repeat(250)), 30],
    ['none that is longer', ['n'.repeat(20_000)], 0],
  ])('holds rows that Slack takes: %s', (_what, rows, count) => {
    const fit = fitting(columns, rows);
    expect(fit).toHaveLength(count);
    expect(problems(fit.length === 0 ? ['a'] : fit)).toEqual([]);
  });

  it('reads its rows out', () => {
    expect(shown(['Jane', '<b>']).text).toBe('- Jane\n- &lt;b&gt;');
  });
});

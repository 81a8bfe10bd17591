import { describe, expect, it } from 'vitest';
import { done, message, problem, refusal, waiting } from '../../src/messages/message.ts';
import { fitting, table, type Columns } from '../../src/messages/table.ts';
import { link, short, who, type Line } from '../../src/messages/text.ts';
import { problemsIn } from '../support/shown.ts';

const columns: Columns<string> = {
  heads: ['Name', 'Length', 'Links'],
  cells: (name) => [name, { value: name.length, text: `${name.length} s` }, linksOf(name)],
};
const linksOf = (name: string): Line =>
  name === '' ? [] : [who('U0ALEX00001'), link('https://acme.example/a', 'Open')];

function shown(rows: readonly string[]) {
  const lines = rows.map((name) => [short(name)]);
  return message(table('Names', columns, rows, lines));
}
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

describe('the emoji of a status', () => {
  it.each([
    ['done', done, 'white_check_mark'],
    ['waiting', waiting, 'hourglass_flowing_sand'],
    ['problem', problem, 'warning'],
    ['refused', refusal, 'no_entry'],
  ])('stands beside the words and not in what a screen reader gets: %s', (_kind, make, name) => {
    const payload = make(['It’s *so*.'], ['More about it.']);
    expect(payload.text).toBe('It’s *so*.\nMore about it.');
    expect(payload.blocks).toMatchObject([
      { elements: [{ elements: [{ type: 'emoji', name }, { text: ' ' }, { text: 'It’s *so*.' }, {}, {}] }] },
    ]);
    expect(problemsIn({ surface: 'message', payload })).toEqual([]);
    expect(problemsIn({ surface: 'home', payload: { type: 'home', blocks: payload.blocks } })).toEqual([]);
  });
});

import { describe, expect, it } from 'vitest';
import { all, list, sql } from '../../src/database/database.ts';

describe('a statement', () => {
  it('keeps its words apart from its values, pieces included', () => {
    const condition = sql`b = ${2} AND c = ${'x'}`;

    expect(sql`SELECT ${1} WHERE ${condition} LIMIT ${3}`).toEqual({
      words: ['SELECT ', ' WHERE b = ', ' AND c = ', ' LIMIT ', ''],
      values: [1, 2, 'x', 3],
    });
  });

  it('is built from lists and conditions, even empty ones', () => {
    expect(list([])).toEqual(sql``);
    expect(list([sql`${1}`, sql`${2}`])).toEqual({ words: ['', ', ', ''], values: [1, 2] });
    expect(all([])).toEqual(sql`1 = 1`);
    expect(all([sql`a = ${1}`, sql`b`])).toEqual({ words: ['a = ', ' AND b'], values: [1] });
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY])('refuses %s', (value) => {
    expect(() => sql`SELECT ${value}`).toThrow(TypeError);
  });
});

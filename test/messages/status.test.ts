import { describe, expect, it } from 'vitest';
import { done, problem, refusal, waiting } from '../../src/messages/message.ts';
import { problemsIn } from '../support/shown.ts';

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

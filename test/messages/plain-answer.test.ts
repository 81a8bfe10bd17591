import { describe, expect, it } from 'vitest';
import { notice } from '../../src/messages/message.ts';
import { date } from '../../src/messages/text.ts';
import { plainAnswer } from '../../src/slack/answer.ts';
import { readable } from '../support/person.ts';
import { problemsIn } from '../support/shown.ts';

const at = new Date('2026-03-04T22:30:00Z');

describe('an answer as plain text', () => {
  it('says its times in UTC', () => {
    const { blocks } = plainAnswer(notice(['Ended: ', date(at)]));
    expect(readable(blocks)).toContain('Ended: 2026-03-04 22:30 UTC');
  });

  it('takes nobody’s words for a date', () => {
    const typed = '<!date^1772663400^{time}|x>';
    const { text, blocks } = plainAnswer(notice([typed]));
    expect(readable(blocks)).toContain(typed);
    expect(problemsIn({ surface: 'message', payload: { text, blocks } })).toEqual([]);
  });
});

import { describe, expect, it } from 'vitest';
import { notice } from '../../src/messages/message.ts';
import { date, time } from '../../src/messages/text.ts';
import { plainAnswer } from '../../src/slack/plain-answer.ts';
import { readable } from '../support/person.ts';
import { problemsIn } from '../support/shown.ts';

const at = new Date('2026-03-04T22:30:00Z');

describe('an answer as plain text', () => {
  it('gives times by the reader’s clock, in their way of writing them', () => {
    const answer = notice(['Ended: ', date(at), '. It expires at ', time(at), '.']);
    const inTokyo = readable(plainAnswer(answer, { timeZone: 'Asia/Tokyo', locale: 'en-GB' }).blocks);
    expect(inTokyo).toContain('Ended: 5 Mar 2026, 07:30. It expires at 07:30.');
    const inNewYork = readable(plainAnswer(answer, { timeZone: 'America/New_York' }).blocks);
    expect(inNewYork.replaceAll(/\s/gu, ' ')).toContain(
      'Ended: Mar 4, 2026, 5:30 PM. It expires at 5:30 PM.',
    );
  });

  it.each([
    {},
    { locale: 'en-GB' },
    { timeZone: 'Nowhere/At_All' },
    { timeZone: 'Asia/Tokyo', locale: 'not a locale' },
  ])('says UTC where the reader’s clock isn’t known: %j', (reader) => {
    const { blocks } = plainAnswer(notice(['Ended: ', date(at)]), reader);
    expect(readable(blocks)).toContain('Ended: 2026-03-04 22:30 UTC');
  });

  it('takes nobody’s words for a date', () => {
    const typed = '<!date^1772663400^{time}|x>';
    const { text, blocks } = plainAnswer(notice([typed]), { timeZone: 'Asia/Tokyo' });
    expect(readable(blocks)).toContain(typed);
    expect(problemsIn({ surface: 'message', payload: { text, blocks } })).toEqual([]);
  });
});

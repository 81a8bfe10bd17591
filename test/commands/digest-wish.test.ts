import { describe, expect, it } from 'vitest';
import { digestWish } from '../../src/commands/digest-wish.ts';

const HERE = undefined;

describe('what stands after /cobrowse digest', () => {
  it.each([
    ['daily 09:00', HERE, { hour: 9, minute: 0 }],
    ['every day at 9', HERE, { hour: 9, minute: 0 }],
    ['<#C0SUPPORT01|support> daily 17.30', 'C0SUPPORT01', { hour: 17, minute: 30 }],
    ['daily at 12am', HERE, { hour: 0, minute: 0 }],
    ['daily 12:15 pm, <#C0SUPPORT01|>', 'C0SUPPORT01', { hour: 12, minute: 15 }],
    ['weekly monday 09:00', HERE, { hour: 9, minute: 0, weekday: 1 }],
    ['Weekly on Sundays at 9pm', HERE, { hour: 21, minute: 0, weekday: 7 }],
    ['every thu 8:05', HERE, { hour: 8, minute: 5, weekday: 4 }],
    ['off', HERE, 'off'],
    ['<#C0SUPPORT01|support> off', 'C0SUPPORT01', 'off'],
  ])('reads %j', (text, channelId, schedule) => {
    expect(digestWish.parse(text)).toEqual({ channelId, schedule });
  });

  it.each([
    ['', 'Write daily or weekly with a time'],
    ['daily', 'Write daily or weekly with a time'],
    ['daily 25:00', '"25:00" is no time of the day.'],
    ['daily 9:60', '"9:60" is no time of the day.'],
    ['daily 13pm', '"13pm" is no time of the day.'],
    ['weekly someday 9:00', '"someday" is no day of the week.'],
    ['weekly monday soon', '"soon" is no time of the day.'],
    ['<#C0SUPPORT01|a> <#C0SALES0002|b> daily 9', 'One channel at a time, please.'],
  ])('refuses %j', (text, words) => {
    expect(digestWish.safeParse(text).error?.issues[0]?.message).toContain(words);
  });
});

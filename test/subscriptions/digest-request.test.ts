import { describe, expect, it } from 'vitest';
import { digestRequest } from '../../src/subscriptions/digest.ts';

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
    expect(digestRequest.parse(text)).toEqual({ channelId, schedule });
  });

  it.each([
    ['', 'Type daily or weekly with a time'],
    ['daily', 'Type daily or weekly with a time'],
    ['daily 25:00', '“25:00” isn’t a valid time.'],
    ['daily 9:60', '“9:60” isn’t a valid time.'],
    ['daily 13pm', '“13pm” isn’t a valid time.'],
    ['weekly someday 9:00', '“someday” isn’t a day of the week.'],
    ['weekly monday soon', '“soon” isn’t a valid time.'],
    ['<#C0SUPPORT01|a> <#C0SALES0002|b> daily 9', 'One channel at a time, please.'],
  ])('refuses %j', (text, words) => {
    expect(digestRequest.safeParse(text).error?.issues[0]?.message).toContain(words);
  });
});

import { describe, expect, it } from 'vitest';
import { digestRequest } from '../../src/subscriptions/digest.ts';
import { subscriptionRequest } from '../../src/subscriptions/subscribe.ts';
import type { Filters } from '../../src/subscriptions/subscription.ts';
import { whichSubscription } from '../../src/subscriptions/list.ts';

const nothing: Filters = { agents: [], groups: [], tags: [] };
const plain = { channelId: undefined, form: 'full', filters: nothing };

function complaint(text: string): string {
  return subscriptionRequest.safeParse(text).error?.issues[0]?.message ?? 'none';
}

describe('what stands after /cobrowse subscribe', () => {
  it.each([
    ['', undefined],
    ['  all   sessions ', plain],
    ['<#C0SECRET001|>', { ...plain, channelId: 'C0SECRET001' }],
    ['to <#C0SUPPORT01|support>, short', { ...plain, channelId: 'C0SUPPORT01', form: 'short' }],
    ['short in a thread', { ...plain, form: 'thread' }],
    [
      '<@U0ALEX00001|alex> and <@W0SAM000002> <@U0ALEX00001>',
      { ...plain, filters: { ...nothing, agents: ['U0ALEX00001', 'W0SAM000002'] } },
    ],
    ['S0LEADS0001', { ...plain, filters: { ...nothing, groups: [{ id: 'S0LEADS0001' }] } }],
    ['tag:#vip tag: VIP tagged gold', { ...plain, filters: { ...nothing, tags: ['VIP', 'gold'] } }],
    ['tag:<http://acme.com|acme.com>', { ...plain, filters: { ...nothing, tags: ['acme.com'] } }],
    ['tag:&lt;!channel&gt;', { ...plain, filters: { ...nothing, tags: ['<!channel>'] } }],
    ['min:5', { ...plain, filters: { ...nothing, minSeconds: 300 } }],
    ['longer than 2 hrs', { ...plain, filters: { ...nothing, minSeconds: 7_200 } }],
    ['at least 1.5 hours', { ...plain, filters: { ...nothing, minSeconds: 5_400 } }],
    [
      '<#C0SUPPORT01|support> by <@U0ALEX00001> or <!subteam^S0LEADS0001|@support-leads> of customers tag:vip, min 10 min; in thread',
      {
        channelId: 'C0SUPPORT01',
        form: 'thread',
        filters: {
          agents: ['U0ALEX00001'],
          groups: [{ id: 'S0LEADS0001', handle: 'support-leads' }],
          tags: ['vip'],
          minSeconds: 600,
        },
      },
    ],
  ])('reads %j', (text, wish) => {
    expect(subscriptionRequest.parse(text)).toEqual(wish);
  });

  it.each([
    ['short ripe bananas', 'I didn’t understand “ripe bananas”.'],
    ['#vip', 'For a tag, type tag:vip.'],
    ['@nobody', 'Choose channels, people and groups from Slack’s list'],
    ['<#C0SUPPORT01|support> <#C0SALES0002|sales>', 'One channel at a time, please.'],
    ['full in thread', 'Choose one of full, short or in thread.'],
    ['min 2000h', 'The minimum length can’t be more than a day.'],
    [`tag:${'x'.repeat(61)}`, 'A tag has 1 to 60 characters.'],
    [
      Array.from({ length: 11 }, (_, index) => `tag:t${index}`).join(' '),
      'At most 10 people, 10 groups and 10 tags.',
    ],
    ['x'.repeat(1_001), 'That’s too long: the limit is 1000 characters.'],
    ['<!channel>', 'I didn’t understand “<!channel>”.'],
  ])('refuses %j', (text, words) => {
    expect(complaint(text)).toContain(words);
  });
});

describe('what stands after /cobrowse unsubscribe', () => {
  it.each([
    ['', {}],
    ['3', { id: '3' }],
    ['number 12', { id: '12' }],
    ['<#C0SUPPORT01|support>', { channelId: 'C0SUPPORT01' }],
  ])('reads %j', (text, which) => {
    expect(whichSubscription.parse(text)).toEqual(which);
  });

  it.each(['0', '3 4', '#nowhere', 'bananas', '1234567'])('refuses %j', (text) => {
    expect(whichSubscription.safeParse(text).success).toBe(false);
  });
});

const HERE = undefined;

describe('what stands after /cobrowse digest', () => {
  it.each([
    ['daily 09:00', HERE, { hour: 9, minute: 0 }],
    ['every day at 9', HERE, { hour: 9, minute: 0 }],
    ['<#C0SUPPORT01|support> daily 17.30', 'C0SUPPORT01', { hour: 17, minute: 30 }],
    ['daily at 12am', HERE, { hour: 0, minute: 0 }],
    ['weekdays 09:00', HERE, { hour: 9, minute: 0, onWeekdays: true }],
    ['weekly monday 09:00', HERE, { hour: 9, minute: 0, weekday: 1 }],
    ['Weekly on Sundays at 9pm', HERE, { hour: 21, minute: 0, weekday: 7 }],
    ['off', HERE, 'off'],
    ['<#C0SUPPORT01|support> off', 'C0SUPPORT01', 'off'],
  ])('reads %j', (text, channelId, schedule) => {
    expect(digestRequest.parse(text)).toEqual({ channelId, schedule });
  });

  it.each([
    ['', 'Type daily, weekdays or weekly with a time'],
    ['daily', 'Type daily, weekdays or weekly with a time'],
    ['daily 25:00', '“25:00” isn’t a valid time.'],
    ['weekly someday 9:00', '“someday” isn’t a day of the week.'],
    ['weekly monday soon', '“soon” isn’t a valid time.'],
    ['<#C0SUPPORT01|a> <#C0SALES0002|b> daily 9', 'One channel at a time, please.'],
  ])('refuses %j', (text, words) => {
    expect(digestRequest.safeParse(text).error?.issues[0]?.message).toContain(words);
  });
});

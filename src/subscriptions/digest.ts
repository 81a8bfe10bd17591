import { z } from 'zod';
import { defineCommand } from '../commands/command.ts';
import { plainTyped, unescapeSlack } from '../commands/typed.ts';
import { answerWords } from '../messages/modal.ts';
import type { createUnsubscribe } from './list.ts';
import type { SetUp } from './set-up.ts';
import { weekdayNamed, type ScheduleRequest } from './subscription.ts';

const CHANNEL = /<#([CDG][A-Z0-9]+)(?:\|[^<>]*)?>/g;
const TIME = /^(\d{1,2})(?:[:.](\d{2}))?\s*(am|pm)?$/i;

const HOW = 'Type daily, weekdays or weekly with a time, or off.';

/** "9", "09:00", "9.30", "9pm" as a time of day; undefined for anything else. */
function timeIn(text: string): { readonly hour: number; readonly minute: number } | undefined {
  const [, hours, minutes = '0', half = ''] = TIME.exec(text) ?? [];
  const [hour, minute] = [Number(hours), Number(minutes)];
  const isRight = half === '' ? hour <= 23 : hour >= 1 && hour <= 12;
  if (!isRight || minute > 59) return undefined;
  return { hour: half === '' ? hour : (hour % 12) + (half.toLowerCase() === 'pm' ? 12 : 0), minute };
}

const SCHEDULE =
  /^(?:daily|every day|(?:on |every )?(weekdays?)|(?:weekly(?: on)?|every) ([a-z]+))(?: at)? (.+)$/i;

/** @returns a string that says what is wrong */
function scheduleIn(text: string): ScheduleRequest | string {
  const [, weekdays, day = '', typed] = SCHEDULE.exec(text) ?? [];
  if (typed === undefined) return HOW;
  const weekday = weekdayNamed(day.replace(/s$/i, ''));
  if (day !== '' && weekday === undefined) return `“${day}” isn’t a day of the week. ${HOW}`;
  const time = timeIn(typed);
  if (time === undefined) return `“${unescapeSlack(typed).slice(0, 60)}” isn’t a valid time. ${HOW}`;
  return { ...time, weekday, onWeekdays: weekdays === undefined ? undefined : true };
}

/** "#channel daily 09:00", "weekdays 9am", "weekly monday 9am", "off". */
export const digestRequest = z.string().transform((text, context) => {
  const typed = plainTyped(text);
  const [channelId, ...others] = new Set(Array.from(typed.matchAll(CHANNEL), ([, id]) => id));
  const rest = typed.replaceAll(CHANNEL, ' ').replaceAll(/[,;]/g, ' ').replaceAll(/\s+/g, ' ').trim();
  if (others.length === 0 && /^(?:off|none|stop|end)$/i.test(rest))
    return { channelId, schedule: 'off' as const };
  const schedule = others.length > 0 ? 'One channel at a time, please.' : scheduleIn(rest);
  if (typeof schedule === 'object') return { channelId, schedule };
  context.addIssue(schedule);
  return z.NEVER;
});

export const createDigestCommand = (
  setUp: Pick<SetUp, 'digest'>,
  { endIn }: Pick<ReturnType<typeof createUnsubscribe>, 'endIn'>,
) =>
  defineCommand({
    name: 'digest',
    usage: 'digest [#channel] <daily, weekdays or weekly monday 09:00, or off>',
    summary: 'Post a daily or weekly digest (your time zone)',
    // It shows the numbers of `usage`, whatever the channel.
    right: ({ schedule }) => (schedule === 'off' ? 'subscribe' : 'usage'),
    examples: [
      'digest daily 09:00',
      'digest weekdays 09:00',
      'digest #support weekly monday 9am',
      'digest off',
    ],
    needs: 'sessionEnds',
    argument: digestRequest,
    run: async ({ channelId, schedule }, caller) =>
      schedule === 'off'
        ? endIn(channelId ?? caller.channelId, caller, true)
        : answerWords(await setUp.digest(channelId, schedule, caller)),
  });

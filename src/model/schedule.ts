import { z } from 'zod';

/** Monday is 1, as in ISO 8601. */
const Weekday = z.int().min(1).max(7);

const TimeOfDay = z.object({ hour: z.int().min(0).max(23), minute: z.int().min(0).max(59) });

/** When something comes, by the clocks of a time zone: every day, or every week on a day. */
export const Schedule = TimeOfDay.extend({
  /** Set: once a week. */
  weekday: Weekday.optional(),
  /** IANA's name, for example `Europe/Amsterdam`. */
  zone: z.string(),
});
export type Schedule = z.infer<typeof Schedule>;

/** The same before it is known whose clocks are meant. */
export type ScheduleRequest = Omit<Schedule, 'zone'>;

import { z } from 'zod';

/** Monday is 1, as in ISO 8601. */
const Weekday = z.int().min(1).max(7);

const TimeOfDay = z.object({ hour: z.int().min(0).max(23), minute: z.int().min(0).max(59) });

/** When something is due in a time zone: every day, or every week on one day. */
export const Schedule = TimeOfDay.extend({
  /** Set if it's once a week. */
  weekday: Weekday.optional(),
  /** IANA's name, for example `Europe/Amsterdam`. */
  zone: z.string(),
});
export type Schedule = z.infer<typeof Schedule>;

/** A schedule whose time zone isn't known yet. */
export type ScheduleRequest = Omit<Schedule, 'zone'>;

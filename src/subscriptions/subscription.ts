import { z } from 'zod';
import { jsonOf, rowOf } from '../database/database.ts';
import { FORMS, type Form } from '../outbox/delivery.ts';

/** When something is due in a time zone: every day, every day from Monday to Friday, or every week on one day. */
export const Schedule = z.object({
  hour: z.int().min(0).max(23),
  minute: z.int().min(0).max(59),
  /** Set if it's once a week. Monday is 1, as in ISO 8601. */
  weekday: z.int().min(1).max(7).optional(),
  /** Whether it's from Monday to Friday only. An earlier program takes it for daily. */
  onWeekdays: z.literal(true).optional(),
  /** IANA's name, for example `Europe/Amsterdam`. */
  zone: z.string(),
});
export type Schedule = z.infer<typeof Schedule>;

export type ScheduleRequest = Omit<Schedule, 'zone'>;

/** By one of these people or groups, with one of these tags, and at least this long. An empty list excludes nothing. */
export const Filters = z.object({
  /** Users who pressed Watch. */
  agents: z.array(z.string()),
  /** User groups that the user who pressed Watch is in; the handle, without "@", if it was given. */
  groups: z.array(z.object({ id: z.string(), handle: z.string().optional() })),
  tags: z.array(z.string()),
  minSeconds: z.number().optional(),
});
export type Filters = z.infer<typeof Filters>;

/** What somebody asks for; without a channel it's for the one they're in. */
export interface SubscriptionRequest {
  readonly channelId: string | undefined;
  readonly filters: Filters;
  readonly form: Form;
  readonly remindMinutes?: number | undefined;
}

/** A number within the workspace, never reused. */
export const subscriptionId = z.string().regex(/^[1-9]\d{0,5}$/);

export const SubscriptionRow = rowOf({
  workspaceId: z.string(),
  number: z.number(),
  /** Can be a direct message with the app. */
  channelId: z.string(),
  setUpBy: z.string(),
  /** Milliseconds since 1970. */
  setUpAt: z.number(),
  filter: jsonOf(Filters),
  form: z.enum(FORMS),
  /** When the digest is due; set only for digests. */
  schedule: jsonOf(Schedule).optional(),
  nextAt: z.number().default(0),
  /** How many were sent. No two digests share a number, whatever the clocks say. */
  digests: z.number(),
  /** Set only where it's about customers who wait: when the thread says that nobody has taken one. */
  remindMinutes: z.number().optional(),
  pausedReason: z.string().optional(),
  pausedSince: z.number().default(0),
  /** Any change raises it. */
  version: z.number(),
}).transform(({ number, filter: filters, pausedReason: reason, pausedSince: since, ...row }) => ({
  ...row,
  id: String(number),
  filters,
  /** Set while the channel can't be posted to: Slack's code for why, and since when. */
  paused: reason === undefined ? undefined : { reason, since },
}));

/** A channel's summaries of the workspace's sessions, its digest of them all, or word of customers who wait for help. */
export type Subscription = Readonly<z.infer<typeof SubscriptionRow>>;

export type Content = Pick<Subscription, 'filters' | 'form'> &
  Partial<Pick<Subscription, 'schedule' | 'remindMinutes'>>;
export type NewSubscription = Content &
  Pick<Subscription, 'workspaceId' | 'channelId' | 'setUpBy' | 'setUpAt'>;

/** A channel can have several for summaries, and one of each other kind. */
export function kindOf({ schedule, remindMinutes }: Pick<Content, 'schedule' | 'remindMinutes'>) {
  if (remindMinutes !== undefined) return 'waits';
  return schedule === undefined ? 'summaries' : 'digest';
}

export const isDirect = (channelId: string) => channelId.startsWith('D');

const sorted = (list: readonly string[]) => [...new Set(list)].toSorted();

function comparable({ agents, groups, tags, minSeconds = 0 }: Filters): string {
  return JSON.stringify([
    sorted(agents),
    sorted(groups.map(({ id }) => id)),
    sorted(tags.map((tag) => tag.toLowerCase())),
    minSeconds,
  ]);
}

export const areSameFilters = (one: Filters, other: Filters): boolean =>
  comparable(one) === comparable(other);

const NAMES = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const;

export const weekdayName = (weekday: number): string => NAMES[weekday - 1] ?? '';

/** Undefined for a word that isn't a day; three letters are enough. */
export function weekdayNamed(word: string): number | undefined {
  const wanted = word.toLowerCase();
  if (wanted.length < 3) return undefined;
  const index = NAMES.findIndex((name) => name.toLowerCase().startsWith(wanted));
  return index === -1 ? undefined : index + 1;
}

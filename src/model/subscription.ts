import { z } from 'zod';
import { Schedule } from './schedule.ts';
import type { ScheduleRequest } from './schedule.ts';

/** How a subscribed channel is told of a session: everything, the main facts, or those with the rest in their thread. */
export const FORMS = ['full', 'short', 'thread'] as const;
export type SummaryForm = (typeof FORMS)[number];

/**
 * Which sessions: those by one of the people or groups, with one of the tags, and no shorter than that. A list that is
 * empty leaves nothing out.
 */
export const Filters = z.object({
  /** Users who pressed Watch. */
  agents: z.array(z.string()),
  /** User groups one of which the user who pressed Watch is in; the handle, without "@", where it was given. */
  groups: z.array(z.object({ id: z.string(), handle: z.string().optional() })),
  /** Of the visitor. */
  tags: z.array(z.string()),
  minSeconds: z.number().optional(),
});
export type Filters = z.infer<typeof Filters>;

/** What somebody asks for; without a channel the one they are in is meant. */
export interface SubscriptionRequest {
  readonly channelId: string | undefined;
  readonly filters: Filters;
  readonly form: SummaryForm;
}

/** A digest that somebody asks for, or its end. */
export interface DigestRequest {
  readonly channelId: string | undefined;
  readonly schedule: ScheduleRequest | 'off';
}

/** Summaries of a workspace's sessions for one channel, or a digest of all of them. */
export const Subscription = z.object({
  /** A number within the workspace, from 1 on; never used again. */
  id: z.string().regex(/^[1-9]\d{0,5}$/),
  workspaceId: z.string(),
  /** A direct message with the app counts as one. */
  channelId: z.string(),
  filters: Filters,
  form: z.enum(FORMS),
  /** Set on a digest: when it comes. */
  schedule: Schedule.optional(),
  /** Of a digest: the end of the last period that was seen to, milliseconds since 1970. */
  doneUntil: z.number().optional(),
  setUpBy: z.string(),
  /** Milliseconds since 1970. */
  setUpAt: z.number(),
  /** Set while its channel takes no posts: Slack's code for why, and since when. */
  paused: z.object({ reason: z.string(), since: z.number() }).optional(),
  /** What whoever set it up is still to be told. */
  owes: z.enum(['paused', 'resumed']).optional(),
  /** A word that set out to them: until then nobody else tells it, and later it is looked for first. */
  telling: z
    .object({ word: z.enum(['paused', 'resumed']), id: z.string(), since: z.number(), until: z.number() })
    .optional(),
});
export type Subscription = z.infer<typeof Subscription>;

/** Whether a channel is somebody's direct messages with the app: Slack's ids of those begin so. */
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

/** Whether two filters let the same sessions pass. */
export function areSameFilters(one: Filters, other: Filters): boolean {
  return comparable(one) === comparable(other);
}

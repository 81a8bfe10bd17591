import type { Database } from '../database/database.ts';
import { count, spokenLine } from '../messages/text.ts';
import { createOverview } from '../outbox/overview.ts';
import { isChannel } from '../permissions/slack-ids.ts';
import { whatToDo, whyPaused } from '../subscriptions/pause-messages.ts';
import { isSeenWithoutPost } from '../subscriptions/pauses.ts';
import type { ChannelState } from '../permissions/permissions.ts';
import type { Subscription } from '../subscriptions/subscription.ts';
import type { Check } from './doctor.ts';
import type { Finding } from './findings.ts';

/** What the database says about subscriptions. */
export interface KnownSubscriptions {
  readonly found: readonly Pick<Subscription, 'id' | 'channelId' | 'setUpBy' | 'paused'>[];
  /** How many have rows that can't be read. */
  readonly damaged: number;
}

export interface ChannelCheckParts {
  /** The channel in the settings. */
  readonly summaryChannel: string | undefined;
  /** Undefined if the database can't be opened. */
  readonly subscriptions: () => Promise<KnownSubscriptions | undefined>;
  readonly stateOf: (channelId: string) => Promise<ChannelState>;
  /** Whether the reader of the findings may know about a channel. @param setUpBy who set up what it gets */
  readonly mayKnow: (channelId: string, setUpBy: readonly string[]) => Promise<boolean>;
}

type Found = KnownSubscriptions['found'][number];
type Diagnosis = Pick<Finding, 'state' | 'says' | 'next'>;

const CHANNEL = 'Channel';
const INVITE = 'Type /invite @Co-browse there.';

function diagnosisOf(state: ChannelState): Diagnosis {
  switch (state) {
    case 'member':
      return { state: 'ok', says: 'The app is in this channel.' };
    case 'not-member':
      return { state: 'failure', says: 'The app isn’t in this channel.', next: INVITE };
    case 'not-found':
      return {
        state: 'failure',
        says: 'The app can’t see this channel: it’s private, or its ID is wrong.',
        next: INVITE,
      };
    case 'archived':
      return {
        state: 'failure',
        says: 'This channel is archived.',
        next: 'Unarchive it, or send the summaries elsewhere.',
      };
    case 'unknown':
      return {
        state: 'warning',
        says: 'The app couldn’t ask Slack about this channel.',
        next: 'Try again in a minute.',
      };
  }
}

const RESUME = 'To try again, press Resume in /cobrowse subscriptions.';

/** About a paused subscription whose channel looks fine. */
function pauseDiagnosis({ id, channelId, paused }: Found): Diagnosis {
  const reason = paused?.reason ?? 'unknown';
  if (isChannel(channelId) && isSeenWithoutPost(reason)) {
    return {
      state: 'warning',
      says: `Subscription ${id} is paused, but the cause is fixed.`,
      next: RESUME,
    };
  }
  const [why, todo] = [whyPaused(reason), whatToDo(reason, channelId)].map(spokenLine);
  return {
    state: 'failure',
    says: `Subscription ${id} is paused: ${why}.`,
    next: `${todo} ${RESUME}`,
  };
}

/** The findings about a channel, with the pauses of its subscriptions. */
function diagnosesOf(state: ChannelState, here: readonly Found[]): readonly Diagnosis[] {
  const diagnosis = diagnosisOf(state);
  const paused = here.filter((one) => one.paused !== undefined);
  if (paused.length === 0) return [diagnosis];
  if (state === 'member') return paused.map(pauseDiagnosis);
  const numbers = paused.map(({ id }) => id).join(', ');
  return [
    {
      ...diagnosis,
      state: 'failure',
      says: `${diagnosis.says} Paused because of it: ${paused.length === 1 ? 'subscription' : 'subscriptions'} ${numbers}.`,
    },
  ];
}

function hidden(diagnosis: Diagnosis, here: readonly Found[]): Finding {
  const about = 'Private channel you aren’t in';
  const [first] = here;
  if (diagnosis.state === 'ok') return { about, ...diagnosis };
  const next =
    first === undefined
      ? 'It’s the summary channel, from the Home tab or SUMMARY_CHANNEL. Ask whoever set it.'
      : `Ask whoever set it up: subscription ${first.id} in /cobrowse subscriptions.`;
  return { about, ...diagnosis, next };
}

function damage(damaged: number): readonly Finding[] {
  if (damaged === 0) return [];
  return [
    {
      about: 'Subscriptions',
      state: 'failure',
      says: `${count(damaged, 'subscription record')} can’t be read, so nothing is sent for ${damaged === 1 ? 'it' : 'them'}.`,
      next: 'Update the app: a newer version may have written it.',
    },
  ];
}

/** Whether summaries will arrive in the channels they're meant for. */
export function channelsCheck(parts: ChannelCheckParts): Check {
  const { summaryChannel, subscriptions, stateOf, mayKnow } = parts;

  async function look(channelId: string, here: readonly Found[]): Promise<readonly Finding[]> {
    const [state, isKnown] = await Promise.all([
      stateOf(channelId),
      mayKnow(
        channelId,
        here.map(({ setUpBy }) => setUpBy),
      ),
    ]);
    return diagnosesOf(state, here).map((diagnosis) =>
      isKnown ? { about: CHANNEL, channelId, ...diagnosis } : hidden(diagnosis, here),
    );
  }

  return {
    about: CHANNEL,
    async run() {
      const known = await subscriptions();
      const found = known?.found ?? [];
      const own = summaryChannel === undefined ? [] : [summaryChannel];
      const ids = new Set([...own, ...found.map(({ channelId }) => channelId).filter(isChannel)]);
      const looks = [...ids].map((id) =>
        look(
          id,
          found.filter(({ channelId }) => channelId === id),
        ),
      );
      const seen = (await Promise.all(looks)).flat();
      const direct = found
        .filter(({ channelId, paused }) => !isChannel(channelId) && paused !== undefined)
        .map((one): Finding => ({ about: 'Direct messages', ...pauseDiagnosis(one) }));
      const all = [...damage(known?.damaged ?? 0), ...seen, ...direct];
      if (all.length > 0 || known === undefined) return all;
      return [{ about: CHANNEL, state: 'ok', says: 'No channel has a subscription.' }];
    },
  };
}

const LATE_AFTER_MS = 60_000;

/** Kinds that nobody has to act on, as their rooms register them: `npm run doctor` runs without those. */
export const NO_LOSS = [
  'card',
  'asked-card',
  'elsewhere',
  'notice',
  'update',
  'owner',
  'online',
  'ask',
  'channel-ask',
  'channel-ask-change',
  'untaken',
  'unasked',
  'follow-up',
  'webhook-notice',
];

/**
 * How many deliveries have waited for more than a minute, and how many failed. Read from the database alone, so it
 * works while no app is running.
 *
 * @param workspaceId only this workspace; all if not given
 */
export async function readUndelivered(
  database: Pick<Database, 'read'>,
  now: () => number,
  workspaceId?: string,
): Promise<{ readonly late: number; readonly failed: number }> {
  const overview = createOverview({ database, noLoss: () => NO_LOSS, paceMs: 0, now });
  const late = await overview.waitingSince(now() - LATE_AFTER_MS, workspaceId);
  return { late, failed: (await overview.inTrouble(workspaceId)).failed };
}

/** Summaries and digests that aren't delivered. */
export interface Undelivered {
  /** How many have waited for more than a minute. */
  readonly late: number;
  /** How many have failed and can still be retried. */
  readonly failed: number;
}

function deliveriesFinding({ late, failed }: Undelivered): Finding {
  if (late === 0 && failed === 0) {
    return { about: 'Summaries', state: 'ok', says: 'All summaries delivered.' };
  }
  const lateOnes =
    late === 0 ? [] : [`${count(late, 'summary', 'summaries')} waiting for more than a minute.`];
  const failedOnes =
    failed === 0 ? [] : [`Couldn’t deliver ${count(failed, 'summary', 'summaries')} in the last 30 days.`];
  return {
    about: 'Summaries',
    state: 'warning',
    says: [...lateOnes, ...failedOnes].join(' '),
    next: 'The app’s Home tab shows admins which ones, why, and what to do.',
  };
}

/** Whether summaries are delivered. */
export function deliveriesCheck(undelivered: () => Promise<Undelivered>): Check {
  return {
    about: 'Summaries',
    run: async () => [deliveriesFinding(await undelivered())],
  };
}

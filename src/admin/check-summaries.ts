import type { Database } from '../database/database.ts';
import { count, spokenLine } from '../messages/text.ts';
import { createOverview } from '../outbox/overview.ts';
import { isChannel, type ChannelState } from '../permissions/permissions.ts';
import { whatToDo, whyPaused } from '../subscriptions/pause-messages.ts';
import { isSeenWithoutPost } from '../subscriptions/pauses.ts';
import type { Subscription } from '../subscriptions/subscription.ts';
import { check, failure, ok, warning, type Check, type Found } from './findings.ts';

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

type Known = KnownSubscriptions['found'][number];

const INVITE = 'Type /invite @Co-browse there.';
const STATES: Readonly<Record<ChannelState, Found>> = {
  member: ok('The app is in this channel.'),
  'not-member': failure('The app isn’t in this channel.', INVITE),
  'not-found': failure('The app can’t see this channel: it’s private, or its ID is wrong.', INVITE),
  archived: failure('This channel is archived.', 'Unarchive it, or send the summaries elsewhere.'),
  unknown: warning('The app couldn’t ask Slack about this channel.', 'Try again in a minute.'),
};

/** About a paused subscription whose channel looks fine. */
function pauseFinding({ id, channelId, paused }: Known): Found {
  const resume = 'To try again, press Resume in /cobrowse subscriptions.';
  const reason = paused?.reason ?? 'unknown';
  if (isChannel(channelId) && isSeenWithoutPost(reason))
    return warning(`Subscription ${id} is paused, but the cause is fixed.`, resume);
  const [why, todo] = [whyPaused(reason), whatToDo(reason, channelId)].map(spokenLine);
  return failure(`Subscription ${id} is paused: ${why}.`, `${todo} ${resume}`);
}

function findingsOf(state: ChannelState, here: readonly Known[]): readonly Found[] {
  const found = STATES[state];
  const paused = here.filter((one) => one.paused !== undefined);
  if (paused.length === 0) return [found];
  if (state === 'member') return paused.map(pauseFinding);
  const numbers = paused.map(({ id }) => id).join(', ');
  const which = paused.length === 1 ? 'subscription' : 'subscriptions';
  return [{ ...found, state: 'failure', says: `${found.says} Paused because of it: ${which} ${numbers}.` }];
}

function hidden(found: Found, [first]: readonly Known[]): Found {
  const about = 'Private channel you aren’t in';
  if (found.state === 'ok') return { ...found, about };
  const next =
    first === undefined
      ? 'It’s the summary channel, from the Home tab or SUMMARY_CHANNEL. Ask whoever set it.'
      : `Ask whoever set it up: subscription ${first.id} in /cobrowse subscriptions.`;
  return { ...found, about, next };
}

const damage = (damaged: number): Found => ({
  about: 'Subscriptions',
  state: 'failure',
  says: `${count(damaged, 'subscription record')} can’t be read, so nothing is sent for ${damaged === 1 ? 'it' : 'them'}.`,
  next: 'Update the app: a newer version may have written it.',
});

/** Whether summaries will arrive in the channels they're meant for. */
export function channelsCheck(parts: ChannelCheckParts): Check {
  const { summaryChannel, subscriptions, stateOf, mayKnow } = parts;

  async function look(channelId: string, here: readonly Known[]): Promise<readonly Found[]> {
    const owners = here.map(({ setUpBy }) => setUpBy);
    const [state, isKnown] = await Promise.all([stateOf(channelId), mayKnow(channelId, owners)]);
    return findingsOf(state, here).map((found) => (isKnown ? { ...found, channelId } : hidden(found, here)));
  }

  return check('Channel', async () => {
    const known = await subscriptions();
    const { found, damaged } = known ?? { found: [], damaged: 0 };
    const byChannel = Map.groupBy(found, ({ channelId }) => channelId);
    const ids = new Set([...(summaryChannel === undefined ? [] : [summaryChannel]), ...byChannel.keys()]);
    const looks = [...ids].filter(isChannel).map((id) => look(id, byChannel.get(id) ?? []));
    const direct = found.filter(({ channelId, paused }) => !isChannel(channelId) && paused !== undefined);
    const all = [
      ...(damaged === 0 ? [] : [damage(damaged)]),
      ...(await Promise.all(looks)).flat(),
      ...direct.map((one) => ({ ...pauseFinding(one), about: 'Direct messages' })),
    ];
    return all.length > 0 || known === undefined ? all : ok('No channel has a subscription.');
  });
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
  'wait',
  'wait-reminder',
  'unasked',
  'follow-up',
  'webhook-notice',
];

export interface Undelivered {
  /** How many have waited for more than a minute. */
  readonly late: number;
  /** How many have failed and can still be retried. */
  readonly failed: number;
}

/** Reads the database alone, so it works while no app is running. @param workspaceId all workspaces if not given */
export async function readUndelivered(
  database: Pick<Database, 'read'>,
  now: () => number,
  workspaceId?: string,
): Promise<Undelivered> {
  const overview = createOverview({ database, noLoss: () => NO_LOSS, paceMs: 0, now });
  const late = await overview.waitingSince(now() - LATE_AFTER_MS, workspaceId);
  return { late, failed: (await overview.inTrouble(workspaceId)).failed };
}

export const deliveriesCheck = (undelivered: () => Promise<Undelivered>): Check =>
  check('Summaries', async () => {
    const { late, failed } = await undelivered();
    if (late + failed === 0) return ok('All summaries delivered.');
    const says = [
      late > 0 && `${count(late, 'summary', 'summaries')} waiting for more than a minute.`,
      failed > 0 && `Couldn’t deliver ${count(failed, 'summary', 'summaries')} in the last 30 days.`,
    ].filter((words) => words !== false);
    return warning(says.join(' '), 'The app’s Home tab shows admins which ones, why, and what to do.');
  });

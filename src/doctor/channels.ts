import { isChannel } from '../grants/slack-ids.ts';
import type { Subscription } from '../grants/subscription.ts';
import type { Finding } from '../views/findings.ts';
import { spokenLine } from '../views/rich-text.ts';
import { whatToDo, whyNoPosts } from '../views/subscription-words.ts';
import type { Check } from './examine.ts';

/** Whether the app may post in a channel. */
export type ChannelState = 'member' | 'not-member' | 'archived' | 'not-found' | 'unknown';

/** What the store tells of subscriptions. */
export interface KnownSubscriptions {
  readonly found: readonly Pick<Subscription, 'id' | 'channelId' | 'setUpBy' | 'paused'>[];
  /** How many there are whose records cannot be read. */
  readonly damaged: number;
}

interface ChannelCheckParts {
  /** The channel of the settings. */
  readonly summaryChannel: string | undefined;
  /** Undefined where the store cannot be opened. */
  readonly subscriptions: () => Promise<KnownSubscriptions | undefined>;
  readonly stateOf: (channelId: string) => Promise<ChannelState>;
  /** Whether whoever reads the findings may know of a channel. @param setUpBy who set up what it gets */
  readonly mayKnow: (channelId: string, setUpBy: readonly string[]) => Promise<boolean>;
}

type Found = KnownSubscriptions['found'][number];
type Told = Pick<Finding, 'state' | 'says' | 'next'>;

const CHANNEL = 'Channel';
const INVITE = 'Type /invite @Co-browse there.';
/** Reasons of a pause that are over where the app is in a channel that is not archived. */
const OVER_FOR_MEMBERS = new Set(['channel_not_found', 'not_in_channel', 'is_archived', 'channel_deleted']);

function toldOf(state: ChannelState): Told {
  switch (state) {
    case 'member':
      return { state: 'ok', says: 'The app is in it.' };
    case 'not-member':
      return { state: 'failure', says: 'The app is not in it.', next: INVITE };
    case 'not-found':
      return {
        state: 'failure',
        says: 'The app cannot see it: it is private, or its id is not right.',
        next: INVITE,
      };
    case 'archived':
      return {
        state: 'failure',
        says: 'It is archived.',
        next: 'Unarchive it, or send the summaries elsewhere.',
      };
    case 'unknown':
      return { state: 'warning', says: 'Slack could not be asked about it.', next: 'Try again in a minute.' };
  }
}

const RESUME = 'Resume in /cobrowse subscriptions shows whether it takes posts again.';

/** Of what is paused though nothing is seen to be wrong with its place. */
function toldOfPause({ id, channelId, paused }: Found): Told {
  const reason = paused?.reason ?? 'unknown';
  if (isChannel(channelId) && OVER_FOR_MEMBERS.has(reason)) {
    return {
      state: 'warning',
      says: `Subscription ${id} is paused for a reason that is over.`,
      next: RESUME,
    };
  }
  const [why, todo] = [whyNoPosts(reason), whatToDo(reason, channelId)].map(spokenLine);
  return {
    state: 'failure',
    says: `Subscription ${id} is paused: ${why}.`,
    next: `${todo} ${RESUME}`,
  };
}

/** What there is to say of a channel, with the pauses of what it gets. */
function toldTogether(state: ChannelState, here: readonly Found[]): readonly Told[] {
  const told = toldOf(state);
  const paused = here.filter((one) => one.paused !== undefined);
  if (paused.length === 0) return [told];
  if (state === 'member') return paused.map(toldOfPause);
  const numbers = paused.map(({ id }) => id).join(', ');
  return [{ ...told, state: 'failure', says: `${told.says} Paused for it: subscription ${numbers}.` }];
}

function hidden(told: Told, here: readonly Found[]): Finding {
  const about = 'Private channel that you are not in';
  const [first] = here;
  if (told.state === 'ok') return { about, ...told };
  const next =
    first === undefined
      ? 'It is the SUMMARY_CHANNEL of the settings: ask whoever runs the app.'
      : `Ask whoever set it up: number ${first.id} of /cobrowse subscriptions.`;
  return { about, ...told, next };
}

function damage(damaged: number): readonly Finding[] {
  if (damaged === 0) return [];
  return [
    {
      about: 'Subscriptions',
      state: 'failure',
      says: `${damaged} of them cannot be read, so nothing is sent for ${damaged === 1 ? 'it' : 'them'}.`,
      next: 'Restore a copy of the store, or set up once more what /cobrowse subscriptions does not show.',
    },
  ];
}

/** Whether summaries will arrive in the channels that they are meant for. */
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
    return toldTogether(state, here).map((told) =>
      isKnown ? { about: CHANNEL, channelId, ...told } : hidden(told, here),
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
        .map((one): Finding => ({ about: 'Direct messages', ...toldOfPause(one) }));
      const all = [...damage(known?.damaged ?? 0), ...seen, ...direct];
      if (all.length > 0 || known === undefined) return all;
      return [{ about: CHANNEL, state: 'ok', says: 'No channel is set up for all summaries.' }];
    },
  };
}

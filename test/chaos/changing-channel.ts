import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { sql } from '../../src/database/database.ts';
import { buttonsIn } from '../support/person.ts';
import type { Chance } from './chance.ts';
import type { Fate } from './fate.ts';
import type { Plant } from './plants.ts';
import { readStore } from './records.ts';
import { KEEPER, SAM, SUBSCRIBED, type Stage } from './stage.ts';

/*
 * One channel whose subscription is set up, edited, paused, resumed and removed while sessions end. Which of them it gets is
 * certain only for those that end and are taken in while nothing changes.
 */

const CHANNEL = SUBSCRIBED.changing;
const LOOK_EVERY_MS = 100;
/** A form or an answer that was lost is asked for again. */
const AGAIN_AFTER_MS = 4_000;
/** How long nothing changes: on PostgreSQL, where Slack takes its time, a session is rarely summarized in seconds. */
const MOST_UNCHANGED_MS = { file: 4_000, server: 15_000 } as const;
/** A channel gets no sessions from before its subscription, by clocks that may be two minutes apart. */
const CLOCKS_APART_MS = 60_000;

/** What the channel gets meanwhile. */
const WANTED = { active: 'all', edited: 'sams', paused: 'none', removed: 'none' } as const;
type State = keyof typeof WANTED;

/** A while in which nothing changed, by how many calls Slack had got when it began and ended. */
export interface While {
  readonly state: State;
  readonly from: number;
  readonly until: number;
}

/** Whether the channel gets this session. */
export const isWantedIn = ({ state }: While, { userId }: Fate): boolean =>
  WANTED[state] === 'all' || (WANTED[state] === 'sams' && userId === SAM);

const Row = z
  .object({
    number: z.number(),
    set_up_at: z.number(),
    filter: z.string(),
    paused_reason: z.string().nullable(),
  })
  .transform(({ number, set_up_at: setUpAt, filter, paused_reason: reason }) => ({
    id: String(number),
    setUpAt,
    isEdited: filter.includes(SAM),
    // Any other pause ends with the next post that works, so such a subscription is still tried.
    isPaused: reason === 'not_in_channel' || reason === 'channel_not_found',
  }));
type Subscription = z.output<typeof Row>;

/** The channel's subscription. Rejects where the store is held or cut off just now. */
async function subscriptionIn(stage: Stage): Promise<Subscription | undefined> {
  const [found] = await readStore(
    stage,
    sql`SELECT number, set_up_at, filter, paused_reason FROM subscriptions
      WHERE workspace_id = ${stage.workspaceId} AND channel_id = ${CHANNEL}`,
    Row,
  );
  return found;
}

export interface Changes {
  /** Lets the change under way come to its end; the while after it lasts as long as the run. */
  stop(): Promise<void>;
  readonly whiles: () => readonly While[];
}

/** Changes the subscription again and again, in calm weather never. Where that is planted, it is paused, and yet gets posts. */
export async function startChanges(
  stage: Stage,
  chance: Chance,
  isCalm: boolean,
  plants: readonly Plant[],
): Promise<Changes> {
  const { slack, time, store } = stage;
  const whiles: While[] = [];
  const over = new AbortController();

  const type = (words: string) =>
    time.slowly(() => slack.command({ as: KEEPER, channel: CHANNEL, text: `/cobrowse ${words}` }));

  /** Does something, again where it came to nothing, until the app has it on disk. */
  async function until(
    isSo: (now: Subscription | undefined) => boolean,
    act: (now: Subscription | undefined) => Promise<unknown>,
  ): Promise<void> {
    for (let triedAt = -Infinity; ;) {
      const read = await subscriptionIn(stage).then(
        (now) => ({ now }),
        () => undefined,
      );
      if (read !== undefined && isSo(read.now)) return;
      if (read !== undefined && performance.now() > triedAt + AGAIN_AFTER_MS) {
        triedAt = performance.now();
        await act(read.now);
      }
      await pause(LOOK_EVERY_MS);
    }
  }

  const within = <T>(look: () => T | undefined): Promise<T | undefined> =>
    time.slowly(async () => {
      for (const giveUpAt = performance.now() + AGAIN_AFTER_MS; performance.now() < giveUpAt;) {
        const seen = look();
        if (seen !== undefined) return seen;
        await pause(LOOK_EVERY_MS);
      }
      return undefined;
    });

  /** As a person edits it: from the list, in the form. */
  async function edit(now: Subscription | undefined): Promise<void> {
    const before = new Set(slack.snapshot(KEEPER).messages.map(({ ts }) => ts));
    await type('subscriptions');
    const button = await within(() => {
      for (const { ts, blocks } of slack.snapshot(KEEPER).messages) {
        const found = buttonsIn(blocks).find(
          ({ action_id: action, value }) => action === 'edit_subscription' && value === now?.id,
        );
        if (found !== undefined && !before.has(ts)) return { ts, blockId: found.block_id };
      }
      return undefined;
    });
    if (button === undefined) return;
    await slack.press({
      as: KEEPER,
      source: { type: 'message', channel: CHANNEL, ts: button.ts },
      block_id: button.blockId,
      action_id: 'edit_subscription',
    });
    const form = await within(() => slack.snapshot(KEEPER).views.find(({ submit }) => submit !== undefined));
    if (form !== undefined) {
      const people = { type: 'multi_users_select', selected_users: [SAM] };
      const state = { people: { value: people } };
      await slack.submit({ as: KEEPER, view_id: form.id, state });
    }
    for (const { id } of slack.snapshot(KEEPER).views.toReversed())
      await slack.closeView({ as: KEEPER, view_id: id });
  }

  /** Both again where the app was told, and was killed before it did something about it: Slack tells of a change once. */
  async function putApp(isThere: boolean): Promise<void> {
    slack.changeChannel(CHANNEL, { hasApp: !isThere });
    slack.changeChannel(CHANNEL, { hasApp: isThere });
  }

  const remove = () =>
    until(
      (now) => now === undefined,
      () => type('unsubscribe'),
    );

  const resume = () =>
    until(
      (now) => now?.isPaused === false,
      () => putApp(true),
    );

  async function setUp(): Promise<void> {
    for (;;) {
      let made: Subscription | undefined;
      await until(
        (now) => (made = now) !== undefined,
        () => {
          // Where the app heard of both in the wrong order, its subscription looked active while it was out.
          slack.changeChannel(CHANNEL, { hasApp: true });
          return type('subscribe all');
        },
      );
      // By a clock that was wrong: nothing from before would come.
      if (made === undefined || made.setUpAt <= time.now() + CLOCKS_APART_MS) return;
      await remove();
    }
  }

  const TRANSITIONS: Readonly<Record<State, () => Promise<void>>> = {
    active: setUp,
    edited: () => until((now) => now?.isEdited === true, edit),
    paused: () =>
      until(
        (now) => now?.isPaused === true,
        () => putApp(false),
      ),
    async removed() {
      await resume();
      await remove();
    },
  };

  async function become(state: State): Promise<void> {
    const last = whiles.pop();
    if (last !== undefined) whiles.push({ ...last, until: slack.calls.length });
    await TRANSITIONS[state]();
    whiles.push({ state, from: slack.calls.length, until: Infinity });
  }

  async function change(): Promise<void> {
    for (;;) {
      for (const state of ['edited', 'paused', 'removed', 'active'] as const) {
        await pause(chance.whole(500, MOST_UNCHANGED_MS[store.kind]), undefined, {
          signal: over.signal,
        }).catch(() => undefined);
        if (over.signal.aborted) return;
        await become(state);
      }
    }
  }

  await become('active');
  if (plants.includes('paused-gets-posts')) {
    await become('paused');
    // The app hears that it is back, and rightly posts there; the run takes it to be paused still.
    await resume();
  }
  const changing = isCalm ? Promise.resolve() : change();
  return {
    async stop() {
      over.abort();
      await changing;
    },
    whiles: () => whiles,
  };
}

import { setTimeout as pause } from 'node:timers/promises';
import type { Share } from '../../sandbox/slack/misbehaviors.ts';
import type { Chance } from './chance.ts';
import type { Stage } from './stage.ts';

const MINUTE = 60_000;
/** By the machine's clock, which leases last by on PostgreSQL: longer than theirs, see LEASE_MS in src/outbox/channels.ts. */
const PAUSED_MS = 33_000;
/** Long enough that an hour may pass meanwhile, and the address is paused. */
const RECEIVER_AWAY_MS = 15_000;
export const POSTING = ['chat.postMessage', 'chat.update'] as const;
/** Everything else that the app asks of Slack. */
export const OTHERS = [
  'auth.test',
  'chat.postEphemeral',
  'conversations.history',
  'conversations.info',
  'conversations.members',
  'conversations.open',
  'conversations.replies',
  'files.completeUploadExternal',
  'files.getUploadURLExternal',
  'response_url',
  'upload',
  'usergroups.users.list',
  'users.info',
  'users.lookupByEmail',
  'views.open',
  'views.publish',
  'views.update',
] as const;

/** What Slack does wrong on any day. */
export const USUAL: readonly Share[] = [
  { how: 'lose-answer', share: 0.02 },
  { how: { status: 500 }, share: 0.02 },
  { how: { retryAfter: 30 }, share: 0.01 },
  { how: 'hang', share: 0.005 },
  { how: { slowMs: 300 }, share: 0.05 },
];
const STORM: readonly Share[] = [
  { how: 'lose-answer', share: 0.15 },
  { how: { status: 500 }, share: 0.2 },
  { how: { retryAfter: 300 }, share: 0.15 },
  { how: { retryAfter: 20 }, share: 0.2 },
  { how: 'hang', share: 0.05 },
  { how: 'internal_error', share: 0.1 },
  { how: 'restricted_action', share: 0.04 },
];

/** As STORM, but for what only a post can be told. */
const OTHERS_STORM: readonly Share[] = STORM.filter(({ how }) => how !== 'restricted_action');

/** One thing that goes wrong, and is right again when it resolves. */
export interface Fault {
  /** How often, in proportion to the others. */
  readonly weight: number;
  /** Goes on beside what goes wrong next. */
  readonly isLong?: boolean;
  /** @param over aborted when all is to be well again */
  readonly befall: (stage: Stage, chance: Chance, over: AbortSignal) => Promise<void>;
}
export type Faults = Readonly<Record<string, Fault>>;

/** Waits so long, or until it's over. */
const lasting = (ms: number, over: AbortSignal): Promise<void> =>
  pause(ms, undefined, { signal: over }).catch(() => undefined);

async function kill({ app }: Stage, chance: Chance): Promise<void> {
  await app.kill();
  // Twice in a row: while it starts, or just after.
  while (chance.happens(0.3)) {
    await pause(chance.whole(0, 700));
    await app.kill();
  }
}

async function slackStorm({ misbehave }: Stage, chance: Chance): Promise<void> {
  misbehave(POSTING, STORM);
  await pause(chance.whole(300, 1_500));
  misbehave(POSTING, USUAL);
}

async function otherMethodsStorm({ misbehave }: Stage, chance: Chance): Promise<void> {
  misbehave(OTHERS, OTHERS_STORM);
  await pause(chance.whole(300, 1_500));
  misbehave(OTHERS, USUAL);
}

async function serviceDown({ service }: Stage, chance: Chance): Promise<void> {
  service.misbehave({ fail: { with: chance.pick([503, 500, 'hang-up', 'nonsense'] as const) } });
  await pause(chance.whole(200, 1_500));
  service.misbehave({});
}

async function storeLocked({ app, store }: Stage, chance: Chance): Promise<void> {
  await store.hold(async () => {
    await pause(chance.whole(100, 3_000));
    // What was answered and not written is gone.
    if (chance.happens(0.3)) await app.killAll();
  });
}

async function clockJumps({ app }: Stage, chance: Chance): Promise<void> {
  const minutes = chance.whole(1, 10) * (chance.happens(0.5) ? 1 : -1);
  app.skew(minutes * MINUTE);
  await pause(chance.whole(200, 1_000));
  app.skew(0);
}

/** What can befall the app wherever it keeps things. */
export const FAULTS: Faults = {
  kill: { befall: kill, weight: 5 },
  'slack storm': { befall: slackStorm, weight: 4 },
  'storm over the rest of slack': { befall: otherMethodsStorm, weight: 3 },
  'service down': { befall: serviceDown, weight: 2 },
  'store locked': { befall: storeLocked, weight: 2 },
  'clock jumps': { befall: clockJumps, weight: 2 },
  'webhook receiver away': {
    weight: 1,
    isLong: true,
    befall: ({ receiver }, chance, over) =>
      receiver.away(() => lasting(chance.whole(300, RECEIVER_AWAY_MS), over)),
  },
  // As when a machine sleeps: what was under way is an hour old at once.
  'hour passes': { befall: async ({ app }) => app.leap(60 * MINUTE), weight: 0.5 },
};

/** What can befall one of several processes. */
export const FLEET_FAULTS: Faults = {
  'process paused': {
    weight: 1,
    isLong: true,
    async befall({ app }, _, over) {
      const goOn = app.pause();
      await lasting(PAUSED_MS, over);
      goOn();
    },
  },
  'rolling restart': { befall: ({ app }) => app.restart(), weight: 1 },
};

import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Share } from '../../sandbox/slack/misbehaviours.ts';
import type { Chance } from './chance.ts';
import { cutConnections } from './server-store.ts';
import type { Stage } from './stage.ts';

const run = promisify(execFile);
const MINUTE = 60_000;
const POSTING = ['chat.postMessage', 'chat.update'] as const;
/** Everything else that the app asks of Slack. */
const OTHERS = [
  'auth.test',
  'chat.delete',
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
const USUAL: readonly Share[] = [
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
type Fault = (stage: Stage, chance: Chance) => Promise<void>;

async function kill({ app }: Stage, chance: Chance): Promise<void> {
  await app.kill();
  // Twice in a row: while it starts, or just after.
  while (chance.happens(0.3)) {
    await pause(chance.whole(0, 700));
    await app.kill();
  }
}

async function slackStorm({ slack }: Stage, chance: Chance): Promise<void> {
  for (const method of POSTING) slack.failShares(method, STORM);
  await pause(chance.whole(300, 1_500));
  for (const method of POSTING) slack.failShares(method, USUAL);
}

async function otherMethodsStorm({ slack }: Stage, chance: Chance): Promise<void> {
  for (const method of OTHERS) slack.failShares(method, OTHERS_STORM);
  await pause(chance.whole(300, 1_500));
  for (const method of OTHERS) slack.failShares(method, USUAL);
}

async function serviceDown({ service }: Stage, chance: Chance): Promise<void> {
  service.misbehave({ fail: { with: chance.pick([503, 500, 'hang-up', 'nonsense'] as const) } });
  await pause(chance.whole(200, 1_500));
  service.misbehave({});
}

async function storeLocked({ app, holdStore }: Stage, chance: Chance): Promise<void> {
  await holdStore(async () => {
    await pause(chance.whole(100, 3_000));
    // What was answered and not written is gone.
    if (chance.happens(0.3)) await app.killAll();
  });
}

/** No file of the process may grow: writes fail as on a full disk. */
async function diskFull({ app, storePath = '' }: Stage, chance: Chance): Promise<void> {
  const pid = String(app.pid());
  const limit = (bytes: string) => run('prlimit', ['--pid', pid, `--fsize=${bytes}:unlimited`]);
  const { size } = await stat(`${storePath}-wal`).catch(() => ({ size: 4_096 }));
  try {
    await limit(String(size));
    await pause(chance.whole(200, 1_500));
    await limit('unlimited');
  } catch {
    // Killed meanwhile: the next process has no limit.
  }
}

/** As when the server is started again, perhaps several times in a row. */
async function serverRestarts({ storeUrl }: Stage, chance: Chance): Promise<void> {
  do {
    await cutConnections(storeUrl);
    await pause(chance.whole(0, 200));
  } while (chance.happens(0.7));
}

async function clockJumps({ app }: Stage, chance: Chance): Promise<void> {
  const minutes = chance.whole(1, 10) * (chance.happens(0.5) ? 1 : -1);
  app.skew(minutes * MINUTE);
  await pause(chance.whole(200, 1_000));
  app.skew(0);
}

/** As when a machine sleeps: what was under way is an hour old at once. */
async function hourPasses({ app }: Stage): Promise<void> {
  app.leap(60 * MINUTE);
}

interface Weather {
  readonly fault: Fault;
  readonly weight: number;
}

const FAULTS: Readonly<Record<string, Weather>> = {
  kill: { fault: kill, weight: 5 },
  'slack storm': { fault: slackStorm, weight: 4 },
  'storm over the rest of slack': { fault: otherMethodsStorm, weight: 3 },
  'service down': { fault: serviceDown, weight: 2 },
  'store locked': { fault: storeLocked, weight: 2 },
  'disk full': { fault: diskFull, weight: 2 },
  'server restarts': { fault: serverRestarts, weight: 2 },
  'clock jumps': { fault: clockJumps, weight: 2 },
  'hour passes': { fault: hourPasses, weight: 0.5 },
};

function pickFault(known: readonly (readonly [string, Weather])[], chance: Chance) {
  let number = chance.next() * known.reduce((sum, [, { weight }]) => sum + weight, 0);
  for (const entry of known) {
    number -= entry[1].weight;
    if (number < 0) return entry;
  }
  return chance.pick(known);
}

export interface BadWeather {
  /** How often each thing went wrong. */
  readonly counts: ReadonlyMap<string, number>;
  /** What cannot be done on this machine, and why. */
  readonly leftOut: readonly string[];
  /** From now on all is well. */
  stop(): Promise<void>;
}

/** Lets one thing after another go wrong. */
export async function startWeather(stage: Stage, chance: Chance): Promise<BadWeather> {
  const hasLimits = await run('prlimit', ['--version']).then(
    () => true,
    () => false,
  );
  const { storePath } = stage;
  const known = Object.entries(FAULTS).filter(([name]) =>
    storePath === undefined
      ? name !== 'disk full'
      : name !== 'server restarts' && (hasLimits || name !== 'disk full'),
  );
  const leftOut = [
    ...(hasLimits ? [] : ['disk full: there is no prlimit to limit the size of files']),
    ...(storePath === undefined ? ['disk full: the store is no file of this machine'] : []),
  ];
  const methods = [...POSTING, ...OTHERS];
  const counts = new Map<string, number>();
  const over = new AbortController();
  for (const method of methods) stage.slack.failShares(method, USUAL);

  async function blow(): Promise<void> {
    while (!over.signal.aborted) {
      await pause(chance.whole(200, 1_500));
      const [name, { fault }] = pickFault(known, chance);
      counts.set(name, (counts.get(name) ?? 0) + 1);
      await fault(stage, chance);
    }
  }
  const blowing = blow();
  return {
    counts,
    leftOut,
    async stop() {
      over.abort();
      await blowing;
      for (const method of methods) {
        stage.slack.failShares(method, []);
        stage.slack.fail(method, 'hang', 0);
      }
    },
  };
}

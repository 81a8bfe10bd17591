import { createChance } from './chance.ts';

const SECOND = 1_000;
const HOUR = 60 * 60 * SECOND;

/** One copy of a webhook: how late it comes, by the clock of the app. */
interface Copy {
  readonly lateMs: number;
}

/** What will happen to one session, decided before the run: only races are left to the machine. */
export interface Fate {
  readonly number: number;
  /** The number of its workspace. */
  readonly workspace: number;
  readonly visitorId: string;
  readonly userId: string;
  /** Undefined: pressed where the app is not; the summary goes to the agent. */
  readonly channelId: string | undefined;
  readonly inThread: boolean;
  /** Whether the session ends, and the service tells so, before the press was answered with the link. */
  readonly endsBeforeRedirect: boolean;
  /** How long the agent looks, by the clock of the machine. */
  readonly lastsMs: number;
  /** None: the service never tells. */
  readonly webhooks: readonly Copy[];
  /** Whether the service sends again what was not answered with 200. */
  readonly sentAgain: boolean;
  /** The service lists the session no more once a webhook of it was answered with 200: what was promised must come by itself. */
  readonly isHidden: boolean;
  /** Nor from its end on: only a webhook brings it. */
  readonly isUnlisted: boolean;
  /** Whether the app is killed as soon as it has answered the first webhook with 200. */
  readonly killsAtOnce: boolean;
}

interface FateOptions {
  /** The share of the hidden sessions whose first acknowledgement is the app's last word. */
  readonly killShare: number;
  readonly users: readonly string[];
  readonly channels: readonly string[];
  readonly workspaces: number;
}

/** Whether asking for the ends of sessions finds none in the run of this seed. Then each has a webhook, again until it's taken. */
export const isWithoutAsking = (seed: number): boolean => createChance(seed, 'asking').happens(0.25);

/** The fates of all sessions of a run. */
export function fatesOf(
  seed: number,
  sessions: number,
  { users, channels, killShare, workspaces }: FateOptions,
): readonly Fate[] {
  const isUnlisted = isWithoutAsking(seed);
  return Array.from({ length: sessions }, (_, number) => {
    const chance = createChance(seed, `session ${number}`);
    const userId = chance.pick(users);
    const channelId = chance.happens(0.9) ? chance.pick(channels) : undefined;
    const dropped = chance.happens(0.05) && !isUnlisted;
    const copies = chance.happens(0.2) ? chance.whole(2, 4) : 1;
    const lateMs = () => {
      if (chance.happens(0.04)) return HOUR + chance.whole(0, 600) * SECOND;
      return chance.happens(0.5) ? 0 : chance.whole(0, 60) * SECOND;
    };
    const isHidden = isUnlisted || number % 2 === 0;
    return {
      number,
      visitorId: `visitor${String(number).padStart(5, '0')}`,
      userId,
      channelId,
      inThread: channelId !== undefined && chance.happens(0.3),
      lastsMs: chance.whole(0, 400),
      endsBeforeRedirect: chance.happens(0.04),
      webhooks: dropped ? [] : Array.from({ length: copies }, () => ({ lateMs: lateMs() })),
      sentAgain: chance.happens(0.95) || isUnlisted,
      isHidden,
      isUnlisted,
      killsAtOnce: number % 2 === 0 && chance.happens(killShare),
      workspace: chance.whole(0, workspaces - 1),
    };
  });
}

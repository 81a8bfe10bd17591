import { RightUnknownError } from '../grants/acts.ts';
import type { Actor, MayAct } from '../grants/acts.ts';
import type { PressRefusal } from '../grants/press-refusal.ts';
import type { Audit } from '../audit/audit.ts';

interface JudgeParts {
  readonly mayAct: MayAct;
  readonly audit: Pick<Audit, 'record'>;
  /** Told where Slack could not be asked. */
  readonly report: (error: unknown) => void;
}

/** Somebody who wants a link, and whose screen it is for, where it is for a visitor's. */
export interface Wish extends Actor {
  readonly visitorId?: string;
}

/** Whether somebody may be given a link now. A refusal is on record when the promise resolves. */
export interface Judge {
  /** Undefined: they may. Without Slack's word nobody may. */
  watch(wish: Wish): Promise<PressRefusal | undefined>;
  /** Writes down a refusal that needed no question. */
  refuse(wish: Wish, why: PressRefusal): Promise<PressRefusal>;
}

export function createJudge({ mayAct, audit, report }: JudgeParts): Judge {
  async function refuse(wish: Wish, why: PressRefusal): Promise<PressRefusal> {
    const { workspaceId, userId, channelId, visitorId } = wish;
    await audit.record({
      workspaceId,
      userId,
      action: 'refusal',
      outcome: why,
      ...(channelId === undefined ? {} : { channelId }),
      ...(visitorId === undefined ? {} : { visitorId }),
      detail: { act: 'watch' },
    });
    return why;
  }

  async function reasonAgainst({ workspaceId, userId, channelId }: Wish): Promise<PressRefusal | undefined> {
    try {
      const verdict = await mayAct('watch', { workspaceId, userId, channelId });
      return verdict.allowed ? undefined : verdict.why;
    } catch (error) {
      if (!(error instanceof RightUnknownError)) throw error;
      report(error);
      return 'unchecked';
    }
  }

  return {
    refuse,
    async watch(wish) {
      const why = await reasonAgainst(wish);
      return why === undefined ? undefined : refuse(wish, why);
    },
  };
}

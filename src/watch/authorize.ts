import { RightUnknownError } from '../permissions/acts.ts';
import type { Actor, MayAct } from '../permissions/acts.ts';
import { lacking } from '../links/press-refusal.ts';
import type { PressRefusal } from '../links/press-refusal.ts';
import type { Audit } from '../audit/audit.ts';

interface AuthorizerParts {
  readonly mayAct: MayAct;
  readonly audit: Pick<Audit, 'record'>;
  /** Called where Slack couldn't be asked. */
  readonly report: (error: unknown) => void;
}

/** Who wants a link, and to which visitor's screen. A proxy link has no visitor. */
export interface Asker extends Actor {
  readonly visitorId?: string;
}

/** Whether somebody may have a link now. A refusal is on record when the promise resolves. */
export interface Authorizer {
  /** Undefined where they may. Without an answer from Slack they may not. */
  watch(asker: Asker): Promise<PressRefusal | undefined>;
  /** Records a refusal that needs no question to Slack. */
  refuse(asker: Asker, why: PressRefusal): Promise<PressRefusal>;
}

export function createAuthorizer({ mayAct, audit, report }: AuthorizerParts): Authorizer {
  async function refuse(asker: Asker, why: PressRefusal): Promise<PressRefusal> {
    const { workspaceId, userId, channelId, visitorId } = asker;
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

  async function reasonAgainst({ workspaceId, userId, channelId }: Asker): Promise<PressRefusal | undefined> {
    try {
      const verdict = await mayAct('watch', { workspaceId, userId, channelId });
      return verdict.allowed ? undefined : verdict.why;
    } catch (error) {
      if (!(error instanceof RightUnknownError)) throw error;
      report(error);
      return lacking(error.missingScope);
    }
  }

  return {
    refuse,
    async watch(asker) {
      const why = await reasonAgainst(asker);
      return why === undefined ? undefined : refuse(asker, why);
    },
  };
}

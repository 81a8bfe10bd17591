import { RightUnknownError } from '../permissions/acts.ts';
import type { Actor, MayAct } from '../permissions/acts.ts';
import { lacking } from '../links/press-refusal.ts';
import type { PressRefusal } from '../links/press-refusal.ts';
import type { Audit } from '../audit/audit.ts';

interface AuthorizerParts {
  readonly mayAct: MayAct;
  readonly audit: Pick<Audit, 'record'>;
  /** Told where Slack could not be asked. */
  readonly report: (error: unknown) => void;
}

/** Somebody who wants a link, and whose screen it is for, where it is for a visitor's. */
export interface Asker extends Actor {
  readonly visitorId?: string;
}

/** Whether somebody may be given a link now. A refusal is on record when the promise resolves. */
export interface Authorizer {
  /** Undefined: they may. Without Slack's word nobody may. */
  watch(asker: Asker): Promise<PressRefusal | undefined>;
  /** Writes down a refusal that needed no question. */
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

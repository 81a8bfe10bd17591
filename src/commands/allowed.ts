import type { Act, Refusal, Verdict } from '../permissions/acts.ts';
import { asking } from '../permissions/asking.ts';
import type { Message } from '../views/message.ts';
import { refused } from '../views/refusals.ts';
import type { VisitorTools } from '../views/visitor-buttons.ts';
import type { Caller } from './caller.ts';
import type { Uses } from './services.ts';

interface Recorded {
  readonly caller: Caller;
  readonly services: Uses<'record'>;
}

/** Writes a refusal into the audit. @param act what was refused, @param why both in words of ours */
export function recordRefusal(act: string, why: string, { caller, services }: Recorded): Promise<void> {
  const { workspaceId, userId, channelId } = caller;
  const where = channelId === undefined ? {} : { channelId };
  return services.record({ workspaceId, userId, ...where, action: 'refusal', outcome: why, detail: { act } });
}

/** Asks who may. Where Slack cannot be asked nobody may: that is a refusal, too, before it goes on as a RightUnknownError. */
export function asked<Answer>(act: string, recorded: Recorded, ask: () => Promise<Answer>): Promise<Answer> {
  return asking(ask, (why) => recordRefusal(act, why, recorded));
}

async function refuse(act: Act, why: Refusal, recorded: Recorded): Promise<Message> {
  await recordRefusal(act, why, recorded);
  return refused(act, why);
}

/** Does it where the caller may, now; else says who may. Rejects with a RightUnknownError where Slack cannot be asked. */
export async function ifAllowed<Done>(
  act: Act,
  { caller, services }: { readonly caller: Caller; readonly services: Uses<'mayAct' | 'record'> },
  work: () => Promise<Done>,
): Promise<Done | Message> {
  const verdict = await asked(act, { caller, services }, () => services.mayAct(act, caller));
  return verdict.allowed ? work() : refuse(act, verdict.why, { caller, services });
}

interface Asking extends Recorded {
  readonly services: Uses<'mayAct' | 'record'>;
}

const askWatch = ({ caller, services }: Asking): Promise<Verdict> =>
  asked('watch', { caller, services }, () => services.mayAct('watch', caller));

/**
 * Whether the caller may be shown customers, for what goes on without them. Who may not is no refusal, and not on record.
 */
export async function mayLook(who: Asking): Promise<boolean> {
  const verdict = await askWatch(who);
  return verdict.allowed || verdict.why === 'not-named';
}

/**
 * Shows customers to those who may watch them, and to the other members of the workspace without the button; to nobody
 * else. The service is not asked before it is known.
 */
export async function ifMayLook(
  {
    caller,
    services,
  }: { readonly caller: Caller; readonly services: Uses<'mayAct' | 'record' | 'visitorTools'> },
  look: (tools: VisitorTools) => Promise<Message>,
): Promise<Message> {
  const verdict = await askWatch({ caller, services });
  if (verdict.allowed) return look(await services.visitorTools(caller));
  if (verdict.why !== 'not-named') return refuse('watch', verdict.why, { caller, services });
  return look({ ...(await services.visitorTools(caller)), mayNotWatch: verdict.why });
}

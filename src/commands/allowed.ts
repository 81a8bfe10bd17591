import type { Act, Refusal, Verdict } from '../permissions/acts.ts';
import { asking } from '../permissions/asking.ts';
import type { Message } from '../messages/message.ts';
import { refused } from '../messages/refusals.ts';
import type { VisitorTools } from '../messages/visitor-buttons.ts';
import type { Caller } from './caller.ts';
import type { Uses } from '../services.ts';

interface Recorded {
  readonly caller: Caller;
  readonly services: Uses<'record'>;
}

/** Writes a refusal into the audit. @param act what was refused, in our words, like `why` */
export function recordRefusal(act: string, why: string, { caller, services }: Recorded): Promise<void> {
  const { workspaceId, userId, channelId } = caller;
  const where = channelId === undefined ? {} : { channelId };
  return services.record({ workspaceId, userId, ...where, action: 'refusal', outcome: why, detail: { act } });
}

/** Checks a permission. If Slack can't be asked, nobody has it: that is recorded as a refusal and rejects with a RightUnknownError. */
export function asked<Answer>(act: string, recorded: Recorded, ask: () => Promise<Answer>): Promise<Answer> {
  return asking(ask, (why) => recordRefusal(act, why, recorded));
}

async function refuse(act: Act, why: Refusal, recorded: Recorded): Promise<Message> {
  await recordRefusal(act, why, recorded);
  return refused(act, why);
}

/** Does the work if the caller is allowed to; otherwise explains who is. Rejects with a RightUnknownError if Slack can't be asked. */
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
 * Whether the caller can see customers, for work that goes on without them: a "no" isn't recorded as a refusal.
 */
export async function mayLook(who: Asking): Promise<boolean> {
  const verdict = await askWatch(who);
  return verdict.allowed || verdict.why === 'not-named';
}

/**
 * Shows customers to people who can watch, and to the workspace's other members without the button; to nobody else. Checks
 * before it asks the service.
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

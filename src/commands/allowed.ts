import type { Act, Refusal } from '../grants/acts.ts';
import type { Message } from '../views/message.ts';
import { refused } from '../views/refusals.ts';
import type { VisitorTools } from '../views/visitor-buttons.ts';
import type { Caller } from './caller.ts';
import type { Uses } from './services.ts';

async function refuse(
  act: Act,
  why: Refusal,
  { caller, services }: { readonly caller: Caller; readonly services: Uses<'record'> },
): Promise<Message> {
  const { workspaceId, userId, channelId } = caller;
  const where = channelId === undefined ? {} : { channelId };
  await services.record({ workspaceId, userId, ...where, deed: 'refusal', outcome: why, detail: { act } });
  return refused(act, why);
}

/** Does it where the caller may, now; else says who may. Rejects with a RightUnknownError where Slack cannot be asked. */
export async function ifAllowed<Done>(
  act: Act,
  { caller, services }: { readonly caller: Caller; readonly services: Uses<'mayAct' | 'record'> },
  work: () => Promise<Done>,
): Promise<Done | Message> {
  const verdict = await services.mayAct(act, caller);
  return verdict.allowed ? work() : refuse(act, verdict.why, { caller, services });
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
  const verdict = await services.mayAct('watch', caller);
  if (verdict.allowed) return look(await services.visitorTools(caller));
  if (verdict.why !== 'not-named') return refuse('watch', verdict.why, { caller, services });
  return look({ ...(await services.visitorTools(caller)), mayNotWatch: verdict.why });
}

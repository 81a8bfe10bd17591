import { z } from 'zod';
import { Power } from './power.ts';

/** Who was given something, and where what follows belongs. Ids only, all of them Slack's. */
const Holder = z.object({
  workspaceId: z.string(),
  /** The user for whom the button was drawn. */
  userId: z.string(),
  channelId: z.string().optional(),
  /** The `ts` of the message that started it. */
  threadTs: z.string().optional(),
});

/** What a Watch ticket says: who may see which visitor's screen, and with what power. */
export const WatchGrant = Holder.extend({
  visitorId: z.string(),
  power: Power,
  /** Address of the message whose link the session's notes begin with. */
  notes: z.string().optional(),
});
export type WatchGrant = z.infer<typeof WatchGrant>;

/** What a proxy ticket says: the session a customer without the service's script is to be led into. */
export const ProxyGrant = Holder.extend({
  proxy: z.object({ initialUrl: z.string(), allowedDomains: z.array(z.string()) }),
});
export type ProxyGrant = z.infer<typeof ProxyGrant>;

/** What the address of a Watch button may hold. */
export const PressGrant = z.union([WatchGrant, ProxyGrant]);
export type PressGrant = z.infer<typeof PressGrant>;

/** What a session-end ticket says: the grant that a link was made for, with the id of that one link. */
export const SessionEndGrant = WatchGrant.extend({ grantId: z.string() });
export type SessionEndGrant = z.infer<typeof SessionEndGrant>;

import { z } from 'zod';
import { Access } from '../permissions/access.ts';

/** Who was given something, and where what follows belongs. Ids only, all of them Slack's. */
const Holder = z.object({
  workspaceId: z.string(),
  /** The user for whom the button was drawn. */
  userId: z.string(),
  channelId: z.string().optional(),
  /** The `ts` of the message that started it. */
  threadTs: z.string().optional(),
});

/** What a Watch ticket says: who may see which visitor's screen, and with what access. */
export const WatchRequest = Holder.extend({
  visitorId: z.string(),
  access: Access,
  /** Address of the message whose link the session's notes begin with. */
  notes: z.string().optional(),
});
export type WatchRequest = z.infer<typeof WatchRequest>;

/** What a proxy ticket says: the session a customer without the service's script is to be led into. */
export const ProxyRequest = Holder.extend({
  proxy: z.object({ initialUrl: z.string(), allowedDomains: z.array(z.string()) }),
});
export type ProxyRequest = z.infer<typeof ProxyRequest>;

/** What the address of a Watch button may hold. */
export const LinkRequest = z.union([WatchRequest, ProxyRequest]);
export type LinkRequest = z.infer<typeof LinkRequest>;

/** What a session-end ticket says: the link that a link was made for, with the id of that one link. */
export const IssuedLink = WatchRequest.extend({ linkId: z.string() });
export type IssuedLink = z.infer<typeof IssuedLink>;

import { createHash } from 'node:crypto';
import { z } from 'zod';
import { Access } from '../permissions/permissions.ts';

/** Who was given something, and where what follows belongs. Ids only, all of them Slack's. */
const Holder = z.object({
  workspaceId: z.string(),
  /** Of a workspace that installed the app: after all of it was removed it's another one. */
  installId: z.string().optional(),
  /** The user for whom the button was drawn. */
  userId: z.string(),
  channelId: z.string().optional(),
  /** The `ts` of the message that started it. */
  threadTs: z.string().optional(),
  /** Where it was asked for, if another channel was chosen for what follows; empty if in no channel. */
  askedIn: z.string().optional(),
});

/** What a Watch ticket says: who may see which visitor's screen, and with what access. */
export const WatchRequest = Holder.extend({
  visitorId: z.string(),
  access: Access,
  /** Address of the message whose link the session's notes begin with. */
  notes: z.string().optional(),
  /** Address of the helpdesk's ticket that it's about, without query string and fragment. */
  ticketUrl: z.string().optional(),
  /** A colleague asked them to look: they join without a question, whether or not they're in the session's channel. */
  isAsked: z.literal(true).optional(),
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

/** What the press of a Watch button asks for. */
export const WatchPress = WatchRequest.pick({ visitorId: true, access: true });
export type WatchPress = z.infer<typeof WatchPress>;

/** What the press of a proxy button asks for. */
export const ProxyPress = ProxyRequest.pick({ proxy: true });
export type ProxyPress = z.infer<typeof ProxyPress>;

export type LinkPress = WatchPress | ProxyPress;

/** Where the rest of the session belongs, for a button that is elsewhere, such as in a direct message. */
const Place = WatchRequest.pick({
  channelId: true,
  threadTs: true,
  askedIn: true,
  notes: true,
  ticketUrl: true,
  isAsked: true,
});
export type Place = z.infer<typeof Place>;

/** What a button that leads to a link says: what for, and for whom it was drawn. Nobody else's press counts. */
export interface Drawn<Press extends LinkPress = LinkPress> {
  readonly press: Press;
  /** Slack's user id. */
  readonly for: string;
  /** Where it is not given, what follows belongs where the button is. */
  readonly place?: Place;
}

/** The value of a Watch button, once it is JSON no more. A list, since a menu's option has room for 75 characters. */
export const DrawnWatch = z
  .tuple([z.string().min(1), Access, z.string().min(1), Place.optional()])
  .transform(([visitorId, access, forUser, place]): Drawn<WatchPress> => ({
    press: { visitorId, access },
    for: forUser,
    place,
  }));

/** The value of a proxy button, once it is JSON no more. */
export const DrawnProxy = z
  .object({ proxy: ProxyPress.shape.proxy, for: z.string(), place: Place.optional() })
  .transform(({ proxy, ...drawn }): Drawn<ProxyPress> => ({ press: { proxy }, ...drawn }));

/** What a button's `value` is to hold, to be read again by {@link DrawnWatch} or {@link DrawnProxy}. */
export function valueOf({ press, for: forUser, place }: Drawn): string {
  if ('proxy' in press) return JSON.stringify({ proxy: press.proxy, for: forUser, place });
  const list = [press.visitorId, press.access, forUser];
  return JSON.stringify(place === undefined ? list : [...list, place]);
}

/** A button, by what it asks for. */
export interface ButtonKey {
  readonly workspaceId: string;
  readonly key: string;
}

/**
 * What a button asks for, for whom and where it belongs: the same for its press and for its ticket, and for no other
 * button. Without the channel, a press where one is would count for a button drawn in a channel that one has left.
 */
export function buttonOf(request: LinkRequest): ButtonKey {
  const { workspaceId, userId, channelId = '' } = request;
  const what =
    'proxy' in request
      ? ['proxy', request.proxy.initialUrl, ...request.proxy.allowedDomains]
      : ['watch', request.visitorId, request.access];
  const whole = JSON.stringify([workspaceId, userId, channelId, what]);
  return { workspaceId, key: createHash('sha256').update(whole).digest('base64url').slice(0, 32) };
}

/** How this app learns that a session ended: from the service's webhook, by asking from time to time, or not at all. */
export type EndSource = 'webhook' | 'lookup' | 'never';

/** How the session of a link ended. */
export interface LinkEnd {
  /** Milliseconds since 1970. */
  readonly endedAt: number;
  readonly lengthSeconds?: number;
  /** Whether the customer accepted; undefined where the service didn't say. */
  readonly accepted?: boolean;
}

/**
 * What is concluded about a link whose end is unknown: `unused` where the service lists no session for it,
 * `unknown` where that cannot be said. An end that comes after all takes its place.
 */
export interface Conclusion {
  readonly concluded: 'unused' | 'unknown';
  readonly at: number;
}

/** What became of a link. One without any is still open. */
export type LinkResult = LinkEnd | Conclusion;

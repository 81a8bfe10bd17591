import { createHash } from 'node:crypto';
import { z } from 'zod';
import { Access } from '../permissions/permissions.ts';

/** Who was given something, and where what follows belongs. The ids are Slack's. */
const Holder = z.object({
  workspaceId: z.string(),
  /** A new one after everything of a workspace was removed and it installs the app again. */
  installId: z.string().optional(),
  userId: z.string(),
  channelId: z.string().optional(),
  /** The `ts` of the message that started it. */
  threadTs: z.string().optional(),
  /** Set if another channel was chosen for what follows; empty if it was asked in none. */
  askedIn: z.string().optional(),
});

/** What a Watch ticket says: who may see which visitor's screen, and with what access. */
export const WatchRequest = Holder.extend({
  visitorId: z.string(),
  access: Access,
  /** Address of the message that the session's notes begin with. */
  notes: z.string().optional(),
  /** Without query string and fragment, unless they say which ticket it is. */
  ticketUrl: z.string().optional(),
  /** A colleague asked them to look: they join without a question, even outside the session's channel. */
  isAsked: z.literal(true).optional(),
});
export type WatchRequest = z.infer<typeof WatchRequest>;

/** The session that a customer without the service's script is led into. */
export const ProxyRequest = Holder.extend({
  proxy: z.object({ initialUrl: z.string(), allowedDomains: z.array(z.string()) }),
});
export type ProxyRequest = z.infer<typeof ProxyRequest>;

export const LinkRequest = z.union([WatchRequest, ProxyRequest]);
export type LinkRequest = z.infer<typeof LinkRequest>;

/** What a session-end ticket says: for which link it is. */
export const IssuedLink = WatchRequest.extend({ linkId: z.string() });
export type IssuedLink = z.infer<typeof IssuedLink>;

export type WatchPress = Pick<WatchRequest, 'visitorId' | 'access'>;
export type ProxyPress = Pick<ProxyRequest, 'proxy'>;
export type LinkPress = WatchPress | ProxyPress;

const Place = WatchRequest.pick({
  channelId: true,
  threadTs: true,
  askedIn: true,
  notes: true,
  ticketUrl: true,
  isAsked: true,
});
export type Place = z.infer<typeof Place>;

/** What a button that leads to a link says. Only a press of the user it was drawn for counts. */
export interface Drawn<Press extends LinkPress = LinkPress> {
  readonly press: Press;
  readonly for: string;
  /** Default: where the button is. */
  readonly place?: Place;
}

/** A Watch button's value. A list, since a menu's option has room for 75 characters. */
export const DrawnWatch = z
  .tuple([z.string().min(1), Access, z.string().min(1), Place.optional()])
  .transform(([visitorId, access, forUser, place]): Drawn<WatchPress> => ({
    press: { visitorId, access },
    for: forUser,
    place,
  }));

export const DrawnProxy = z
  .object({ proxy: ProxyRequest.shape.proxy, for: z.string(), place: Place.optional() })
  .transform(({ proxy, ...drawn }): Drawn<ProxyPress> => ({ press: { proxy }, ...drawn }));

/** The `value` that {@link DrawnWatch} or {@link DrawnProxy} reads. */
export function valueOf({ press, for: forUser, place }: Drawn): string {
  if ('proxy' in press) return JSON.stringify({ proxy: press.proxy, for: forUser, place });
  const list = [press.visitorId, press.access, forUser];
  return JSON.stringify(place === undefined ? list : [...list, place]);
}

export interface ButtonKey {
  readonly workspaceId: string;
  readonly key: string;
}

/**
 * The same for a button's press and its ticket, and for no other button. Without the channel, a press elsewhere would count for
 * a button drawn in a channel that one has left.
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

/** From the service's webhook, by asking from time to time, or not at all. */
export type EndSource = 'webhook' | 'lookup' | 'never';

export interface LinkEnd {
  /** Milliseconds since 1970. */
  readonly endedAt: number;
  readonly lengthSeconds?: number;
  /** Undefined where the service didn't say. */
  readonly accepted?: boolean;
}

/** `unused` where the service lists no session, `unknown` where that can't be said. An end that comes after all replaces it. */
export interface Conclusion {
  readonly concluded: 'unused' | 'unknown';
  readonly at: number;
}

export type LinkResult = LinkEnd | Conclusion;

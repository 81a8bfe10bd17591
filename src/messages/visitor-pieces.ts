import type { CobrowseClient } from '../cobrowse/client.ts';
import { type Visitor, wasAccepted } from '../cobrowse/schemas.ts';
import { LIMITS, bold, date, short, type Line } from './text.ts';
import { context, type Part } from './message.ts';

/** What a visitor is called: the first identity, else the nickname, else the email; undefined if there's none. */
export function knownName(visitor: Visitor): string | undefined {
  for (const candidate of [visitor.identities[0], visitor.nickname, visitor.email]) {
    const name = short(candidate ?? '');
    if (name !== '') return name;
  }
  return undefined;
}

/** The same, or else the id. */
export function visitorName(visitor: Visitor): string {
  return knownName(visitor) ?? `Visitor ${short(visitor.short_id, 40)}`;
}

/** The name, and the email unless it is the name. */
export function whoLine(visitor: Visitor): Line {
  const name = visitorName(visitor);
  const email = short(visitor.email ?? '');
  return email === '' || email === name ? [bold(name)] : [bold(name), ' · ', email];
}

/**
 * The page the visitor is on, by its path, or by a name people know: never its query string or fragment, which may hold
 * secrets.
 */
export function pageOf(visitor: Visitor): string | undefined {
  const path = pathOf(visitor.last_url ?? '');
  return path === '/' ? 'Home page' : path;
}

/** Only the path of a web address. */
export function pathOf(address: string): string | undefined {
  const url = URL.parse(address);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) return undefined;
  return short(readable(url.pathname), 80);
}

function readable(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

export function placeOf(visitor: Visitor): string | undefined {
  return joined([visitor.location_city, visitor.location_country_name ?? visitor.location_country], ', ');
}

export function deviceOf(visitor: Visitor): string | undefined {
  return joined([visitor.browser_name, visitor.device_name ?? visitor.device_type], ' on ');
}

/** Who is with a visitor through this app, or is on it where the visitor waits. */
export interface Partner {
  /** In words: "you", "Alex Rivera and Sam Lee". */
  readonly names: string;
  /** Whether they only asked: the visitor hasn't accepted yet. */
  readonly isAsking: boolean;
}

/** By the visitor's id. */
export type SessionPartners = ReadonlyMap<string, Partner>;

export const PRESENCE_UNKNOWN = 'Presence unknown';

/** What a visitor is doing, in a word or two, with a mark if someone may have to act. */
export interface VisitorState {
  readonly words: string;
  readonly mark?: string;
}

/** Whether the visitor asked for help and nobody is with them yet. */
export function isWaiting({
  is_waiting_for_call: isWaitingForCall,
  is_in_session: isInSession,
}: Visitor): boolean {
  return isWaitingForCall === true && isInSession !== true;
}

function waitingWords(holder: string | undefined): string {
  if (holder === undefined) return 'Waiting for help';
  return `Waiting for help · ${holder === 'you' ? 'you’re' : `${holder} is`} on it`;
}

/** Whether a visitor in a session is still asked, as far as the service lists the sessions. */
export function isAsked({ is_in_session: isInSession, sessions }: Visitor): boolean {
  const running = sessions.filter(({ ended_at: endedAt }) => endedAt === undefined);
  const isOpen = running.length > 0 && running.every((session) => wasAccepted(session) === false);
  return isInSession === true && isOpen;
}

function askedWords(who: string | undefined): string {
  if (who === undefined) return 'Asked to show the screen';
  return `${who.startsWith('you') ? `Y${who.slice(1)}` : who} asked to see the screen`;
}

/** As lists are ordered. */
export const PRESENCES = ['online', 'unknown', 'offline'] as const;

/** Whether somebody only asked to see the screen, as far as this app or the service knows. */
const hasOnlyBeenAsked = (visitor: Visitor, partner?: Partial<Partner>) =>
  visitor.is_in_session === true && (partner?.isAsking ?? isAsked(visitor));

/** Whether the visitor is here. Who waits or accepted a session is, whatever else the service says. */
export function presenceOf(visitor: Visitor, partner?: Partner): (typeof PRESENCES)[number] {
  const isWithSomebody = visitor.is_in_session === true && !hasOnlyBeenAsked(visitor, partner);
  if (visitor.is_online === true || isWithSomebody || isWaiting(visitor)) return 'online';
  return visitor.is_online === false ? 'offline' : 'unknown';
}

/** @param partner who is in the session or on it, where this app knows */
export function visitorState(visitor: Visitor, partner: Partial<Partner> = {}): VisitorState {
  const { names } = partner;
  if (hasOnlyBeenAsked(visitor, partner)) return { words: askedWords(names) };
  if (visitor.is_in_session === true)
    return { words: names === undefined ? 'In session' : `In session with ${names}`, mark: '🎧' };
  if (isWaiting(visitor)) return { words: waitingWords(names), mark: '⏳' };
  if (visitor.is_online === true) return { words: 'Online' };
  return { words: visitor.is_online === false ? 'Offline' : PRESENCE_UNKNOWN };
}

/** When a visitor was last seen; undefined for someone who is here now, and if it isn't known. */
export function lastSeen(visitor: Visitor, partner?: Partner): Date | undefined {
  const at = new Date(visitor.last_seen_at ?? Number.NaN);
  return presenceOf(visitor, partner) === 'online' || Number.isNaN(at.getTime()) ? undefined : at;
}

/** The state, and when an absent visitor was last seen. */
export function presence(visitor: Visitor, partner?: Partner): Line {
  const { words } = visitorState(visitor, partner);
  const at = lastSeen(visitor, partner);
  return at === undefined ? [words] : [`${words} · Last seen: `, date(at)];
}

function joined(parts: readonly (string | null | undefined)[], separator: string): string | undefined {
  const shown = parts.map((part) => short(part ?? '', 60)).filter((part) => part !== '');
  return shown.length === 0 ? undefined : shown.join(separator);
}

/** Whether people from other organizations can read a place; `unknown` counts as yes. */
export type Shared = boolean | 'unknown';

/** Whether people from other organizations can read a channel, or a person's direct messages. Never rejects. */
export type IsShared = (workspaceId: string, place: string) => Promise<Shared>;

/** How a visitor is shown in a place. `isCut`: personal details are left out. */
export interface ShownVisitor {
  readonly visitor: string;
  readonly isCut: Shared;
}

/** A visitor as a place can show it: by name, or by id alone if people from other organizations can read it. */
export type ShowVisitor = (
  workspaceId: string,
  visitorId: string,
  place: string | undefined,
) => Promise<ShownVisitor>;

type VisitorOf = Pick<CobrowseClient, 'visitor'>;

/** Undefined where they can't be looked up: what is said of them is said all the same. */
export const visitorIfKnown = (
  cobrowseOf: (workspaceId: string) => Promise<VisitorOf>,
  workspaceId: string,
  visitorId: string,
): Promise<Visitor | undefined> =>
  cobrowseOf(workspaceId)
    .then((cobrowse) => cobrowse.visitor(visitorId))
    .catch(() => undefined);

export function createShowVisitor(
  workspaceOf: (workspaceId: string) => Promise<{ readonly cobrowse: VisitorOf }>,
  isShared: IsShared,
): ShowVisitor {
  const cobrowseOf = async (workspaceId: string) => (await workspaceOf(workspaceId)).cobrowse;
  return async function showVisitor(workspaceId, visitorId, place) {
    const known = await visitorIfKnown(cobrowseOf, workspaceId, visitorId);
    // Asked last: the service may be slow, and the channel could become shared in the meantime.
    const isCut = place === undefined ? 'unknown' : await isShared(workspaceId, place);
    return { visitor: known === undefined || isCut !== false ? visitorId : visitorName(known), isCut };
  };
}

/** Says that personal details are left out, so that nobody takes them for unknown. */
export function cutWords(isCut: Shared): readonly Part[] {
  if (isCut === 'unknown')
    return [context('Personal details are left out: Slack didn’t say whether this channel is shared.')];
  return isCut ? [context('Shared channel: personal details are left out.')] : [];
}

/** What a visitor in a session is doing: whether they accepted may not be known. */
function inSession(isOnlyAsked: boolean | undefined): string {
  if (isOnlyAsked === undefined) return 'asked or in session';
  return isOnlyAsked ? 'asked' : 'in session';
}

function choice(visitor: Visitor, isOnlyAsked: boolean | undefined) {
  const name = visitorName(visitor);
  const email = short(visitor.email ?? '', 40);
  const words =
    visitor.is_in_session === true ? inSession(isOnlyAsked) : visitorState(visitor).words.toLowerCase();
  const state = words === PRESENCE_UNKNOWN.toLowerCase() ? '' : ` (${words})`;
  const who = email === '' || email === name ? name : `${short(name, 30)}, ${email}`;
  return { text: `${short(who, LIMITS.optionText - state.length)}${state}`, value: visitor.short_id };
}

/** A visitor as an option of a select: name, email, and presence if known. */
export const visitorChoice = (visitor: Visitor) =>
  choice(visitor, visitor.sessions.length === 0 ? undefined : isAsked(visitor));

/** The same below a list, which says of those in a session what it knows of who is with them. */
export const listedChoice = (visitor: Visitor, partner: Partner | undefined) =>
  choice(visitor, partner?.isAsking ?? isAsked(visitor));

import type { ActionsBlockElement, Button, Overflow } from '@slack/types';
import type { CobrowseClient } from '../cobrowse/client.ts';
import { wasAccepted, type Visitor } from '../cobrowse/schemas.ts';
import { bold, code, date, given, LIMITS, plain, say, short, type Line } from './text.ts';
import { button, buttons, context, lines, message, type Message, type Part } from './message.ts';
import type { Refusal, Access } from '../permissions/permissions.ts';
import { ACTION, OPEN_RECORD } from './action-ids.ts';
import { accessWords, ticketLine } from './session-words.ts';

/** What a visitor is called: the first identity, else the nickname, else the email; undefined if there's none. */
export const knownName = ({ identities, nickname, email }: Visitor): string | undefined =>
  [identities[0], nickname, email].map((name) => short(name ?? '')).find(Boolean);

/** The same, or else the id. */
export const visitorName = (visitor: Visitor): string =>
  knownName(visitor) ?? `Visitor ${short(visitor.short_id, 40)}`;

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

const joined = (parts: readonly (string | undefined)[], separator: string): string | undefined =>
  parts
    .map((part) => short(part ?? '', 60))
    .filter(Boolean)
    .join(separator) || undefined;

export const placeOf = (visitor: Visitor): string | undefined =>
  joined([visitor.location_city, visitor.location_country_name ?? visitor.location_country], ', ');

export const deviceOf = (visitor: Visitor): string | undefined =>
  joined([visitor.browser_name, visitor.device_name ?? visitor.device_type], ' on ');

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
export const isWaiting = (visitor: Visitor): boolean =>
  visitor.is_waiting_for_call === true && visitor.is_in_session !== true;

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

/** Undefined for someone who is here now, and if it isn't known. */
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

/** Whether people from other organizations can read a place; `unknown` counts as yes. */
export type Shared = boolean | 'unknown';

/** Whether people from other organizations can read a channel, or a person's direct messages. Never rejects. */
export type IsShared = (workspaceId: string, place: string) => Promise<Shared>;

/** How a visitor is shown in a place. `isCut`: personal details are left out. */
export interface ShownVisitor {
  readonly visitor: string;
  readonly isCut: Shared;
  /** Undefined where personal details are left out, or where they couldn't be looked up. */
  readonly known?: Visitor;
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
    return known === undefined || isCut !== false
      ? { visitor: visitorId, isCut }
      : { visitor: visitorName(known), isCut, known };
  };
}

/** Says that personal details are left out, so that nobody takes them for unknown. */
export function cutWords(isCut: Shared): readonly Part[] {
  if (isCut === 'unknown')
    return [context('Personal details are left out: Slack didn’t say whether this channel is shared.')];
  return isCut ? [context('Shared channel: personal details are left out.')] : [];
}

/** @param isOnlyAsked whether a visitor in a session has yet to accept; undefined where that isn't known */
function choice(visitor: Visitor, isOnlyAsked: boolean | undefined) {
  const name = visitorName(visitor);
  const email = short(visitor.email ?? '', 40);
  const inSession = isOnlyAsked === undefined ? 'asked or in session' : isOnlyAsked ? 'asked' : 'in session';
  const { words } = visitorState(visitor);
  const said = visitor.is_in_session === true ? inSession : words.toLowerCase();
  const state = words === PRESENCE_UNKNOWN ? '' : ` (${said})`;
  const who = email === '' || email === name ? name : `${short(name, 30)}, ${email}`;
  return { text: `${short(who, LIMITS.optionText - state.length)}${state}`, value: visitor.short_id };
}

/** A visitor as an option of a select: name, email, and presence if known. */
export const visitorChoice = (visitor: Visitor) =>
  choice(visitor, visitor.sessions.length === 0 ? undefined : isAsked(visitor));

/** The same below a list, which says of those in a session what it knows of who is with them. */
export const listedChoice = (visitor: Visitor, partner: Partner | undefined) =>
  choice(visitor, partner?.isAsking ?? isAsked(visitor));

/** Where a Watch button leads: an address that makes the link when opened, or a press that is answered with one. */
export interface WatchTarget {
  readonly url?: string;
  readonly value: string;
  /** Whether the link comes as an answer in Slack, for readers whose Slack doesn't report presses of buttons with addresses. */
  readonly isAnswered?: true;
}

/** The ways to watch one visitor: Watch with the default access, and the choices beside it. */
export interface WatchTargets {
  readonly usual: WatchTarget;
  readonly choices: readonly { readonly access: Access; readonly target: WatchTarget }[];
}

/** What one caller can do with visitors. */
export interface VisitorTools {
  readonly targetsOf: (visitorId: string) => WatchTargets;
  /** Whether the service can stop sessions at all: its on-premise API can't. */
  readonly canStop: boolean;
  /** Why the caller can't watch, if they can't. */
  readonly mayNotWatch?: Refusal;
  /** Whether they're shown in a channel that can be asked to look. */
  readonly canAskChannel?: boolean;
  /** Whether they're shown in a channel that the app isn't in, so that no summary can come there. */
  readonly isAppMissing?: boolean;
  /** When the visitors were asked for. */
  readonly at: Date;
  readonly partners?: SessionPartners;
  /** The ticket that sessions begun from here are about. */
  readonly ticketUrl?: string;
  /** Where a visitor's records are in other systems, for one reader. */
  readonly recordsOf?: (visitor: Visitor) => readonly RecordLink[];
}

/** A customer's record in another system. */
export interface RecordLink {
  readonly name: string;
  readonly url: string;
}

/** A link button for each of a customer's records. */
export const recordButtons = (name: string, records: readonly RecordLink[] = []): Part =>
  buttons(
    ...records.map((record, index) =>
      button({
        text: record.name,
        actionId: OPEN_RECORD[index] ?? '',
        value: 'open',
        label: `${record.name}: open the record of ${name}`,
        url: record.url,
      }),
    ),
  );

/** @param name the visitor's  @param style primary where it's what the message is for */
export const watchButton = (
  name: string,
  { isAnswered, ...target }: WatchTarget,
  style?: 'primary',
): Button =>
  button({
    text: 'Watch',
    actionId: isAnswered ? ACTION.watchHere : ACTION.watch,
    label: `Watch the screen of ${name}`,
    style,
    ...target,
  });

/** "Watch with...": empty if there is no choice, or if the visitor's id is too long for an option. */
function watchMenu({ usual, choices }: WatchTargets): readonly Overflow[] {
  const fits = choices.every(({ target }) => target.value.length <= LIMITS.optionValue);
  if (choices.length < 2 || !fits) return [];
  const options = choices.map(({ access, target: { url, value } }) => ({
    text: plain(`Watch: ${accessWords(access)}`),
    value,
    url,
  }));
  const actionId = usual.isAnswered ? ACTION.watchHereWith : ACTION.watchWith;
  return [{ type: 'overflow', action_id: actionId, options }];
}

/** Watch, and the menu of lower access levels beside it, for people who can watch. */
export function watchElements(visitor: Visitor, tools: VisitorTools): readonly ActionsBlockElement[] {
  if (tools.mayNotWatch !== undefined) return [];
  const targets = tools.targetsOf(visitor.short_id);
  const style = presenceOf(visitor, partnerOf(tools, visitor)) === 'offline' ? undefined : 'primary';
  return [watchButton(visitorName(visitor), targets.usual, style), ...watchMenu(targets)];
}

/** The value of a button that takes a ticket along: a visitor's id or what was searched for, and the ticket's link. */
export const withTicket = (about: string, ticketUrl: string | undefined): string =>
  ticketUrl === undefined ? about : `${about} ${ticketUrl}`;

export const detailsButton = (visitor: Visitor, ticketUrl?: string): Button =>
  button({
    text: 'Details',
    actionId: ACTION.visitor,
    value: withTicket(visitor.short_id, ticketUrl),
    label: `Details of ${visitorName(visitor)}`,
  });

/** What a visitor's buttons and words go by. */
const partnerOf = ({ partners }: Pick<VisitorTools, 'partners'>, { short_id }: Visitor) =>
  partners?.get(short_id);

/** Tells colleagues that the reader is helping; pressed again, that they aren't. @param holder who is, if anyone */
export function onItButton(visitor: Visitor, holder?: string): Button {
  const text = holder === 'you' ? 'I’m not on it' : 'I’m on it';
  const label = `${text}: ${visitorName(visitor)}`;
  return button({ text, actionId: ACTION.onIt, value: visitor.short_id, label });
}

/** For people who can watch, beside a visitor who waits and whom nobody else has taken. */
export function onItElements(visitor: Visitor, tools: VisitorTools): readonly ActionsBlockElement[] {
  const holder = partnerOf(tools, visitor)?.names;
  const isFree = holder === undefined || holder === 'you';
  return tools.mayNotWatch === undefined && isWaiting(visitor) && isFree ? [onItButton(visitor, holder)] : [];
}

/** @param linkId the link whose card it's on; undefined elsewhere */
export const askButton = (visitorId: string, name: string, linkId?: string): Button =>
  button({
    text: 'Ask a colleague',
    actionId: ACTION.askColleague,
    value: JSON.stringify(given([visitorId, linkId])),
    label: `Ask a colleague to look at ${name}’s screen`,
  });

/** The same for whoever is in the channel where it's pressed. */
export const askChannelButton = (visitorId: string, name: string, linkId?: string): Button =>
  button({
    text: 'Ask this channel',
    actionId: ACTION.askChannel,
    value: JSON.stringify(given([visitorId, linkId])),
    label: `Ask this channel to look at ${name}’s screen`,
  });

/** For people who can watch, beside somebody who has a screen to look at. */
export function askElements(visitor: Visitor, tools: VisitorTools): readonly ActionsBlockElement[] {
  const isHere = presenceOf(visitor, partnerOf(tools, visitor)) !== 'offline';
  if (tools.mayNotWatch !== undefined || !isHere) return [];
  const about = [visitor.short_id, visitorName(visitor)] as const;
  return given([askButton(...about), tools.canAskChannel && askChannelButton(...about)]);
}

/** For people who can watch, before Watch, which needs somebody online. */
export function tellOnlineElements(
  visitor: Visitor,
  tools: Pick<VisitorTools, 'mayNotWatch' | 'partners'>,
): readonly ActionsBlockElement[] {
  if (tools.mayNotWatch !== undefined || presenceOf(visitor, partnerOf(tools, visitor)) !== 'offline')
    return [];
  return [
    button({
      text: 'Tell me when online',
      actionId: ACTION.tellOnline,
      value: visitor.short_id,
      label: `Tell me when online: ${visitorName(visitor)}`,
      style: 'primary',
    }),
  ];
}

/** Leads to a form that asks before it stops. @param name the visitor's */
export const stopButtonFor = (visitorId: string, name: string, text = 'Stop'): Button =>
  button({ text, actionId: ACTION.stop, value: visitorId, label: `Stop session with ${name}` });

/** Red only where a session is known to run. */
export function stopButton(visitor: Visitor, text = 'Stop'): Button {
  const calm = stopButtonFor(visitor.short_id, visitorName(visitor), text);
  return visitor.is_in_session === true ? { ...calm, style: 'danger' } : calm;
}

/** The Stop button, if a session runs and the service can stop it. */
export const stopElements = (visitor: Visitor, { canStop }: VisitorTools): readonly ActionsBlockElement[] =>
  canStop && visitor.is_in_session === true ? [stopButton(visitor)] : [];

const offer = (visitor: Visitor, tools: VisitorTools, words: readonly Line[]): Message =>
  message(
    lines(...words),
    ...noWatchWords(tools.mayNotWatch),
    ...beforeWatching(tools),
    buttons(
      ...tellOnlineElements(visitor, tools),
      ...watchElements(visitor, tools),
      ...stopElements(visitor, tools),
    ),
  );

/** A visitor with the Watch button. @param chosen what was chosen in a form, repeated beside the button */
export const watchOffer = (visitor: Visitor, tools: VisitorTools, chosen: readonly Line[] = []): Message =>
  offer(visitor, tools, [
    [...whoLine(visitor), ' · ', ...presence(visitor, partnerOf(tools, visitor))],
    ...chosen,
  ]);

/** Replaces an expired link. */
export const watchAgain = (visitor: Visitor, tools: VisitorTools): Message =>
  offer(visitor, tools, [whoLine(visitor), ['The link expired. Press Watch for a new one.']]);

/** Opens the form that asks for the customer, the access and where the summary goes. */
export const startButton = (text: string): Button =>
  button({
    text,
    actionId: ACTION.start,
    value: 'start',
    label: 'Start co-browsing with a customer',
    style: 'primary',
  });

/** For people who can watch: which ticket the session will be about, and whether its summary can't come here. */
export function beforeWatching({ ticketUrl, mayNotWatch, isAppMissing }: VisitorTools): readonly Part[] {
  const missing = say`I’m not in this channel, so you’ll get the summary as a message. To have it here, type ${code('/invite @Co-browse')}.`;
  const said = given([...ticketLine(ticketUrl, false), isAppMissing && missing]);
  return mayNotWatch !== undefined || said.length === 0 ? [] : [lines(...said)];
}

/** Shown instead of Watch to somebody who sees visitors and can't watch them; nothing for everybody else. */
export const noWatchWords = (why: Refusal | undefined): readonly Part[] =>
  why === undefined ? [] : [lines(['You don’t have permission to watch. Ask an admin to add you.'])];

import type { ActionsBlockElement, Button, Overflow } from '@slack/types';
import type { CobrowseClient } from '../cobrowse/client.ts';
import { wasAccepted, type Visitor } from '../cobrowse/schemas.ts';
import { bold, code, date, given, LIMITS, plain, say, short, type Line, type Maybe } from './text.ts';
import { button, buttons, context, lines, message, type ButtonWords, type Part } from './message.ts';
import type { App, OfWorkspace } from '../parts.ts';
import type { Refusal, Access } from '../permissions/permissions.ts';
import { accessWords, ticketLine } from './session-words.ts';

/** The first identity, else the nickname, else the email. */
export const knownName = ({ identities, nickname, email }: Visitor): string | undefined =>
  [identities[0], nickname, email].map((name) => short(name ?? '')).find(Boolean);

export const visitorName = (visitor: Visitor): string =>
  knownName(visitor) ?? `Visitor ${short(visitor.short_id, 40)}`;

export function whoLine(visitor: Visitor): Line {
  const name = visitorName(visitor);
  const email = short(visitor.email ?? '');
  return email === '' || email === name ? [bold(name)] : [bold(name), ' · ', email];
}

/** By its path or a known name: query string and fragment may hold secrets. */
export function pageOf(visitor: Visitor): string | undefined {
  const path = pathOf(visitor.last_url ?? '');
  return path === '/' ? 'Home page' : path;
}

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

/** Who is in session with a visitor through this app, or is on it. */
export interface Partner {
  /** "you", "Alex Rivera and Sam Lee". */
  readonly names: string;
  readonly isAsking: boolean;
}

export type SessionPartners = ReadonlyMap<string, Partner>;

export const PRESENCE_UNKNOWN = 'Presence unknown';
export const PRESENCES = ['online', 'unknown', 'offline'] as const;

/** In a word or two, with a mark if someone may have to act. Who waits or accepted a session is online, whatever else the service says. */
interface VisitorState {
  readonly presence: (typeof PRESENCES)[number];
  readonly words: string;
  readonly mark?: string;
}

export const isWaiting = (visitor: Visitor): boolean =>
  visitor.is_waiting_for_call === true && visitor.is_in_session !== true;

/** Whether who is in a session has yet to accept it, as far as the service lists the sessions. */
export function isAsked({ sessions }: Visitor): boolean {
  const running = sessions.filter(({ ended_at: endedAt }) => endedAt === undefined);
  return running.length > 0 && running.every((session) => wasAccepted(session) === false);
}

export function visitorState(visitor: Visitor, partner: Partial<Partner> = {}): VisitorState {
  const { names, isAsking = isAsked(visitor) } = partner;
  const { is_online: isOnline } = visitor;
  const said = isOnline === true ? 'online' : isOnline === false ? 'offline' : 'unknown';
  if (visitor.is_in_session === true && isAsking) {
    const who = names?.replace(/^you/, 'You');
    return { presence: said, words: who ? `${who} asked to see the screen` : 'Asked to show the screen' };
  }
  if (visitor.is_in_session === true)
    return { presence: 'online', words: names ? `In session with ${names}` : 'In session', mark: '🎧' };
  if (isWaiting(visitor)) {
    const holder = names && ` · ${names === 'you' ? 'you’re' : `${names} is`} on it`;
    return { presence: 'online', words: `Waiting for help${holder ?? ''}`, mark: '⏳' };
  }
  return { presence: said, words: { online: 'Online', offline: 'Offline', unknown: PRESENCE_UNKNOWN }[said] };
}

export const presenceOf = (visitor: Visitor, partner?: Partner) => visitorState(visitor, partner).presence;

/** Undefined for someone who is here, or if it isn't known. */
export function lastSeen(visitor: Visitor, partner?: Partner): Date | undefined {
  const at = new Date(visitor.last_seen_at ?? Number.NaN);
  return presenceOf(visitor, partner) === 'online' || Number.isNaN(at.getTime()) ? undefined : at;
}

export function presence(visitor: Visitor, partner?: Partner): Line {
  const { words } = visitorState(visitor, partner);
  const at = lastSeen(visitor, partner);
  return at === undefined ? [words] : [`${words} · Last seen: `, date(at)];
}

/** Whether other organizations can read a place; `unknown` counts as yes. */
export type Shared = boolean | 'unknown';

/** `isCut`: personal details are left out. */
export interface ShownVisitor {
  readonly visitor: string;
  readonly isCut: Shared;
  /** Undefined also where the look-up failed. */
  readonly known?: Visitor;
}

type LookingUp = OfWorkspace<{ readonly cobrowse: Pick<CobrowseClient, 'visitor'> }>;

/** What is said of a visitor is said even if the look-up fails. */
export const visitorIfKnown = ({ workspaceOf }: LookingUp, workspaceId: string, visitorId: string) =>
  workspaceOf(workspaceId)
    .then(({ cobrowse }) => cobrowse.visitor(visitorId))
    .catch((): Visitor | undefined => undefined);

/** By id alone if people from other organizations can read the place. @param find rejects if it should rather not be said now */
export async function showVisitor(
  app: LookingUp & Pick<App, 'isShared'>,
  workspaceId: string,
  visitorId: string,
  place: string | undefined,
  find = visitorIfKnown,
): Promise<ShownVisitor> {
  const known = await find(app, workspaceId, visitorId);
  // Last: the service may be slow, and the channel could become shared meanwhile.
  const isCut = place === undefined ? 'unknown' : await app.isShared(workspaceId, place);
  return known === undefined || isCut !== false
    ? { visitor: visitorId, isCut }
    : { visitor: visitorName(known), isCut, known };
}

/** So that nobody takes the details for unknown. */
export const cutWords = (isCut: Shared): Maybe<Part> =>
  isCut !== false && context('This channel may be shared: personal details are left out.');

/** @param isAsking as far as the service lists the sessions, if not given */
export function visitorChoice(visitor: Visitor, isAsking?: boolean) {
  const name = visitorName(visitor);
  const email = short(visitor.email ?? '', 40);
  const { words } = visitorState(visitor, { isAsking });
  const state = words === PRESENCE_UNKNOWN ? '' : ` (${words.toLowerCase()})`;
  const who = email === '' || email === name ? name : `${short(name, 30)}, ${email}`;
  return { text: `${short(who, LIMITS.optionText - state.length)}${state}`, value: visitor.short_id };
}

/** An address that makes the link when opened, or a press that is answered with one. */
export interface WatchTarget {
  readonly url?: string;
  readonly value: string;
  /** The link comes as an answer in Slack, for readers whose Slack doesn't report presses of buttons with addresses. */
  readonly isAnswered?: true;
}

/** Watch with the default access, and the choices beside it. */
export interface WatchTargets {
  readonly usual: WatchTarget;
  readonly choices: readonly { readonly access: Access; readonly target: WatchTarget }[];
}

export interface VisitorTools {
  readonly targetsOf: (visitorId: string) => WatchTargets;
  /** The on-premise API can't. */
  readonly canStop: boolean;
  readonly mayNotWatch?: Refusal;
  /** In a channel that can be asked to look. */
  readonly canAskChannel?: boolean;
  /** In a channel without the app: no summary can come there. */
  readonly isAppMissing?: boolean;
  /** When the visitors were asked for. */
  readonly at: Date;
  readonly partners?: SessionPartners;
  /** The ticket that sessions begun from here are about. */
  readonly ticketUrl?: string;
  readonly recordsOf?: (visitor: Visitor) => readonly RecordLink[];
}

export const OPEN_RECORD = Array.from({ length: 5 }, (_one, index) => `open_record_${index}`);

export interface RecordLink {
  readonly name: string;
  readonly url: string;
}

export const recordButtons = (name: string, records: readonly RecordLink[] = []): Part =>
  buttons(
    ...records.map((record, index) =>
      button({
        text: record.name,
        actionId: OPEN_RECORD[index] ?? '',
        label: `${record.name}: open the record of ${name}`,
        url: record.url,
      }),
    ),
  );

const watching = (actionId: string, name: string, more: Pick<ButtonWords, 'value' | 'url' | 'style'>) =>
  button({ text: 'Watch', actionId, label: `Watch the screen of ${name}`, ...more });

export const watchButton = (name: string, { isAnswered, ...target }: WatchTarget, style?: 'primary') =>
  watching(isAnswered ? 'watch_here' : 'watch', name, { ...target, style });

/** In messages that others read or that stay: its press is answered with a card. @param about a visitor's id, perhaps {@link withTicket} */
export const watchAgainButton = (about: string, name: string, style?: 'primary') =>
  watching('watch_again', name, { value: about, style });

/** Undefined if there is no choice, or the visitor's id is too long for an option. */
function watchMenu({ usual, choices }: WatchTargets): Overflow | undefined {
  const fits = choices.every(({ target }) => target.value.length <= LIMITS.optionValue);
  if (choices.length < 2 || !fits) return undefined;
  const options = choices.map(({ access, target: { url, value } }) => ({
    text: plain(`Watch: ${accessWords(access)}`),
    value,
    url,
  }));
  const actionId = usual.isAnswered ? 'watch_here_with' : 'watch_with';
  return { type: 'overflow', action_id: actionId, options };
}

export function watchElements(visitor: Visitor, tools: VisitorTools): readonly Maybe<ActionsBlockElement>[] {
  if (tools.mayNotWatch !== undefined) return [];
  const targets = tools.targetsOf(visitor.short_id);
  const style = presenceOf(visitor, partnerOf(tools, visitor)) === 'offline' ? undefined : 'primary';
  return [watchButton(visitorName(visitor), targets.usual, style), watchMenu(targets)];
}

/** A button's value: a visitor's id or a search, and the ticket's link. */
export const withTicket = (about: string, ticketUrl: string | undefined): string =>
  ticketUrl === undefined ? about : `${about} ${ticketUrl}`;

export const detailsButton = (visitor: Visitor, ticketUrl?: string): Button =>
  button({
    text: 'Details',
    actionId: 'visitor',
    value: withTicket(visitor.short_id, ticketUrl),
    label: `Details of ${visitorName(visitor)}`,
  });

export const partnerOf = ({ partners }: Pick<VisitorTools, 'partners'>, { short_id }: Visitor) =>
  partners?.get(short_id);

/** Pressed again, it says that the reader isn't on it. @param holder who is, if anyone */
export function onItButton(visitorId: string, name: string, holder?: string): Button {
  const text = holder === 'you' ? 'I’m not on it' : 'I’m on it';
  return button({ text, actionId: 'on_it', value: visitorId, label: `${text}: ${name}` });
}

/** Where nobody else has taken a visitor who waits. */
export function onItIfFree(visitor: Visitor, tools: VisitorTools): Maybe<Button> {
  const holder = partnerOf(tools, visitor)?.names;
  const isFree = holder === undefined || holder === 'you';
  const isOffered = tools.mayNotWatch === undefined && isWaiting(visitor) && isFree;
  return isOffered && onItButton(visitor.short_id, visitorName(visitor), holder);
}

const asking = (text: string, actionId: string) => (visitorId: string, name: string, linkId?: string) => {
  const value = JSON.stringify(given([visitorId, linkId]));
  return button({ text, actionId, value, label: `${text} to look at ${name}’s screen` });
};
export const askButton = asking('Ask a colleague', 'ask_colleague');
export const askChannelButton = asking('Ask this channel', 'ask_channel');

export function askButtons(visitor: Visitor, tools: VisitorTools): readonly Maybe<Button>[] {
  const isHere = presenceOf(visitor, partnerOf(tools, visitor)) !== 'offline';
  if (tools.mayNotWatch !== undefined || !isHere) return [];
  const about = [visitor.short_id, visitorName(visitor)] as const;
  return [askButton(...about), tools.canAskChannel && askChannelButton(...about)];
}

/** Before Watch, which needs somebody online. */
export const tellOnlineButton = (visitor: Visitor, tools: Pick<VisitorTools, 'mayNotWatch' | 'partners'>) =>
  tools.mayNotWatch === undefined &&
  presenceOf(visitor, partnerOf(tools, visitor)) === 'offline' &&
  button({
    text: 'Tell me when online',
    actionId: 'tell_online',
    value: visitor.short_id,
    label: `Tell me when online: ${visitorName(visitor)}`,
    style: 'primary',
  });

/** @param style red where a session is known to run */
export const stopButton = (value: string, name: string, text = 'Stop', style?: 'danger'): Button =>
  button({ text, actionId: 'stop', value, label: `Stop session with ${name}`, style });

export const stopIfRunning = (visitor: Visitor, { canStop }: VisitorTools): Maybe<Button> =>
  canStop &&
  visitor.is_in_session === true &&
  stopButton(visitor.short_id, visitorName(visitor), 'Stop', 'danger');

const offer = (visitor: Visitor, tools: VisitorTools, words: readonly Line[]) =>
  message(
    lines(...words),
    noWatchWords(tools.mayNotWatch),
    beforeWatching(tools),
    buttons(
      tellOnlineButton(visitor, tools),
      ...watchElements(visitor, tools),
      stopIfRunning(visitor, tools),
    ),
  );

/** @param chosen what was chosen in a form, repeated beside the button */
export const watchOffer = (visitor: Visitor, tools: VisitorTools, chosen: readonly Line[] = []) =>
  offer(visitor, tools, [
    [...whoLine(visitor), ' · ', ...presence(visitor, partnerOf(tools, visitor))],
    ...chosen,
  ]);

export const watchAgain = (visitor: Visitor, tools: VisitorTools) =>
  offer(visitor, tools, [whoLine(visitor), ['The link expired. Press Watch for a new one.']]);

export const startButton = (text: string): Button =>
  button({ text, actionId: 'start', label: 'Start co-browsing with a customer', style: 'primary' });

/** Which ticket the session will be about, and whether its summary can't come here. */
export const beforeWatching = ({ ticketUrl, mayNotWatch, isAppMissing }: VisitorTools): Maybe<Part> =>
  mayNotWatch === undefined &&
  lines(
    ticketLine(ticketUrl, false),
    isAppMissing &&
      say`I’m not in this channel, so you’ll get the summary as a message. To have it here, type ${code('/invite @Co-browse')}.`,
  );

/** For somebody who sees visitors and can't watch them; nothing for everybody else. */
export const noWatchWords = (why: Refusal | undefined): Maybe<Part> =>
  why && lines(['You don’t have permission to watch. Ask an admin to add you.']);

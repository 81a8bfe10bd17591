import type { ActionsBlockElement, Button, Overflow } from '@slack/types';
import type { Visitor } from '../cobrowse/schemas.ts';
import type { Refusal } from '../permissions/acts.ts';
import type { Access } from '../permissions/access.ts';
import { ACTION } from './action-ids.ts';
import { button, buttons, lines, message, type Message, type Part } from './message.ts';
import { LIMITS, code, type Line } from './text.ts';
import {
  isWaiting,
  presence,
  presenceOf,
  visitorName,
  whoLine,
  type SessionPartners,
} from './visitor-pieces.ts';
import { accessWords, ticketLine } from './session-words.ts';

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
}

/** @param name the visitor's  @param style primary where it's what the message is for */
export function watchButton(name: string, { isAnswered, ...target }: WatchTarget, style?: 'primary'): Button {
  return button({
    text: 'Watch',
    actionId: isAnswered ? ACTION.watchHere : ACTION.watch,
    label: `Watch the screen of ${name}`,
    style,
    ...target,
  });
}

/** "Watch with...": empty if there is no choice, or if the visitor's id is too long for an option. */
function watchMenu({ usual, choices }: WatchTargets): readonly Overflow[] {
  const fits = choices.every(({ target }) => target.value.length <= LIMITS.optionValue);
  if (choices.length < 2 || !fits) return [];
  const options = choices.map(({ access, target: { url, value } }) => ({
    text: { type: 'plain_text', text: `Watch: ${accessWords(access)}`, emoji: false } as const,
    value,
    url,
  }));
  const actionId = usual.isAnswered ? ACTION.watchHereWith : ACTION.watchWith;
  return [{ type: 'overflow', action_id: actionId, options }];
}

/** Watch, and the menu of lower access levels beside it, for people who can watch. */
export function watchElements(
  visitor: Visitor,
  { targetsOf, mayNotWatch, partners }: VisitorTools,
): readonly ActionsBlockElement[] {
  if (mayNotWatch !== undefined) return [];
  const targets = targetsOf(visitor.short_id);
  const style = presenceOf(visitor, partners?.get(visitor.short_id)) === 'offline' ? undefined : 'primary';
  return [watchButton(visitorName(visitor), targets.usual, style), ...watchMenu(targets)];
}

/** The value of a button that takes a ticket along: a visitor's id or what was searched for, and the ticket's link. */
export const withTicket = (about: string, ticketUrl: string | undefined): string =>
  ticketUrl === undefined ? about : `${about} ${ticketUrl}`;

export function detailsButton(visitor: Visitor, ticketUrl?: string): Button {
  return button({
    text: 'Details',
    actionId: ACTION.visitor,
    value: withTicket(visitor.short_id, ticketUrl),
    label: `Details of ${visitorName(visitor)}`,
  });
}

/** Tells colleagues that the reader is helping; pressed again, that they aren't. @param holder who is, if anyone */
export function onItButton(visitor: Visitor, holder?: string): Button {
  const text = holder === 'you' ? 'I’m not on it' : 'I’m on it';
  return button({
    text,
    actionId: ACTION.onIt,
    value: visitor.short_id,
    label: `${text}: ${visitorName(visitor)}`,
  });
}

/** For people who can watch, beside a visitor who waits and whom nobody else has taken. */
export function onItElements(
  visitor: Visitor,
  { mayNotWatch, partners }: VisitorTools,
): readonly ActionsBlockElement[] {
  const holder = partners?.get(visitor.short_id)?.names;
  const isFree = holder === undefined || holder === 'you';
  return mayNotWatch === undefined && isWaiting(visitor) && isFree ? [onItButton(visitor, holder)] : [];
}

const askAbout = (visitorId: string, linkId: string | undefined): string =>
  JSON.stringify(linkId === undefined ? [visitorId] : [visitorId, linkId]);

/** @param linkId the link whose card it's on; undefined elsewhere */
export function askButton(visitorId: string, name: string, linkId?: string): Button {
  return button({
    text: 'Ask a colleague',
    actionId: ACTION.askColleague,
    value: askAbout(visitorId, linkId),
    label: `Ask a colleague to look at ${name}’s screen`,
  });
}

/** The same for whoever is in the channel where it's pressed. */
export function askChannelButton(visitorId: string, name: string, linkId?: string): Button {
  return button({
    text: 'Ask this channel',
    actionId: ACTION.askChannel,
    value: askAbout(visitorId, linkId),
    label: `Ask this channel to look at ${name}’s screen`,
  });
}

/** For people who can watch, beside somebody who has a screen to look at. */
export function askElements(
  visitor: Visitor,
  { mayNotWatch, canAskChannel, partners }: VisitorTools,
): readonly ActionsBlockElement[] {
  const isHere = presenceOf(visitor, partners?.get(visitor.short_id)) !== 'offline';
  if (mayNotWatch !== undefined || !isHere) return [];
  const about = [visitor.short_id, visitorName(visitor)] as const;
  return [askButton(...about), ...(canAskChannel === true ? [askChannelButton(...about)] : [])];
}

/** For people who can watch, before Watch, which needs somebody online. */
export function tellOnlineElements(
  visitor: Visitor,
  { mayNotWatch, partners }: Pick<VisitorTools, 'mayNotWatch' | 'partners'>,
): readonly ActionsBlockElement[] {
  if (mayNotWatch !== undefined || presenceOf(visitor, partners?.get(visitor.short_id)) !== 'offline')
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
export function stopButtonFor(visitorId: string, name: string, text = 'Stop'): Button {
  return button({
    text,
    actionId: ACTION.stop,
    value: visitorId,
    label: `Stop session with ${name}`,
  });
}

/** Red only where a session is known to run. */
export function stopButton(visitor: Visitor, text = 'Stop'): Button {
  const plain = stopButtonFor(visitor.short_id, visitorName(visitor), text);
  return visitor.is_in_session === true ? { ...plain, style: 'danger' } : plain;
}

/** The Stop button, if a session runs and the service can stop it. */
export function stopElements(visitor: Visitor, { canStop }: VisitorTools): readonly ActionsBlockElement[] {
  return canStop && visitor.is_in_session === true ? [stopButton(visitor)] : [];
}

function offer(visitor: Visitor, tools: VisitorTools, words: readonly Line[]): Message {
  return message(
    lines(...words),
    ...noWatchWords(tools.mayNotWatch),
    ...beforeWatching(tools),
    buttons(
      ...tellOnlineElements(visitor, tools),
      ...watchElements(visitor, tools),
      ...stopElements(visitor, tools),
    ),
  );
}

/** A visitor with the Watch button. @param chosen what was chosen in a form, repeated beside the button */
export function watchOffer(visitor: Visitor, tools: VisitorTools, chosen: readonly Line[] = []): Message {
  const who: Line = [...whoLine(visitor), ' · ', ...presence(visitor, tools.partners?.get(visitor.short_id))];
  return offer(visitor, tools, [who, ...chosen]);
}

/** Replaces an expired link. */
export function watchAgain(visitor: Visitor, tools: VisitorTools): Message {
  return offer(visitor, tools, [whoLine(visitor), ['The link expired. Press Watch for a new one.']]);
}

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
  if (mayNotWatch !== undefined) return [];
  const missing: readonly Line[] =
    isAppMissing === true
      ? [
          [
            'I’m not in this channel, so you’ll get the summary as a message. To have it here, type ',
            code('/invite @Co-browse'),
            '.',
          ],
        ]
      : [];
  const said = [...ticketLine(ticketUrl, false), ...missing];
  return said.length === 0 ? [] : [lines(...said)];
}

/** Shown instead of Watch to somebody who sees visitors and can't watch them; nothing for everybody else. */
export function noWatchWords(why: Refusal | undefined): readonly Part[] {
  if (why === undefined) return [];
  return [lines(['You don’t have permission to watch. Ask an admin to add you.'])];
}

import type { ActionsBlockElement, Button, Overflow } from '@slack/types';
import type { Visitor } from '../cobrowse/schemas.ts';
import type { Refusal } from '../permissions/acts.ts';
import type { Access } from '../permissions/access.ts';
import { ACTION } from './action-ids.ts';
import { button } from './buttons.ts';
import { accessWords } from './access-words.ts';
import { LIMITS } from './text.ts';
import { isWaiting, visitorName } from './visitor-pieces.ts';
import type { SessionPartners } from './visitor-pieces.ts';

/** Where a Watch button leads: an address whose opening makes the link, or a press that is answered with one. */
export interface WatchTarget {
  readonly url?: string;
  readonly value: string;
  /** Whether the link comes in Slack's answer though such buttons have addresses: the reader's Slack loses their presses. */
  readonly isAnswered?: true;
}

/** The ways to watch one visitor: what Watch itself grants, and what may be chosen beside it. */
export interface WatchTargets {
  readonly usual: WatchTarget;
  readonly choices: readonly { readonly access: Access; readonly target: WatchTarget }[];
}

/** What may be done with visitors, for one caller; the caller is already inside. */
export interface VisitorTools {
  readonly targetsOf: (visitorId: string) => WatchTargets;
  /** Whether the service can stop sessions at all: its on-premise API cannot. */
  readonly canStop: boolean;
  /** Why there is no Watch for the caller, where there is none. */
  readonly mayNotWatch?: Refusal;
  /** When the visitors were asked for. */
  readonly at: Date;
  readonly partners?: SessionPartners;
}

export function watchButton(visitor: Visitor, { isAnswered, ...target }: WatchTarget): Button {
  return button({
    text: 'Watch',
    actionId: isAnswered ? ACTION.watchHere : ACTION.watch,
    label: `Watch the screen of ${visitorName(visitor)}`,
    style: 'primary',
    ...target,
  });
}

/** "Watch with...": nothing where there is no choice, or where Slack's option cannot hold the visitor's id. */
function watchMenu({ usual, choices }: WatchTargets): readonly Overflow[] {
  const fits = choices.every(({ target }) => target.value.length <= LIMITS.optionValue);
  if (choices.length < 2 || !fits) return [];
  const options = choices.map(({ access, target: { url, value } }) => ({
    text: { type: 'plain_text', text: `Watch: ${accessWords(access)}`, emoji: false } as const,
    value,
    ...(url === undefined ? {} : { url }),
  }));
  const actionId = usual.isAnswered ? ACTION.watchHereWith : ACTION.watchWith;
  return [{ type: 'overflow', action_id: actionId, options }];
}

/** Watch, and the menu of lesser access levels beside it, for who may. */
export function watchElements(
  visitor: Visitor,
  { targetsOf, mayNotWatch }: VisitorTools,
): readonly ActionsBlockElement[] {
  if (mayNotWatch !== undefined) return [];
  const targets = targetsOf(visitor.short_id);
  return [watchButton(visitor, targets.usual), ...watchMenu(targets)];
}

export function detailsButton(visitor: Visitor): Button {
  return button({
    text: 'Details',
    actionId: ACTION.visitor,
    value: visitor.short_id,
    label: `Details of ${visitorName(visitor)}`,
  });
}

/** Says to colleagues that the reader helps who waits; pressed again, that they don't. @param holder who does, if anybody */
export function onItButton(visitor: Visitor, holder?: string): Button {
  const text = holder === 'you' ? 'I’m not on it' : 'I’m on it';
  return button({
    text,
    actionId: ACTION.onIt,
    value: visitor.short_id,
    label: `${text}: ${visitorName(visitor)}`,
  });
}

/** For who may watch, beside a visitor who waits and is nobody else's. */
export function onItElements(
  visitor: Visitor,
  { mayNotWatch, partners }: VisitorTools,
): readonly ActionsBlockElement[] {
  const holder = partners?.get(visitor.short_id);
  const isFree = holder === undefined || holder === 'you';
  return mayNotWatch === undefined && isWaiting(visitor) && isFree ? [onItButton(visitor, holder)] : [];
}

/** For who may watch, on the card of a visitor who is away. */
export function tellOnlineElements(
  visitor: Visitor,
  { mayNotWatch }: VisitorTools,
): readonly ActionsBlockElement[] {
  if (mayNotWatch !== undefined || visitor.is_online !== false) return [];
  return [
    button({
      text: 'Tell me when online',
      actionId: ACTION.tellOnline,
      value: visitor.short_id,
      label: `Tell me when online: ${visitorName(visitor)}`,
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

/** The Stop button, where a session runs and the service can stop it. */
export function stopElements(visitor: Visitor, { canStop }: VisitorTools): readonly ActionsBlockElement[] {
  return canStop && visitor.is_in_session === true ? [stopButton(visitor)] : [];
}

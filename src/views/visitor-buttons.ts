import type { ActionsBlockElement, Button, Overflow } from '@slack/types';
import type { Visitor } from '../cobrowse/schemas.ts';
import type { Refusal } from '../grants/acts.ts';
import type { Power } from '../grants/power.ts';
import { ACTION } from './action-ids.ts';
import { button } from './buttons.ts';
import { powerWords } from './power-words.ts';
import { LIMITS } from './text.ts';
import { visitorName } from './visitor-pieces.ts';

/** Where a Watch button leads: an address whose opening makes the link, or a press that is answered with one. */
export interface WatchTarget {
  readonly url?: string;
  readonly value: string;
}

/** The ways to watch one visitor: what Watch itself grants, and what may be chosen beside it. */
export interface WatchTargets {
  readonly usual: WatchTarget;
  readonly choices: readonly { readonly power: Power; readonly target: WatchTarget }[];
}

/** What may be done with visitors, for one caller; the caller is already inside. */
export interface VisitorTools {
  readonly targetsOf: (visitorId: string) => WatchTargets;
  /** Whether the service can stop sessions at all: its on-premise API cannot. */
  readonly canStop: boolean;
  /** Why there is no Watch for the caller, where there is none. */
  readonly mayNotWatch?: Refusal;
}

function watchButton(visitor: Visitor, target: WatchTarget): Button {
  return button({
    text: 'Watch',
    actionId: ACTION.watch,
    label: `Watch the screen of ${visitorName(visitor)}`,
    style: 'primary',
    ...target,
  });
}

/** "Watch with...": nothing where there is no choice, or where Slack's option cannot hold the visitor's id. */
function watchMenu({ choices }: WatchTargets): readonly Overflow[] {
  const fits = choices.every(({ target }) => target.value.length <= LIMITS.optionValue);
  if (choices.length < 2 || !fits) return [];
  const options = choices.map(({ power, target }) => ({
    text: { type: 'plain_text', text: `Watch: ${powerWords(power)}`, emoji: false } as const,
    ...target,
  }));
  return [{ type: 'overflow', action_id: ACTION.watchWith, options }];
}

/** Watch, and the menu of lesser powers beside it, for who may. */
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

/** Leads to a form that asks before it stops. @param name the visitor's */
export function stopButtonFor(visitorId: string, name: string, text = 'Stop'): Button {
  return button({
    text,
    actionId: ACTION.stop,
    value: visitorId,
    label: `Stop session with ${name}`,
  });
}

/** Red only where a session runs: a list of red buttons says nothing. */
export function stopButton(visitor: Visitor, text = 'Stop'): Button {
  const plain = stopButtonFor(visitor.short_id, visitorName(visitor), text);
  return visitor.is_in_session === true ? { ...plain, style: 'danger' } : plain;
}

/** The Stop button, where the service can stop. */
export function stopElements(visitor: Visitor, { canStop }: VisitorTools): readonly ActionsBlockElement[] {
  return canStop ? [stopButton(visitor)] : [];
}

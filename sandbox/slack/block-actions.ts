import type { SuggestedOption } from './block-kit.ts';
import type { Element, PlacedElement } from './elements.ts';
import type { ViewState } from './page-api.ts';
import type { World } from './world.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What a person did to an element. */
export interface ElementAction {
  readonly block_id: string;
  readonly action_id: string;
  readonly selected_option?: unknown;
  readonly state?: ViewState;
  /** How many milliseconds after Slack's clock it happened, so that tests don't wait for a slow person. */
  readonly later_ms?: number;
}

interface Surroundings {
  readonly world: World;
  /** The options an external select last offered. */
  readonly offered: readonly SuggestedOption[];
}

/**
 * The entry of a block_actions payload. What a person can't choose (a button's text, value or address) comes from the
 * element itself, never from the page.
 *
 * @returns undefined if what was chosen isn't on offer there.
 */
export const actionOf = (
  placed: PlacedElement,
  done: ElementAction,
  around: Surroundings,
): Fields | undefined => {
  const { element } = placed;
  const action = {
    block_id: placed.blockId,
    action_id: placed.actionId,
    type: element.type,
    action_ts: laterTs(around.world.nextTs(), done.later_ms),
  };
  if (element.type === 'button') {
    const { text, value, url, style } = element;
    return { ...action, text, value, url, style };
  }
  const typed = done.state?.[placed.blockId]?.[placed.actionId] ?? {};
  const chosen = done.selected_option ?? typed['selected_option'];
  if (chosen === undefined || chosen === null) {
    const canBeChosen = element.type !== 'overflow' && isAmong(element, typed, around.world);
    return canBeChosen ? { ...typed, ...action } : undefined;
  }
  const option = [...optionsOf(element), ...around.offered].find((it) => it.value === valueOf(chosen));
  return option === undefined ? undefined : { ...typed, ...action, selected_option: option };
};

const laterTs = (ts: string, laterMs = 0): string => {
  const [seconds = '', fraction = ''] = ts.split('.');
  return `${Number(seconds) + Math.ceil(laterMs / 1_000)}.${fraction}`;
};

const optionsOf = (element: Element) => {
  switch (element.type) {
    case 'static_select':
      return [...(element.options ?? []), ...(element.option_groups ?? []).flatMap((group) => group.options)];
    case 'external_select':
      return element.initial_option === undefined ? [] : [element.initial_option];
    case 'overflow':
    case 'radio_buttons':
    case 'checkboxes':
      return element.options;
    default:
      return [];
  }
};

/** Whether a person, a channel or the checked boxes can be chosen. */
const isAmong = (element: Element, typed: Fields, world: World): boolean => {
  const { selected_user: user, selected_conversation: conversation, selected_options } = typed;
  if (typeof user === 'string') return world.user(user) !== undefined;
  if (typeof conversation === 'string') return world.channel(conversation) !== undefined;
  if (!Array.isArray(selected_options)) return true;
  const values = new Set<unknown>(optionsOf(element).map(({ value }) => value));
  return selected_options.every((option) => values.has(valueOf(option)));
};

const valueOf = (option: unknown): unknown =>
  typeof option === 'object' && option !== null && 'value' in option ? option.value : undefined;

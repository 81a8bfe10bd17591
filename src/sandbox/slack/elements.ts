import type { KnownBlock } from '@slack/types';

import type { ViewState } from './page-api.ts';

type Fields = Readonly<Record<string, unknown>>;

/** An interactive element as the app sent it, with the ids that lead to it. */
export interface PlacedElement {
  readonly blockId: string;
  readonly actionId: string;
  readonly element: Element;
  /** Whether a modal may not be submitted without a value. */
  readonly required: boolean;
}

type Element = Exclude<ReturnType<typeof elementsOf>[number], undefined>;

/** What a person did to an element. */
export interface Deed {
  readonly block_id: string;
  readonly action_id: string;
  readonly selected_option?: unknown;
  readonly state?: ViewState | undefined;
}

const elementsOf = (block: KnownBlock) => {
  if (block.type === 'actions') return block.elements;
  if (block.type === 'input') return [block.element];
  return block.type === 'section' && block.accessory?.type !== 'image' ? [block.accessory] : [];
};

export const placedElements = (blocks: readonly KnownBlock[]): readonly PlacedElement[] =>
  blocks.flatMap((block) =>
    elementsOf(block).flatMap((element) =>
      element === undefined
        ? []
        : {
            blockId: block.block_id ?? '',
            actionId: element.action_id ?? '',
            element,
            required: block.type === 'input' && block.optional !== true,
          },
    ),
  );

export const elementAt = (
  blocks: readonly KnownBlock[],
  deed: Pick<Deed, 'block_id' | 'action_id'>,
): PlacedElement | undefined =>
  placedElements(blocks).find((it) => it.blockId === deed.block_id && it.actionId === deed.action_id);

/**
 * The entry of a block_actions payload. What a person can't choose (text, value, address of a button) comes from the
 * element itself, never from the page.
 *
 * Suggestions for external selects (`block_suggestion`) are left out, so nothing can be chosen in one.
 *
 * @returns undefined where the chosen option is none of the element's own.
 */
export const actionOf = (placed: PlacedElement, deed: Deed, actionTs: string): Fields | undefined => {
  const { element } = placed;
  const typed = deed.state?.[placed.blockId]?.[placed.actionId] ?? {};
  const action = {
    block_id: placed.blockId,
    action_id: placed.actionId,
    type: element.type,
    action_ts: actionTs,
  };
  if (element.type === 'button') {
    const { text, value, url, style } = element;
    return { ...action, text, value, url, style };
  }
  const chosen = deed.selected_option ?? typed['selected_option'];
  if (chosen === undefined || chosen === null) return { ...typed, ...action };
  const option = optionsOf(element).find((it) => it.value === valueOf(chosen));
  return option === undefined ? undefined : { ...typed, ...action, selected_option: option };
};

const optionsOf = (element: Element) => {
  if (element.type === 'static_select') {
    return [...(element.options ?? []), ...(element.option_groups ?? []).flatMap((group) => group.options)];
  }
  return element.type === 'overflow' || element.type === 'radio_buttons' ? element.options : [];
};

const valueOf = (option: unknown): unknown =>
  typeof option === 'object' && option !== null && 'value' in option ? option.value : undefined;

/** Slack's `state.values`: every element that holds a value, as it stands or as the app set it first. */
export const stateOf = (
  blocks: readonly KnownBlock[],
  typed: ViewState = {},
): Record<string, Record<string, Fields>> => {
  const values: Record<string, Record<string, Fields>> = {};
  for (const { blockId, actionId, element } of placedElements(blocks)) {
    const initial = initialValue(element);
    if (initial === undefined) continue;
    const value = { ...initial, ...typed[blockId]?.[actionId], type: element.type };
    values[blockId] = { ...values[blockId], [actionId]: value };
  }
  return values;
};

const initialValue = (element: Element): Fields | undefined => {
  switch (element.type) {
    case 'plain_text_input':
      return { value: element.initial_value ?? null };
    case 'static_select':
    case 'external_select':
    case 'radio_buttons':
      return { selected_option: element.initial_option ?? null };
    case 'checkboxes':
      return { selected_options: element.initial_options ?? [] };
    case 'users_select':
      return { selected_user: element.initial_user ?? null };
    case 'channels_select':
      return { selected_channel: element.initial_channel ?? null };
    case 'conversations_select':
      return { selected_conversation: element.initial_conversation ?? null };
    case 'datepicker':
      return { selected_date: element.initial_date ?? null };
    default:
      return undefined;
  }
};

/** The blocks of required inputs a person left empty: Slack's client keeps such a modal and says so itself. */
export const emptyRequired = (
  blocks: readonly KnownBlock[],
  state: Readonly<Record<string, Record<string, Fields>>>,
): readonly string[] =>
  placedElements(blocks)
    .filter((placed) => placed.required && isEmpty(state[placed.blockId]?.[placed.actionId]))
    .map((placed) => placed.blockId);

const isEmpty = (value: Fields = {}): boolean =>
  Object.entries(value).every(
    ([key, part]) =>
      key === 'type' || part === null || part === '' || (Array.isArray(part) && part.length === 0),
  );

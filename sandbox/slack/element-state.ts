import type { KnownBlock } from '@slack/types';

import { mapElements, placedElements, type Element } from './elements.ts';
import type { ViewState } from './page-api.ts';
import type { Channel } from './world.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Slack's `state.values`: every element that holds a value, either the current one or the app's initial one. */
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
    case 'multi_static_select':
      return { selected_options: element.initial_options ?? [] };
    case 'users_select':
      return { selected_user: element.initial_user ?? null };
    case 'multi_users_select':
      return { selected_users: element.initial_users ?? [] };
    case 'conversations_select':
      return { selected_conversation: element.initial_conversation ?? null };
    case 'multi_conversations_select':
      return { selected_conversations: element.initial_conversations ?? [] };
    case 'datepicker':
      return { selected_date: element.initial_date ?? null };
    case 'timepicker':
      return { selected_time: element.initial_time ?? null };
    default:
      return undefined;
  }
};

/**
 * The blocks of required inputs that a person left empty: Slack's client keeps such a modal open and says so itself.
 */
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

/**
 * A modal's blocks with the person's current conversation chosen in every menu that asked for it
 * (`default_to_current_conversation`), unless the app named another or the menu's filter excludes it.
 */
export const withCurrentConversation = (
  blocks: readonly KnownBlock[],
  current: Channel | undefined,
): readonly KnownBlock[] => {
  if (current === undefined) return blocks;
  return blocks.map((block) =>
    mapElements(block, (element) =>
      wantsCurrent(element, current) ? { ...element, initial_conversation: current.id } : element,
    ),
  );
};

interface Menu {
  readonly type: string;
  readonly default_to_current_conversation?: boolean;
  readonly initial_conversation?: string;
  readonly filter?: {
    readonly include?: readonly string[];
    readonly exclude_external_shared_channels?: boolean;
    readonly exclude_bot_users?: boolean;
  };
}

const wantsCurrent = (menu: Menu, { kind, sharedWith }: Channel): boolean => {
  if (menu.default_to_current_conversation !== true || menu.initial_conversation !== undefined) return false;
  const {
    include,
    exclude_bot_users: withoutBots,
    exclude_external_shared_channels: isInternal,
  } = menu.filter ?? {};
  if (include?.includes(kind === 'dm' ? 'im' : 'public') === false) return false;
  // Here every direct message is with the app's bot.
  if (withoutBots === true && kind === 'dm') return false;
  return isInternal !== true || sharedWith === undefined;
};

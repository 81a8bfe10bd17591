import type { InputBlock, KnownBlock } from '@slack/types';
import { field, groupsFields, plain, type UserGroup } from '../messages/form-fields.ts';
import type { Filled } from './form.ts';

/** An input of a form, declared once: how it's asked for, and how what's filled in is read. */
interface Input<Value> {
  /** Names it in what's filled in, and in complaints. */
  readonly block: string;
  /** As a block, filled in with what there is now. */
  show(value: Value): KnownBlock;
  read(filled: Filled): Value;
}

interface Asked {
  readonly hint?: string;
  readonly optional?: boolean;
  /** What an empty one says that isn't for typing. */
  readonly placeholder?: string;
  /** At most so many characters, or choices. What is shown is cut to it. */
  readonly most?: number;
  readonly multiline?: true;
}

/** A choice, with what it means. */
type Option<Value extends string> = readonly [value: Value, words: string, meaning?: string];

const asText = (text: string | undefined) => (text === undefined ? undefined : plain(text));
const optionsOf = (all: readonly Option<string>[]) =>
  all.map(([value, words, meaning]) => ({ text: plain(words), description: asText(meaning), value }));
const CHANNELS: { readonly include: ('public' | 'private')[] } = { include: ['public', 'private'] };
const different = (filled: readonly string[]): readonly string[] => [...new Set(filled)];
/** Slack refuses an empty list of what is chosen. */
const chosen = (ids: readonly string[], most?: number) => (ids.length === 0 ? undefined : ids.slice(0, most));

const input =
  <Value>(
    elementOf: (value: Value, asked: Asked) => InputBlock['element'],
    valueOf: (filled: readonly string[]) => Value,
  ) =>
  (block: string, label: string, asked: Asked = {}): Input<Value> => ({
    block,
    show(value) {
      const { hint, optional } = asked;
      return field({ block, label, hint, optional, element: elementOf(value, asked) });
    },
    read: (filled) => valueOf(filled[block] ?? []),
  });

/**
 * Makes the inputs of a form. Text is read without the spaces around it; a choice among options is undefined where nothing
 * is chosen, or something else.
 *
 * @param action_id of each of them
 */
export function inputs(action_id: string) {
  const choice =
    (type: 'radio_buttons' | 'static_select') =>
    <Value extends string>(
      block: string,
      label: string,
      all: readonly Option<Value>[],
      asked?: Asked,
    ): Input<Value | undefined> => {
      const options = optionsOf(all);
      return input<Value | undefined>(
        (value, { placeholder }) => {
          const initial_option = options.find((option) => option.value === value);
          const element = { action_id, options, initial_option };
          return type === 'radio_buttons'
            ? { type, ...element }
            : { type, ...element, placeholder: asText(placeholder) };
        },
        ([first]) => all.find(([value]) => value === first)?.[0],
      )(block, label, asked);
    };

  return {
    text: input<string>(
      (text, { most, multiline }) => ({
        type: 'plain_text_input',
        action_id,
        multiline,
        max_length: most,
        initial_value: text.slice(0, most) || undefined,
      }),
      ([first = '']) => first.trim(),
    ),
    /** A time of day: "09:30". */
    time: input<string>(
      (initial_time, { placeholder }) => ({
        type: 'timepicker',
        action_id,
        placeholder: asText(placeholder),
        initial_time,
      }),
      ([first = '']) => first,
    ),
    radios: choice('radio_buttons'),
    select: choice('static_select'),
    channel: input<string | undefined>(
      (initial_conversation, { placeholder }) => ({
        type: 'conversations_select',
        action_id,
        placeholder: asText(placeholder),
        filter: { ...CHANNELS, exclude_bot_users: true },
        initial_conversation,
      }),
      ([first]) => first,
    ),
    channels: input<readonly string[]>(
      (ids, { placeholder, most }) => ({
        type: 'multi_conversations_select',
        action_id,
        placeholder: asText(placeholder),
        filter: CHANNELS,
        max_selected_items: most,
        initial_conversations: chosen(ids, most),
      }),
      different,
    ),
    people: input<readonly string[]>(
      (ids, { placeholder, most }) => ({
        type: 'multi_users_select',
        action_id,
        placeholder: asText(placeholder),
        max_selected_items: most,
        initial_users: chosen(ids, most),
      }),
      different,
    ),
    /** User groups: chosen from those that Slack lists, or typed where it lists none. Not asked for where there are none. */
    groups(block: string, label: string) {
      const read = (filled: Filled) =>
        different((filled[block] ?? []).flatMap((ids) => ids.toUpperCase().match(/[^\s,;]+/g) ?? []));
      return {
        block,
        show: (ids: readonly string[], listed: readonly UserGroup[] | undefined) =>
          groupsFields({ block, actionId: action_id, label, ids, listed }),
        read,
        /** What is wrong with one that was typed. */
        wrong(filled: Filled): string | undefined {
          const wrong = read(filled).find((id) => !/^S[A-Z0-9]{2,30}$/.test(id));
          return wrong && `“${wrong.slice(0, 40)}” isn’t a user group ID: those look like S0123ABCD.`;
        },
      };
    },
  };
}

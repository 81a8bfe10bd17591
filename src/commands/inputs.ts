import type { InputBlock, KnownBlock, PlainTextOption } from '@slack/types';
import { LIMITS, plain, short } from '../messages/text.ts';
import type { Filled } from './command.ts';

interface FormField {
  readonly block: string;
  readonly label: string;
  readonly hint?: string;
  readonly element: InputBlock['element'];
  readonly optional?: boolean;
}

export const field = ({ block, label, hint, element, optional = false }: FormField): KnownBlock => ({
  type: 'input',
  block_id: block,
  label: plain(label),
  hint: asText(hint),
  element,
  optional,
});

/** Each costs a request to Slack whenever the rule is checked. */
export const MOST_ASKED = 10;
const TYPED_GROUPS = {
  hint: 'Enter the IDs of your user groups, such as S0123ABCD, separated by spaces.',
  optional: true,
  most: 1_000,
} as const;

export interface UserGroup {
  readonly id: string;
  readonly name: string;
  readonly handle: string;
}

const groupOption = ({ id, name, handle }: UserGroup): PlainTextOption => ({
  text: plain(
    short(handle, 30) === '' ? short(name) || id : `@${short(handle, 30)} (${short(name)})`,
    LIMITS.optionText,
  ),
  value: id,
});

/** Declared once: how it's asked for, and how what's filled in is read. */
interface Input<Value> {
  readonly block: string;
  show(value: Value): KnownBlock;
  read(filled: Filled): Value;
}

interface Asked {
  readonly hint?: string;
  readonly optional?: boolean;
  /** What an empty one says that isn't for typing. */
  readonly placeholder?: string;
  /** Characters, or choices. What is shown is cut to it. */
  readonly most?: number;
  readonly multiline?: true;
  /** The channel where the form was opened is chosen, unless another one is. */
  readonly isHere?: boolean;
}

type Option<Value extends string> = readonly [value: Value, words: string, meaning?: string];

const asText = (text: string | undefined) => (text === undefined ? undefined : plain(text));
const optionsOf = (all: readonly Option<string>[]) =>
  all.map(([value, words, meaning]) => ({ text: plain(words), description: asText(meaning), value }));
const CHANNELS: { readonly include: ('public' | 'private')[] } = { include: ['public', 'private'] };
const different = (filled: readonly string[]): readonly string[] => [...new Set(filled)];
/** Slack refuses an empty list of what is chosen. */
const chosen = <One>(all: readonly One[], most?: number) =>
  all.length === 0 ? undefined : all.slice(0, most);

/** Each answer is read by its block. */
const action_id = 'value';

const input =
  <Value>(
    elementOf: (value: Value, most: number | undefined, asked: Asked) => InputBlock['element'],
    valueOf: (filled: readonly string[]) => Value,
  ) =>
  (block: string, label: string, asked: Asked = {}): Input<Value> => ({
    block,
    show(value) {
      const { hint, optional, placeholder, most } = asked;
      const empty = placeholder === undefined ? {} : { placeholder: plain(placeholder) };
      const element = { action_id, ...empty, ...elementOf(value, most, asked) };
      return field({ block, label, hint, optional, element });
    },
    read: (filled) => valueOf(filled[block] ?? []),
  });

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
      (value) => ({ type, options, initial_option: options.find((option) => option.value === value) }),
      ([first]) => all.find(([value]) => value === first)?.[0],
    )(block, label, asked);
  };

const trimmed = ([first = '']: readonly string[]): string => first.trim();

const text = input(
  (value: string, most, { multiline }) => ({
    type: 'plain_text_input',
    multiline,
    max_length: most,
    initial_value: value.slice(0, most) || undefined,
  }),
  trimmed,
);

/** Text is trimmed; a choice is undefined where nothing is chosen, or no option. */
export const inputs = {
  text,
  radios: choice('radio_buttons'),
  select: choice('static_select'),
  checkboxes<Value extends string>(
    block: string,
    label: string,
    all: readonly Option<Value>[],
    asked?: Asked,
  ): Input<readonly Value[]> {
    const options = optionsOf(all);
    return input<readonly Value[]>(
      (values) => {
        const on = options.filter(({ value }) => values.some((one) => one === value));
        return { type: 'checkboxes', options, initial_options: chosen(on) };
      },
      (filled) => all.map(([value]) => value).filter((value) => filled.includes(value)),
    )(block, label, asked);
  },
  /** Like 2026-11-03; empty where none is chosen. */
  day: input((date: string) => ({ type: 'datepicker', initial_date: date || undefined }), trimmed),
  /** Like 14:30. */
  time: input((time: string) => ({ type: 'timepicker', initial_time: time || undefined }), trimmed),
  person: input(
    (id: string) => ({
      type: 'users_select',
      placeholder: plain('Choose a person'),
      initial_user: id || undefined,
    }),
    trimmed,
  ),
  channel: input<string | undefined>(
    (initial_conversation, _most, { isHere }) => ({
      type: 'conversations_select',
      filter: { ...CHANNELS, exclude_bot_users: true },
      ...(isHere ? { default_to_current_conversation: true } : { initial_conversation }),
    }),
    ([first]) => first,
  ),
  channels: input<readonly string[]>(
    (ids, most) => ({
      type: 'multi_conversations_select',
      filter: CHANNELS,
      max_selected_items: most,
      initial_conversations: chosen(ids, most),
    }),
    different,
  ),
  people: input<readonly string[]>(
    (ids, most) => ({
      type: 'multi_users_select',
      max_selected_items: most,
      initial_users: chosen(ids, most),
    }),
    different,
  ),
  /** Chosen from those that Slack lists; typed where it doesn't list them, or more than a menu takes. Left out where there are none. */
  groups(block: string, label: string) {
    const read = (filled: Filled) =>
      different((filled[block] ?? []).flatMap((ids) => ids.toUpperCase().match(/[^\s,;]+/g) ?? []));
    return {
      block,
      show(ids: readonly string[], listed: readonly UserGroup[] | undefined): readonly KnownBlock[] {
        const known = new Map(listed?.map((group) => [group.id, groupOption(group)]));
        const gone = ids
          .filter((id) => !known.has(id) && id.length <= LIMITS.optionValue)
          .map((id): PlainTextOption => ({ text: plain(`${short(id, 60)} (not found)`), value: id }));
        const options = [...gone, ...known.values()];
        if (listed === undefined || options.length > LIMITS.options)
          return [text(block, label, TYPED_GROUPS).show(ids.join(' '))];
        if (options.length === 0) return [];
        const on = options.filter(({ value }) => value !== undefined && ids.includes(value));
        const element = {
          type: 'multi_static_select',
          action_id,
          placeholder: plain('Search user groups'),
          max_selected_items: MOST_ASKED,
          options,
          initial_options: chosen(on, MOST_ASKED),
        } as const;
        return [field({ block, label, element, optional: true })];
      },
      read,
      wrong(filled: Filled): string | undefined {
        const wrong = read(filled).find((id) => !/^S[A-Z0-9]{2,30}$/.test(id));
        return wrong && `“${wrong.slice(0, 40)}” isn’t a user group ID: those look like S0123ABCD.`;
      },
    };
  },
};

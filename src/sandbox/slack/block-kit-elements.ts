import { z } from 'zod';

import {
  buttonStyle,
  characters,
  choiceOption,
  confirmDialog,
  identifier,
  optionGroup,
  overflowOption,
  plainText,
  selectOption,
  webAddress,
} from './block-kit-text.ts';

/**
 * The elements that stand in blocks. Figures: https://docs.slack.dev/reference/block-kit/block-elements.
 * Multi-selects, pickers of times, files, emails, numbers and addresses, rich text inputs and workflow buttons are left
 * out: no message of this product uses them, so one that appears is reported as unsupported.
 */

const actionId = { action_id: identifier.optional() };
const confirmable = { ...actionId, confirm: confirmDialog.optional() };
const focusable = { focus_on_load: z.boolean().optional() };
const menu = { ...confirmable, ...focusable, placeholder: plainText(150).optional() };
const responseUrlEnabled = { response_url_enabled: z.boolean().optional() };

const picture = {
  type: z.literal('image'),
  image_url: webAddress,
  alt_text: characters(2000),
};

/** An image inside a section or context block. Files of Slack itself (`slack_file`) are left out. */
export const imageElement = z.strictObject(picture);

/** The same fields for the image block, which adds its own. */
export const pictureFields = picture;

const button = z.strictObject({
  type: z.literal('button'),
  text: plainText(75),
  ...confirmable,
  value: characters(2000).optional(),
  url: webAddress.optional(),
  style: buttonStyle.optional(),
  accessibility_label: characters(75).optional(),
});

const overflow = z.strictObject({
  type: z.literal('overflow'),
  ...confirmable,
  options: z.array(overflowOption).min(1).max(5),
});

const staticSelect = z
  .strictObject({
    type: z.literal('static_select'),
    ...menu,
    options: z.array(selectOption).min(1).max(100).optional(),
    option_groups: z.array(optionGroup).min(1).max(100).optional(),
    initial_option: selectOption.optional(),
  })
  .refine((select) => (select.options === undefined) !== (select.option_groups === undefined), {
    error: 'needs either options or option_groups',
  })
  .refine(
    (select) =>
      isAmong(select.initial_option, [
        ...(select.options ?? []),
        ...(select.option_groups ?? []).flatMap((group) => group.options),
      ]),
    { error: 'initial_option must be one of the options', path: ['initial_option'] },
  );

const externalSelect = z.strictObject({
  type: z.literal('external_select'),
  ...menu,
  initial_option: selectOption.optional(),
  min_query_length: z.int().min(0).optional(),
});

const usersSelect = z.strictObject({
  type: z.literal('users_select'),
  ...menu,
  initial_user: characters(255).optional(),
});

const channelsSelect = z.strictObject({
  type: z.literal('channels_select'),
  ...menu,
  ...responseUrlEnabled,
  initial_channel: characters(255).optional(),
});

const conversationsSelect = z.strictObject({
  type: z.literal('conversations_select'),
  ...menu,
  ...responseUrlEnabled,
  initial_conversation: characters(255).optional(),
  default_to_current_conversation: z.boolean().optional(),
  filter: z
    .strictObject({
      include: z
        .array(z.enum(['im', 'mpim', 'private', 'public']))
        .min(1)
        .optional(),
      exclude_external_shared_channels: z.boolean().optional(),
      exclude_bot_users: z.boolean().optional(),
    })
    .refine((filter) => Object.keys(filter).length > 0, { error: 'needs at least one field' })
    .optional(),
});

const radioButtons = z
  .strictObject({
    type: z.literal('radio_buttons'),
    ...confirmable,
    ...focusable,
    options: z.array(choiceOption).min(1).max(10),
    initial_option: choiceOption.optional(),
  })
  .refine((radio) => isAmong(radio.initial_option, radio.options), {
    error: 'initial_option must be one of the options',
    path: ['initial_option'],
  });

const checkboxes = z
  .strictObject({
    type: z.literal('checkboxes'),
    ...confirmable,
    ...focusable,
    options: z.array(choiceOption).min(1).max(10),
    initial_options: z.array(choiceOption).min(1).max(10).optional(),
  })
  .refine((boxes) => (boxes.initial_options ?? []).every((option) => isAmong(option, boxes.options)), {
    error: 'initial_options must be among the options',
    path: ['initial_options'],
  });

const datepicker = z.strictObject({
  type: z.literal('datepicker'),
  ...menu,
  initial_date: z.iso.date().optional(),
});

const plainTextInput = z
  .strictObject({
    type: z.literal('plain_text_input'),
    ...actionId,
    ...focusable,
    placeholder: plainText(150).optional(),
    initial_value: z.string().max(3000).optional(),
    multiline: z.boolean().optional(),
    min_length: z.int().min(0).max(3000).optional(),
    max_length: z.int().min(1).max(3000).optional(),
    dispatch_action_config: z
      .strictObject({
        trigger_actions_on: z.array(z.enum(['on_enter_pressed', 'on_character_entered'])).min(1),
      })
      .optional(),
  })
  .refine((input) => (input.min_length ?? 0) <= (input.max_length ?? 3000), {
    error: 'min_length must not be greater than max_length',
  });

const menus = [
  staticSelect,
  externalSelect,
  usersSelect,
  channelsSelect,
  conversationsSelect,
  datepicker,
] as const;
const choices = [radioButtons, checkboxes] as const;

export const actionsElement = z.discriminatedUnion('type', [button, overflow, ...menus, ...choices]);
export const accessoryElement = z.discriminatedUnion('type', [
  imageElement,
  button,
  overflow,
  ...menus,
  ...choices,
]);
export const inputElement = z.discriminatedUnion('type', [plainTextInput, ...menus, ...choices]);

const isAmong = (
  initial: { readonly value: string } | undefined,
  options: readonly { readonly value: string }[],
): boolean => initial === undefined || options.some((option) => option.value === initial.value);

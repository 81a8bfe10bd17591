import { z } from 'zod';

import { actionId, confirmable, focusable, menus } from './block-kit-menus.ts';
import {
  buttonStyle,
  characters,
  choiceOption,
  isAmong,
  overflowOption,
  plainText,
  webAddress,
} from './block-kit-text.ts';

/**
 * The elements in blocks, except menus. Limits: https://docs.slack.dev/reference/block-kit/block-elements. Inputs for
 * files, emails, numbers, URLs and rich text, and workflow buttons are left out: no message of this product uses them,
 * so one that appears is reported as unsupported. So is a `slack_file` given by its URL.
 */

/** What an image block and an image inside a section or context block have in common. */
export const pictureFields = {
  type: z.literal('image'),
  image_url: webAddress.optional(),
  slack_file: z.strictObject({ id: characters(255) }).optional(),
  alt_text: characters(2000),
};

/** Whether a picture has exactly one source. */
export const hasOneSource = [
  (picture: { readonly image_url?: unknown; readonly slack_file?: unknown }): boolean =>
    (picture.image_url === undefined) !== (picture.slack_file === undefined),
  { error: 'needs either image_url or slack_file' },
] as const;

export const imageElement = z.strictObject(pictureFields).refine(...hasOneSource);

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

import { z } from 'zod';

import { actionId, menus } from './block-kit-menus.ts';
import {
  buttonStyle,
  characters,
  choiceOption,
  confirmDialog,
  isAmong,
  overflowOption,
  plainText,
  webAddress,
} from './block-kit-text.ts';

/**
 * The elements in blocks, except menus. Limits: https://docs.slack.dev/reference/block-kit/block-elements. Inputs for
 * files, emails, numbers, URLs and rich text, and workflow buttons are left out: no message of this product uses them,
 * so one that appears is reported as unsupported. So are pictures.
 */

const button = z.strictObject({
  type: z.literal('button'),
  text: plainText(75),
  ...actionId,
  confirm: confirmDialog.optional(),
  value: characters(2000).optional(),
  url: webAddress.optional(),
  style: buttonStyle.optional(),
  accessibility_label: characters(75).optional(),
});

const overflow = z.strictObject({
  type: z.literal('overflow'),
  ...actionId,
  options: z.array(overflowOption).min(1).max(5),
});

const radioButtons = z
  .strictObject({
    type: z.literal('radio_buttons'),
    ...actionId,
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
    ...actionId,
    options: z.array(choiceOption).min(1).max(10),
    initial_options: z.array(choiceOption).min(1).max(10).optional(),
  })
  .refine((boxes) => (boxes.initial_options ?? []).every((option) => isAmong(option, boxes.options)), {
    error: 'initial_options must be among the options',
    path: ['initial_options'],
  });

const plainTextInput = z.strictObject({
  type: z.literal('plain_text_input'),
  ...actionId,
  placeholder: plainText(150).optional(),
  initial_value: z.string().max(3000).optional(),
  multiline: z.boolean().optional(),
  max_length: z.int().min(1).max(3000).optional(),
  dispatch_action_config: z
    .strictObject({
      trigger_actions_on: z.tuple([z.literal('on_enter_pressed')]),
    })
    .optional(),
});

const choices = [radioButtons, checkboxes] as const;

export const actionsElement = z.discriminatedUnion('type', [button, overflow, ...menus, ...choices]);
export const inputElement = z.discriminatedUnion('type', [plainTextInput, ...menus, ...choices]);

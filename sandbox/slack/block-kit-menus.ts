import { z } from 'zod';

import { characters, identifier, isAmong, optionGroup, plainText, selectOption } from './block-kit-text.ts';

/**
 * Select menus and pickers of dates and times, without confirmations, which only buttons have here. Limits: https://docs.slack.dev/reference/block-kit/block-elements. Of
 * the multi-selects only those of options, people and conversations are here, and there is no datetime picker: no
 * message of this product uses the others, so one that appears is reported as unsupported.
 */

export const actionId = { action_id: identifier.optional() };
const menu = { ...actionId, placeholder: plainText(150).optional() };

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

const multiStaticSelect = z
  .strictObject({
    type: z.literal('multi_static_select'),
    ...menu,
    options: z.array(selectOption).min(1).max(100),
    initial_options: z.array(selectOption).min(1).optional(),
    max_selected_items: z.int().min(1).optional(),
  })
  .refine((select) => (select.initial_options ?? []).every((option) => isAmong(option, select.options)), {
    error: 'initial_options must be among the options',
    path: ['initial_options'],
  });

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

const multiUsersSelect = z.strictObject({
  type: z.literal('multi_users_select'),
  ...menu,
  initial_users: z.array(characters(255)).optional(),
  max_selected_items: z.int().min(1).optional(),
});

const ofConversations = {
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
};

const conversationsSelect = z.strictObject({
  type: z.literal('conversations_select'),
  ...menu,
  ...ofConversations,
  initial_conversation: characters(255).optional(),
});

const multiConversationsSelect = z.strictObject({
  type: z.literal('multi_conversations_select'),
  ...menu,
  ...ofConversations,
  initial_conversations: z.array(characters(255)).optional(),
  max_selected_items: z.int().min(1).optional(),
});

const datepicker = z.strictObject({
  type: z.literal('datepicker'),
  ...menu,
  initial_date: z.iso.date().optional(),
});

const timepicker = z.strictObject({
  type: z.literal('timepicker'),
  ...menu,
  initial_time: z.iso.time({ precision: -1 }).optional(),
  timezone: characters(255).optional(),
});

export const menus = [
  staticSelect,
  multiStaticSelect,
  externalSelect,
  usersSelect,
  multiUsersSelect,
  conversationsSelect,
  multiConversationsSelect,
  datepicker,
  timepicker,
] as const;

/** The answer to a `block_suggestion`. */
export const suggestedOptions = z.strictObject({ options: z.array(selectOption).max(100) });

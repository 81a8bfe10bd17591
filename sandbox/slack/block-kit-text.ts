import { z } from 'zod';

/**
 * Block Kit's small objects: texts, options, confirmation dialogs, addresses. Limits:
 * https://docs.slack.dev/reference/block-kit/composition-objects and `@slack/types`.
 */

/** A string of 1 to `max` characters. */
export const characters = (max: number) => z.string().min(1).max(max);

/** block_id, action_id, callback_id and external_id. */
export const identifier = characters(255);

/** A web address of at most 3,000 characters; Slack opens only http and https. */
export const webAddress = characters(3000).refine((text) => hasProtocol(text, ['http:', 'https:']), {
  error: 'must be an http or https URL',
});

/** A link in rich text: Slack turns typed email addresses into mailto links. */
export const richLink = characters(3000).refine((text) => hasProtocol(text, ['http:', 'https:', 'mailto:']), {
  error: 'must be an http, https or mailto URL',
});

/** A plain_text object of at most `max` characters. */
export const plainText = (max: number) =>
  z.strictObject({ type: z.literal('plain_text'), text: characters(max), emoji: z.boolean().optional() });

const markdownText = (max: number) => z.strictObject({ type: z.literal('mrkdwn'), text: characters(max) });

/** A plain_text or mrkdwn object of at most `max` characters. */
export const anyText = (max: number) => z.discriminatedUnion('type', [plainText(max), markdownText(max)]);

const optionRest = { value: characters(75), description: plainText(75).optional() };

/** An option of a select menu. */
export const selectOption = z.strictObject({ text: plainText(75), ...optionRest });

/** An option of an overflow menu: the only kind that can open an address. */
export const overflowOption = z.strictObject({
  text: plainText(75),
  ...optionRest,
  url: webAddress.optional(),
});

/** An option of radio buttons or checkboxes: the only kind whose text can be mrkdwn. */
export const choiceOption = z.strictObject({ text: anyText(75), ...optionRest });

export const optionGroup = z.strictObject({
  label: plainText(75),
  options: z.array(selectOption).min(1).max(100),
});

export const buttonStyle = z.enum(['primary', 'danger']);

/** The "Are you sure?" dialog of an element. */
export const confirmDialog = z.strictObject({
  title: plainText(100),
  text: anyText(300),
  confirm: plainText(30),
  deny: plainText(30),
  style: buttonStyle.optional(),
});

const hasProtocol = (text: string, protocols: readonly string[]): boolean => {
  const url = URL.parse(text);
  return url !== null && protocols.includes(url.protocol);
};

/** Whether the initial choice is one of the options. */
export const isAmong = (
  initial: { readonly value: string } | undefined,
  options: readonly { readonly value: string }[],
): boolean => initial === undefined || options.some((option) => option.value === initial.value);

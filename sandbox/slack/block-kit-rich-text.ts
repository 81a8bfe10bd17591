import { z } from 'zod';

import { characters, identifier, richLink } from './block-kit-text.ts';

/**
 * The rich_text block, after https://docs.slack.dev/reference/block-kit/blocks/rich-text-block, as far as this product
 * uses it: anything else in it is reported.
 */

const style = z
  .strictObject({
    bold: z.boolean().optional(),
    code: z.boolean().optional(),
  })
  .optional();

const text = z.strictObject({ type: z.literal('text'), text: z.string().min(1), style });
const link = z.strictObject({
  type: z.literal('link'),
  url: richLink,
  text: z.string().min(1).optional(),
  style,
});

const inline = z.discriminatedUnion('type', [
  text,
  link,
  z.strictObject({ type: z.literal('user'), user_id: characters(255), style }),
  z.strictObject({ type: z.literal('usergroup'), usergroup_id: characters(255), style }),
  z.strictObject({ type: z.literal('channel'), channel_id: characters(255), style }),
  z.strictObject({ type: z.literal('emoji'), name: characters(255), unicode: z.string().optional(), style }),
  z.strictObject({
    type: z.literal('date'),
    timestamp: z.int(),
    format: characters(255),
    url: richLink.optional(),
    fallback: z.string().optional(),
    style,
  }),
]);

const section = z.strictObject({ type: z.literal('rich_text_section'), elements: z.array(inline) });

const list = z.strictObject({
  type: z.literal('rich_text_list'),
  style: z.literal('bullet'),
  elements: z.array(section).min(1),
});

export const richTextBlock = z.strictObject({
  type: z.literal('rich_text'),
  block_id: identifier.optional(),
  elements: z.array(z.discriminatedUnion('type', [section, list])).min(1),
});

import { z } from 'zod';

import { characters, identifier, richLink } from './block-kit-text.ts';

/** The rich_text block, after https://docs.slack.dev/reference/block-kit/blocks/rich-text-block. */

const style = z
  .strictObject({
    bold: z.boolean().optional(),
    italic: z.boolean().optional(),
    strike: z.boolean().optional(),
    code: z.boolean().optional(),
    underline: z.boolean().optional(),
  })
  .optional();

const text = z.strictObject({ type: z.literal('text'), text: z.string().min(1), style });
const link = z.strictObject({
  type: z.literal('link'),
  url: richLink,
  text: z.string().min(1).optional(),
  unsafe: z.boolean().optional(),
  style,
});

const inline = z.discriminatedUnion('type', [
  text,
  link,
  z.strictObject({ type: z.literal('user'), user_id: characters(255), style }),
  z.strictObject({ type: z.literal('usergroup'), usergroup_id: characters(255), style }),
  z.strictObject({ type: z.literal('channel'), channel_id: characters(255), style }),
  z.strictObject({ type: z.literal('team'), team_id: characters(255), style }),
  z.strictObject({ type: z.literal('emoji'), name: characters(255), unicode: z.string().optional(), style }),
  z.strictObject({ type: z.literal('broadcast'), range: z.enum(['here', 'channel', 'everyone']), style }),
  z.strictObject({ type: z.literal('color'), value: characters(255), style }),
  z.strictObject({
    type: z.literal('date'),
    timestamp: z.int(),
    format: characters(255),
    url: richLink.optional(),
    fallback: z.string().optional(),
    style,
  }),
]);

const border = z.union([z.literal(0), z.literal(1)]).optional();
const section = z.strictObject({ type: z.literal('rich_text_section'), elements: z.array(inline) });

const list = z.strictObject({
  type: z.literal('rich_text_list'),
  style: z.enum(['bullet', 'ordered']),
  elements: z.array(section).min(1),
  indent: z.int().min(0).max(8).optional(),
  offset: z.int().min(0).optional(),
  border,
});

const quote = z.strictObject({ type: z.literal('rich_text_quote'), elements: z.array(inline), border });
const preformatted = z.strictObject({
  type: z.literal('rich_text_preformatted'),
  elements: z.array(z.discriminatedUnion('type', [text, link])),
  border,
});

export const richTextBlock = z.strictObject({
  type: z.literal('rich_text'),
  block_id: identifier.optional(),
  elements: z.array(z.discriminatedUnion('type', [section, list, quote, preformatted])).min(1),
});

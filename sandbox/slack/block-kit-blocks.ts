import { z } from 'zod';

import { ChartBlock } from '../../src/messages/chart.ts';
import {
  accessoryElement,
  actionsElement,
  imageElement,
  inputElement,
  pictureFields,
} from './block-kit-elements.ts';
import { richTextBlock } from './block-kit-rich-text.ts';
import { anyText, identifier, plainText } from './block-kit-text.ts';

/**
 * The blocks. Limits: https://docs.slack.dev/reference/block-kit/blocks. Tables, cards, videos, files, markdown and the
 * blocks for assistants are left out: no message of this product uses them, so one that appears is reported.
 */

const blockId = { block_id: identifier.optional() };

const section = z
  .strictObject({
    type: z.literal('section'),
    ...blockId,
    text: anyText(3000).optional(),
    fields: z.array(anyText(2000)).min(1).max(10).optional(),
    accessory: accessoryElement.optional(),
  })
  .refine((block) => block.text !== undefined || block.fields !== undefined, {
    error: 'missing required field: text or fields',
  });

const header = z.strictObject({ type: z.literal('header'), ...blockId, text: plainText(150) });

const contextElement = z.discriminatedUnion('type', [imageElement, anyText(3000)]);
const context = z.strictObject({
  type: z.literal('context'),
  ...blockId,
  elements: z.array(contextElement).min(1).max(10),
});

const actions = z.strictObject({
  type: z.literal('actions'),
  ...blockId,
  elements: z.array(actionsElement).min(1).max(25),
});

const divider = z.strictObject({ type: z.literal('divider'), ...blockId });

const image = z.strictObject({ ...pictureFields, ...blockId, title: plainText(2000).optional() });

const input = z.strictObject({
  type: z.literal('input'),
  ...blockId,
  label: plainText(2000),
  hint: plainText(2000).optional(),
  optional: z.boolean().optional(),
  dispatch_action: z.boolean().optional(),
  element: inputElement,
});

const block = z.discriminatedUnion('type', [
  section,
  header,
  context,
  actions,
  divider,
  image,
  input,
  richTextBlock,
  ChartBlock,
]);

export type CheckedBlock = z.output<typeof block>;

/** The blocks of a message, at most 50. */
export const messageBlocks = z
  .array(block)
  .max(50)
  .refine((blocks) => blocks.filter(({ type }) => type === 'data_visualization').length <= 2, {
    error: 'more than two data_visualization blocks',
  });

/** The blocks of a modal or the Home tab, at most 100. */
export const viewBlocks = z.array(block).max(100);

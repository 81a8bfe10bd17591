import { z } from 'zod';

import { actionsElement, inputElement } from './block-kit-elements.ts';
import { richTextBlock } from './block-kit-rich-text.ts';
import { anyText, identifier, plainText } from './block-kit-text.ts';

/**
 * The blocks. Limits: https://docs.slack.dev/reference/block-kit/blocks. Other tables, cards, pictures, videos, files, markdown and the
 * blocks for assistants are left out: no message of this product uses them, so one that appears is reported.
 */

const blockId = { block_id: identifier.optional() };

const section = z
  .strictObject({
    type: z.literal('section'),
    ...blockId,
    text: anyText(3000).optional(),
    fields: z.array(anyText(2000)).min(1).max(10).optional(),
    accessory: actionsElement.optional(),
  })
  .refine((block) => block.text !== undefined || block.fields !== undefined, {
    error: 'missing required field: text or fields',
  });

const header = z.strictObject({ type: z.literal('header'), ...blockId, text: plainText(150) });

const context = z.strictObject({
  type: z.literal('context'),
  ...blockId,
  elements: z.array(anyText(3000)).min(1).max(10),
});

const actions = z.strictObject({
  type: z.literal('actions'),
  ...blockId,
  elements: z.array(actionsElement).min(1).max(25),
});

const divider = z.strictObject({ type: z.literal('divider'), ...blockId });

const input = z.strictObject({
  type: z.literal('input'),
  ...blockId,
  label: plainText(2000),
  hint: plainText(2000).optional(),
  optional: z.boolean().optional(),
  dispatch_action: z.boolean().optional(),
  element: inputElement,
});

const cellText = z.string().min(1);
const headCell = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('raw_text'), text: cellText }),
  z.strictObject({ type: z.literal('raw_number'), value: z.number(), text: cellText }),
]);
const cell = z.discriminatedUnion('type', [...headCell.options, richTextBlock]);

/** Source: https://docs.slack.dev/reference/block-kit/blocks/data-table-block. The first row is the header. */
const dataTable = z
  .strictObject({
    type: z.literal('data_table'),
    ...blockId,
    caption: z.string().min(1),
    page_size: z.int().min(1).max(100).optional(),
    rows: z
      .tuple([z.array(headCell).min(1).max(20)], z.array(cell))
      .refine((rows) => rows.length >= 2 && rows.length <= 101, { error: 'needs 2 to 101 rows' })
      .refine((rows) => new Set(rows.map((row) => row.length)).size === 1, {
        error: 'rows differ in length',
      }),
  })
  // Slack doesn't say how it counts rich text.
  .refine(({ rows }) => charactersIn(rows) <= 10_000, { error: 'more than 10,000 characters' });

/** Of text and addresses. */
const charactersIn = (value: unknown): number =>
  typeof value !== 'object' || value === null
    ? 0
    : Object.entries(value).reduce(
        (sum, [key, inner]) =>
          sum +
          (typeof inner === 'string' && (key === 'text' || key === 'url')
            ? inner.length
            : charactersIn(inner)),
        0,
      );

const Category = z.string().min(1).max(20);
const Series = z.strictObject({
  name: z.string().min(1),
  data: z.array(z.strictObject({ label: Category, value: z.number() })),
});

/** Source: docs.slack.dev/reference/block-kit/blocks/data-visualization-block (June 2026). */
const chart = z
  .strictObject({
    type: z.literal('data_visualization'),
    block_id: z.string().min(1).max(255).optional(),
    title: z.string().min(1).max(50),
    chart: z.strictObject({
      type: z.literal('bar'),
      series: z.array(Series).min(1).max(6),
      axis_config: z.strictObject({ categories: z.array(Category).min(1).max(20) }),
    }),
  })
  .refine(
    ({ chart: { series, axis_config: axis } }) => {
      const { categories } = axis;
      return (
        new Set(categories).size === categories.length &&
        series.every(({ data }) => data.map(({ label }) => label).join('\n') === categories.join('\n'))
      );
    },
    { error: 'each series needs one value for each category, and categories differ' },
  );

const block = z.discriminatedUnion('type', [
  section,
  header,
  context,
  actions,
  divider,
  input,
  richTextBlock,
  chart,
  dataTable,
]);

export type CheckedBlock = z.output<typeof block>;

/** The blocks of a message, at most 50. */
export const messageBlocks = z
  .array(block)
  .max(50)
  .refine((blocks) => blocks.filter(({ type }) => type === 'data_visualization').length <= 2, {
    error: 'more than two data_visualization blocks',
  })
  .refine((blocks) => blocks.filter(({ type }) => type === 'data_table').length <= 1, {
    error: 'more than one data_table block',
  });

/** The blocks of a modal or the Home tab, at most 100, without tables. */
export const viewBlocks = z
  .array(block)
  .max(100)
  .refine((blocks) => blocks.every(({ type }) => type !== 'data_table'), { error: 'a data_table in a view' });

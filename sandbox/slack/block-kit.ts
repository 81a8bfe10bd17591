import type { HomeView, KnownBlock, ModalView } from '@slack/types';
import { z } from 'zod';

import { messageBlocks, viewBlocks, type CheckedBlock } from './block-kit-blocks.ts';
import { suggestedOptions } from './block-kit-menus.ts';
import { identifier, plainText } from './block-kit-text.ts';

export type Surface = 'message' | 'modal' | 'home';

const messageText = z
  .string()
  .refine((text) => text.trim() !== '', { error: 'no text for screen readers' })
  .max(4000);
const message = z.looseObject({ text: messageText, blocks: messageBlocks.optional() });

const view = {
  blocks: viewBlocks,
  private_metadata: z.string().max(3000).optional(),
  callback_id: identifier.optional(),
};
const modal = z
  .strictObject({
    type: z.literal('modal'),
    title: plainText(24),
    submit: plainText(24).optional(),
    close: plainText(24).optional(),
    ...view,
  })
  .refine((it) => it.submit !== undefined || !it.blocks.some((block) => block.type === 'input'), {
    error: 'missing required field: submit (a modal with input blocks needs it)',
    path: ['submit'],
  });
const home = z.strictObject({ type: z.literal('home'), ...view });

/**
 * What Slack would refuse in a payload, or what a screen reader would miss.
 *
 * @param surface `message` for the arguments of chat.postMessage, chat.update, chat.postEphemeral or a response_url
 *   (`text` is required, not blank and at most 4,000 characters); `modal` or `home` for a view.
 * @returns one sentence per problem, in Slack's form: `must be less than 151 characters
 *   [json-pointer:/blocks/0/text/text]`; empty if all is well.
 */
export const blockKitProblems = (surface: Surface, payload: unknown): readonly string[] => {
  const parsed = surfaces[surface].safeParse(payload, { reportInput: true });
  return parsed.success ? repeatedIds(parsed.data.blocks ?? []) : parsed.error.issues.map(inWords);
};

/** The same for the blocks of a message alone, as Slack itself checks them: it requires no text beside blocks. */
export const blocksProblems = (blocks: unknown): readonly string[] => {
  const parsed = z.object({ blocks: messageBlocks }).safeParse({ blocks }, { reportInput: true });
  return parsed.success ? repeatedIds(parsed.data.blocks) : parsed.error.issues.map(inWords);
};

export const isMessageBlocks = (value: unknown): value is readonly KnownBlock[] =>
  blocksProblems(value).length === 0;

/** A modal whose blocks have passed the checks. */
export interface Modal extends Omit<ModalView, 'blocks'> {
  readonly blocks: readonly KnownBlock[];
}

export const isModal = (value: unknown): value is Modal => blockKitProblems('modal', value).length === 0;

/** A Home tab whose blocks have passed the checks. */
export interface Home extends Omit<HomeView, 'blocks'> {
  readonly blocks: readonly KnownBlock[];
}

export const isHome = (value: unknown): value is Home => blockKitProblems('home', value).length === 0;

export type Suggestion = z.output<typeof suggestedOptions>;
export type SuggestedOption = Suggestion['options'][number];

/**
 * The answer to a `block_suggestion`: at most 100 options.
 *
 * @returns what Slack would accept, or what is wrong with it.
 */
export const readSuggestion = (
  answer: unknown,
): { readonly suggestion: Suggestion } | { readonly problems: readonly string[] } => {
  const parsed = suggestedOptions.safeParse(answer, { reportInput: true });
  return parsed.success ? { suggestion: parsed.data } : { problems: parsed.error.issues.map(inWords) };
};

const surfaces = { message, modal, home } as const;

const repeatedIds = (blocks: readonly CheckedBlock[]): readonly string[] => {
  const blockIds = blocks.flatMap((block) => block.block_id ?? []);
  return [
    ...repeated(blockIds).map((id) => `block_id already exists: ${id} [json-pointer:/blocks]`),
    // Slack requires unique action ids only within a block: a list repeats the same button in many blocks.
    ...blocks.flatMap((block, index) =>
      repeated(elementsOf(block).flatMap(actionIdOf)).map(
        (id) => `action_id already exists: ${id} [json-pointer:/blocks/${index}]`,
      ),
    ),
  ];
};

type CheckedElement =
  | Extract<CheckedBlock, { type: 'actions' }>['elements'][number]
  | Extract<CheckedBlock, { type: 'input' }>['element']
  | NonNullable<Extract<CheckedBlock, { type: 'section' }>['accessory']>;

const elementsOf = (block: CheckedBlock): readonly CheckedElement[] => {
  if (block.type === 'actions') return block.elements;
  if (block.type === 'input') return [block.element];
  return block.type === 'section' && block.accessory !== undefined ? [block.accessory] : [];
};

const actionIdOf = (element: CheckedElement): readonly string[] =>
  'action_id' in element && element.action_id !== undefined ? [element.action_id] : [];

const repeated = (ids: readonly string[]): readonly string[] => [
  ...new Set(ids.filter((id, index) => ids.indexOf(id) !== index)),
];

const inWords = (issue: z.core.$ZodIssue): string =>
  `${words(issue)} [json-pointer:/${issue.path.map(String).join('/')}]`;

const words = (issue: z.core.$ZodIssue): string => {
  if (issue.code === 'too_big') {
    return issue.origin === 'array'
      ? `no more than ${issue.maximum} items allowed`
      : `must be less than ${Number(issue.maximum) + 1}${issue.origin === 'string' ? ' characters' : ''}`;
  }
  if (issue.code === 'too_small') {
    return issue.origin === 'array'
      ? `no fewer than ${issue.minimum} items allowed`
      : `must be more than ${Number(issue.minimum) - 1}${issue.origin === 'string' ? ' characters' : ''}`;
  }
  if (issue.code === 'unrecognized_keys') return `invalid additional property: ${issue.keys.join(', ')}`;
  if (issue.code === 'invalid_union')
    return `unsupported type: ${typed.catch({ type: 'none' }).parse(issue.input).type}`;
  if (issue.code === 'invalid_type' && issue.input === undefined) {
    return `missing required field: ${String(issue.path.at(-1))}`;
  }
  return issue.message;
};

const typed = z.object({ type: z.string() });

import type { KnownBlock } from '@slack/types';

/** An interactive element as the app sent it, with the ids that lead to it. */
export interface PlacedElement {
  readonly blockId: string;
  readonly actionId: string;
  readonly element: Element;
  /** Whether a modal can't be submitted without a value. */
  readonly required: boolean;
}

export type Element = Exclude<ReturnType<typeof elementsOf>[number], undefined>;

const elementsOf = (block: KnownBlock) => {
  if (block.type === 'actions') return block.elements;
  if (block.type === 'input') return [block.element];
  return block.type === 'section' && block.accessory?.type !== 'image' ? [block.accessory] : [];
};

export const placedElements = (blocks: readonly KnownBlock[]): readonly PlacedElement[] =>
  blocks.flatMap((block) =>
    elementsOf(block).flatMap((element) =>
      element === undefined
        ? []
        : {
            blockId: block.block_id ?? '',
            actionId: element.action_id ?? '',
            element,
            required: block.type === 'input' && block.optional !== true,
          },
    ),
  );

export const elementAt = (
  blocks: readonly KnownBlock[],
  place: { readonly block_id: string; readonly action_id: string },
): PlacedElement | undefined =>
  placedElements(blocks).find((it) => it.blockId === place.block_id && it.actionId === place.action_id);

/** The block with every interactive element changed. */
export const mapElements = (
  block: KnownBlock,
  change: <E extends { readonly type: string; readonly action_id?: string }>(element: E) => E,
): KnownBlock => {
  if (block.type === 'actions')
    return { ...block, elements: block.elements.map((element) => change(element)) };
  if (block.type === 'input') return { ...block, element: change(block.element) };
  if (block.type === 'section' && block.accessory !== undefined && block.accessory.type !== 'image') {
    return { ...block, accessory: change(block.accessory) };
  }
  return block;
};

/** Slack gives an id to every element without one, since presses refer to it. */
export const nameElements = (block: KnownBlock, randomId: () => string): KnownBlock =>
  mapElements(block, (element) => ({ ...element, action_id: element.action_id ?? randomId() }));

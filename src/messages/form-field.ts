import type { InputBlock, KnownBlock } from '@slack/types';

const plain = (text: string) => ({ type: 'plain_text', text, emoji: false }) as const;

/** One input of a form, with its words. */
interface FormField {
  readonly block: string;
  readonly label: string;
  readonly hint?: string;
  readonly element: InputBlock['element'];
  readonly optional?: boolean;
}

export function field({ block, label, hint, element, optional = false }: FormField): KnownBlock {
  return {
    type: 'input',
    block_id: block,
    label: plain(label),
    ...(hint === undefined ? {} : { hint: plain(hint) }),
    element,
    optional,
  };
}

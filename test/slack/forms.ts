import type { PageView } from '../../sandbox/slack/page-api.ts';
import { readable } from '../support/person.ts';

export const shows = (words: string) => (view: PageView) => readable(view.blocks).includes(words);
export const isForm = ({ submit }: PageView) => submit !== undefined;
/** What may be chosen in a form. */
export const choicesIn = ({ blocks }: PageView): readonly string[] =>
  blocks.flatMap((block) =>
    block.type === 'input' && block.element.type === 'radio_buttons'
      ? block.element.options.map(({ value = '' }) => value)
      : [],
  );
/** The initial value of a form's field. */
export const suggestionIn = ({ blocks }: PageView): string | undefined =>
  blocks.flatMap((block) =>
    block.type === 'input' && block.element.type === 'plain_text_input'
      ? [block.element.initial_value ?? '']
      : [],
  )[0];

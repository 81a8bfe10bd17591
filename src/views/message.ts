import type { ActionsBlockElement, KnownBlock } from '@slack/types';
import { bullets, paragraph, spokenLine } from './rich-text.ts';
import type { Line } from './rich-text.ts';
import { LIMITS, short } from './text.ts';

/** What a person is shown: a message, or the inside of a modal. `text` is whole without the blocks. */
export interface Message {
  readonly text: string;
  readonly blocks: KnownBlock[];
  /** What takes the message's place at a given time: a link that has run out must not stay. */
  readonly until?: { readonly at: Date; readonly instead: Message };
}

/** A part of a message, from which its blocks and its text are made. */
export type Part =
  | { readonly is: 'heading'; readonly text: string }
  | { readonly is: 'lines'; readonly lines: readonly Line[] }
  | { readonly is: 'bullets'; readonly lines: readonly Line[] }
  | { readonly is: 'buttons'; readonly buttons: readonly ActionsBlockElement[] }
  | { readonly is: 'rule' };

export const heading = (text: string): Part => ({ is: 'heading', text });
export const lines = (...given: readonly Line[]): Part => ({ is: 'lines', lines: given });
export const points = (...given: readonly Line[]): Part => ({ is: 'bullets', lines: given });
export const buttons = (...given: readonly ActionsBlockElement[]): Part => ({
  is: 'buttons',
  buttons: given,
});
export const rule: Part = { is: 'rule' };

function block(part: Part): KnownBlock {
  switch (part.is) {
    case 'heading':
      return { type: 'header', text: { type: 'plain_text', text: short(part.text, 150), emoji: false } };
    case 'lines':
      return paragraph(part.lines);
    case 'bullets':
      return bullets(part.lines);
    case 'buttons':
      return { type: 'actions', elements: [...part.buttons] };
    case 'rule':
      return { type: 'divider' };
  }
}

function spoken(part: Part): readonly string[] {
  switch (part.is) {
    case 'heading':
      return [spokenLine([part.text])];
    case 'lines':
      return part.lines.map(spokenLine);
    case 'bullets':
      return part.lines.map((line) => `- ${spokenLine(line)}`);
    case 'buttons':
    case 'rule':
      return [];
  }
}

/** Puts the parts together. Text over Slack's limit is cut at a line's end. */
export function message(...parts: readonly Part[]): Message {
  const kept: string[] = [];
  let length = 0;
  for (const line of parts.flatMap(spoken)) {
    length += line.length + 1;
    if (length > LIMITS.messageText) {
      kept.push('…');
      break;
    }
    kept.push(line);
  }
  // Slack refuses a row without buttons.
  const shown = parts.filter((part) => part.is !== 'buttons' || part.buttons.length > 0);
  return { text: kept.join('\n'), blocks: shown.slice(0, LIMITS.messageBlocks).map(block) };
}

/** A message of a sentence or two. */
export function notice(...given: readonly Line[]): Message {
  return message(lines(...given));
}

/** An answer with something said before it. */
export function after(first: Message, answer: Message): Message {
  return { ...answer, text: `${first.text}\n${answer.text}`, blocks: [...first.blocks, ...answer.blocks] };
}

import type { ActionsBlockElement, Button, KnownBlock, SectionBlockAccessory } from '@slack/types';
import {
  bullets,
  emoji,
  fieldText,
  given as saidOf,
  LIMITS,
  paragraph,
  plain,
  short,
  spokenLine,
  type FieldPiece,
  type Line,
  type Maybe,
} from './text.ts';

/** A message, or a modal's content. `text` says everything without the blocks. */
export interface Message {
  readonly text: string;
  readonly blocks: KnownBlock[];
  /** What replaces the message at a given time: an expired link must not stay. */
  readonly until?: { readonly at: Date; readonly instead: Message };
}

/** A line of a row. The mark before it is only visual: the text says the same. */
export interface RowLine {
  readonly text: string;
  readonly mark?: string;
}

/** A named fact, for two columns. Left out if it's empty. */
export interface Field {
  /** In words of ours. */
  readonly label: string;
  readonly value: readonly FieldPiece[];
}

/** A part of a message, from which its blocks and its text are made. */
export type Part =
  | { readonly is: 'heading'; readonly text: string }
  | { readonly is: 'lines'; readonly lines: readonly Line[] }
  | { readonly is: 'bullets'; readonly lines: readonly Line[] }
  | {
      readonly is: 'row';
      readonly lines: readonly RowLine[];
      readonly accessory: SectionBlockAccessory | undefined;
    }
  | { readonly is: 'buttons'; readonly buttons: readonly ActionsBlockElement[] }
  | { readonly is: 'fields'; readonly fields: readonly Field[] }
  | { readonly is: 'context'; readonly pieces: readonly FieldPiece[] }
  | { readonly is: 'rule' };

export const heading = (text: string): Part => ({ is: 'heading', text });
export const lines = (...given: readonly Maybe<Line>[]): Part => ({ is: 'lines', lines: saidOf(given) });
export const points = (...given: readonly Line[]): Part => ({ is: 'bullets', lines: given });
export const buttons = (...given: readonly Maybe<ActionsBlockElement>[]): Part => ({
  is: 'buttons',
  buttons: saidOf(given),
});
/** A list item as plain text, with an action beside it. */
export const row = (given: readonly RowLine[], accessory?: SectionBlockAccessory): Part => ({
  is: 'row',
  lines: given,
  accessory,
});

/** As plain text: mrkdwn would read a visitor's name as markup, and rich text has no place for an accessory. */
function rowBlock({ lines: shown, accessory }: Extract<Part, { is: 'row' }>): KnownBlock {
  const text = shown.map((line) => (line.mark === undefined ? line.text : `${line.mark} ${line.text}`));
  return {
    type: 'section',
    text: { type: 'plain_text', text: text.join('\n').slice(0, LIMITS.sectionText), emoji: false },
    accessory,
  };
}

/** Facts in two columns: names on the left, values on the right; one below the other on a phone. */
export const fields = (...given: readonly Maybe<Field>[]): Part => ({ is: 'fields', fields: saidOf(given) });
/** Secondary facts, in small print beside each other: Slack takes ten. */
export const context = (...pieces: readonly FieldPiece[]): Part => ({ is: 'context', pieces });
export const rule: Part = { is: 'rule' };

/** A section holds ten texts, and each field takes two. */
const FIELDS_A_SECTION = 5;

const isSaid = (piece: FieldPiece): boolean => typeof piece !== 'string' || piece.trim() !== '';

function columns(given: readonly Field[]): readonly KnownBlock[] {
  const said = given.filter(({ value }) => value.some(isSaid));
  const sections = Math.ceil(said.length / FIELDS_A_SECTION);
  return Array.from({ length: sections }, (_, index) => ({
    type: 'section',
    fields: said
      .slice(index * FIELDS_A_SECTION, (index + 1) * FIELDS_A_SECTION)
      .flatMap(({ label, value }) => [{ type: 'mrkdwn', text: `*${label}*` } as const, fieldText(value)]),
  }));
}

function blocksOf(part: Part): readonly KnownBlock[] {
  switch (part.is) {
    case 'heading':
      return [{ type: 'header', text: { type: 'plain_text', text: short(part.text, 150), emoji: false } }];
    case 'lines':
      return part.lines.length === 0 ? [] : [paragraph(part.lines)];
    case 'bullets':
      return [bullets(part.lines)];
    case 'row':
      return [rowBlock(part)];
    case 'buttons':
      // Slack refuses a row without buttons.
      return part.buttons.length === 0 ? [] : [{ type: 'actions', elements: [...part.buttons] }];
    case 'fields':
      return columns(part.fields);
    case 'context': {
      const said = part.pieces.filter(isSaid);
      // Slack refuses a context without texts, and an empty text.
      return said.length === 0
        ? []
        : [{ type: 'context', elements: said.map((piece) => fieldText([piece])) }];
    }
    case 'rule':
      return [{ type: 'divider' }];
    default:
      return part satisfies never;
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
    case 'row':
      return part.lines.map(({ text }) => spokenLine([text]));
    case 'fields':
      return part.fields
        .filter(({ value }) => value.some(isSaid))
        .map(({ label, value }) => [`${label}: `, ...value])
        .map(spokenLine);
    case 'context':
      return part.pieces.some(isSaid) ? [part.pieces.map((piece) => spokenLine([piece])).join(' ')] : [];
    case 'buttons':
    case 'rule':
      return [];
    default:
      return part satisfies never;
  }
}

/** Joins the parts. Text over Slack's limit is cut at the end of a line. */
export function message(...given: readonly Maybe<Part>[]): Message {
  const parts = saidOf(given);
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
  return { text: kept.join('\n'), blocks: parts.flatMap(blocksOf).slice(0, LIMITS.messageBlocks) };
}

/** Each kind's emoji stands beside words that say the same. */
const STATUS = {
  done: emoji('white_check_mark', '2705'),
  waiting: emoji('hourglass_flowing_sand', '23f3'),
  problem: emoji('warning', '26a0-fe0f'),
  refused: emoji('no_entry', '26d4'),
} as const;
export type Status = keyof typeof STATUS;

/** Lines about how something went, behind an emoji. */
export function status(kind: Status, [first = [], ...others]: readonly Line[]): Part {
  return lines([STATUS[kind], ...first], ...others);
}

const noticeOf =
  (kind: Status) =>
  (...given: readonly Maybe<Line>[]): Message =>
    message(status(kind, saidOf(given)));

/** A message of a sentence or two. */
export const notice = (...given: readonly Maybe<Line>[]): Message => message(lines(...given));
/** The same for something that is done, under way, failed or not allowed. */
export const done = noticeOf('done');
export const waiting = noticeOf('waiting');
export const problem = noticeOf('problem');
export const refusal = noticeOf('refused');

/** Shown while an answer takes longer that can't take its place: it's as true once that stands below it. */
export const answerFollows = notice(['This takes a moment. The answer comes below.']);
/** Shown in the answer's place meanwhile. */
export const stillWorking = waiting(['Still working on it…']);
const stillSearching = waiting(['Still searching…']);

/** The same for what may begin by looking for someone. */
export const stillBusy = (asked?: { readonly searches: boolean }): Message =>
  asked?.searches === true ? stillSearching : stillWorking;

/** A message with a button below it. */
export function withButton(answer: Message, one: Button): Message {
  return { ...answer, blocks: [...answer.blocks, { type: 'actions', elements: [one] }] };
}

/** An answer with something said before it. */
export function after(first: Message, answer: Message): Message {
  return { ...answer, text: `${first.text}\n${answer.text}`, blocks: [...first.blocks, ...answer.blocks] };
}

/** A button: `actionId` names what it does, `value` carries the data. */
export interface ButtonWords {
  readonly text: string;
  readonly actionId: string;
  readonly value: string;
  /** For screen readers: the text, and what it's about. */
  readonly label: string;
  readonly style?: 'primary' | 'danger';
  /** Also opens this address. */
  readonly url?: string;
  /** Asked before a press that ends or removes something. */
  readonly confirm?: {
    readonly title: string;
    readonly text: string;
    readonly yes: string;
    readonly no: string;
  };
}

export function button(words: ButtonWords): Button {
  return {
    type: 'button',
    action_id: words.actionId,
    text: plain(words.text, LIMITS.buttonText),
    value: words.value,
    accessibility_label: short(words.label, LIMITS.accessibilityLabel),
    style: words.style,
    url: words.url,
    ...(words.confirm === undefined
      ? {}
      : {
          confirm: {
            title: plain(words.confirm.title, 100),
            text: plain(words.confirm.text, LIMITS.confirmText),
            confirm: plain(words.confirm.yes, 30),
            deny: plain(words.confirm.no, 30),
            style: 'danger' as const,
          },
        }),
  };
}

/** Slack's limit for a `block_id`. */
const LONGEST_BLOCK_ID = 255;

/** Slack wants a new `block_id` when a message changes, so each kind of message has its own. */
type Kind =
  | `${'card' | 'in-session'}${string}`
  | 'concluded'
  | 'undelivered'
  | 'summary'
  | `summary-${string}`;

const NAMED =
  /^visitor-(?:(?:card|in-session)(?:-\d+-\d+)?|concluded|undelivered|summary(?:-[a-z-]+)?):(.+)$/s;

/**
 * Puts the visitor's id where a message shortcut can read it again: into the name of the first block, which nobody is
 * shown. Slack hands a shortcut the blocks of its message, and not its metadata.
 */
export function ofVisitor(whole: Message, visitorId: string, kind: Kind): Message {
  const [first, ...rest] = whole.blocks;
  const block_id = `visitor-${kind}:${visitorId}`;
  if (first === undefined || block_id.length > LONGEST_BLOCK_ID) return whole;
  return { ...whole, blocks: [{ ...first, block_id }, ...rest] };
}

/** The visitor that blocks of ours are about. Anyone's blocks can claim that, so check whose they are first. */
export function visitorNamed(blockIds: readonly string[]): string | undefined {
  return blockIds.map((id) => NAMED.exec(id)?.[1]).find((id) => id !== undefined);
}

/** A message's address in Slack. Source: the form of what chat.getPermalink returns. */
export function messageAddress(
  workspaceUrl: string | undefined,
  channelId: string,
  ts: string | undefined,
): string | undefined {
  const url = URL.parse(workspaceUrl ?? '');
  if (url?.protocol !== 'https:' || ts === undefined) return undefined;
  return new URL(`/archives/${encodeURIComponent(channelId)}/p${ts.replace('.', '')}`, url).href;
}

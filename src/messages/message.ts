import type {
  ActionsBlockElement,
  Button,
  KnownBlock,
  MrkdwnElement,
  PlainTextElement,
  RichTextBlock,
  RichTextDate,
  RichTextElement,
  RichTextSection,
  RichTextUserMention,
  SectionBlockAccessory,
} from '@slack/types';
import type { ChartBlock } from './chart.ts';
import { emoji, given, LIMITS, plain, short, type Line, type Maybe, type Piece } from './text.ts';

/** A message or a modal's content. `text` says everything without the blocks. */
export interface Message {
  readonly text: string;
  readonly blocks: KnownBlock[];
  /** What a message of its own shows in place of it, with a chart or a table. Where Slack refuses that, this. */
  readonly richer?: { readonly text: string; readonly blocks: (KnownBlock | ChartBlock)[] };
  /** Replaces the message then: an expired link must not stay. */
  readonly until?: { readonly at: Date; readonly instead: Message };
}

/** `mark` is only visual: the text says the same. */
export interface RowLine {
  readonly text: string;
  readonly mark?: string;
}

export type FieldPiece = string | RichTextUserMention | RichTextDate;

/** For two columns; left out if it's empty. */
export interface Field {
  readonly label: string;
  readonly value: readonly FieldPiece[];
}

/** Blocks, and the lines that say the same. */
export interface Part {
  readonly blocks: readonly KnownBlock[];
  readonly spoken: readonly string[];
}

function elementsOf(piece: Piece): readonly RichTextElement[] {
  const element = typeof piece === 'string' ? ({ type: 'text', text: piece } as const) : piece;
  // Slack refuses a message with an empty text.
  if ('text' in element && element.text === '') return [];
  return element.type === 'emoji' ? [element, { type: 'text', text: ' ' }] : [element];
}

const section = (said: readonly Line[]): RichTextSection => ({
  type: 'rich_text_section',
  elements: said.flatMap((line, index) => [index === 0 ? '' : '\n', ...line]).flatMap(elementsOf),
});

export const paragraph = (said: readonly Line[]): RichTextBlock => ({
  type: 'rich_text',
  elements: [section(said)],
});

/** Source: docs.slack.dev/messaging/formatting-message-text#escaping. */
export const escapeMrkdwn = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

function inText(piece: Piece): string {
  if (typeof piece === 'string') return escapeMrkdwn(piece);
  switch (piece.type) {
    case 'text':
      return escapeMrkdwn(piece.text);
    case 'link':
      return escapeMrkdwn(piece.text ?? '');
    case 'emoji':
      return '';
    case 'date':
      return `<!date^${piece.timestamp}^${piece.format}|${piece.fallback}>`;
    case 'user':
      return `<@${piece.user_id}>`;
    case 'usergroup':
      return `group ${escapeMrkdwn(piece.usergroup_id)}`;
    case 'channel':
      return `<#${piece.channel_id}>`;
  }
}

/** As top-level message text: escaped, without links. */
export const spokenLine = (line: Line): string => line.map(inText).join('');

/**
 * One of two columns can't contain rich text. Words alone are plain text; people and times need mrkdwn, so only our own words
 * can stand beside them. Source: docs.slack.dev/messaging/formatting-message-text.
 */
const fieldText = (value: readonly FieldPiece[]): PlainTextElement | MrkdwnElement =>
  value.every((piece) => typeof piece === 'string')
    ? plain(value.join(''), LIMITS.fieldText)
    : { type: 'mrkdwn', text: spokenLine(value) };

export const heading = (text: string): Part => ({
  blocks: [{ type: 'header', text: plain(text, 150) }],
  spoken: [spokenLine([text])],
});
export function lines(...maybe: readonly Maybe<Line>[]): Part {
  const said = given(maybe);
  return { blocks: said.length === 0 ? [] : [paragraph(said)], spoken: said.map(spokenLine) };
}
export const points = (...said: readonly Line[]): Part => ({
  blocks: [
    {
      type: 'rich_text',
      elements: [{ type: 'rich_text_list', style: 'bullet', elements: said.map((line) => section([line])) }],
    },
  ],
  spoken: said.map((line) => `- ${spokenLine(line)}`),
});
/** Slack refuses a row without buttons. */
export function buttons(...maybe: readonly Maybe<ActionsBlockElement>[]): Part {
  const elements = [...given(maybe)];
  return { blocks: elements.length === 0 ? [] : [{ type: 'actions', elements }], spoken: [] };
}

/** A list item with an action. Plain text: mrkdwn would read a visitor's name as markup, and rich text has no accessory. */
export function row(shown: readonly RowLine[], accessory?: SectionBlockAccessory): Part {
  const text = shown.map((line) => (line.mark === undefined ? line.text : `${line.mark} ${line.text}`));
  return {
    blocks: [{ type: 'section', text: plain(text.join('\n').slice(0, LIMITS.sectionText)), accessory }],
    spoken: shown.map((line) => spokenLine([line.text])),
  };
}

/** A section holds ten texts, and each field takes two. */
const FIELDS_A_SECTION = 5;

const isSaid = (piece: FieldPiece): boolean => typeof piece !== 'string' || piece.trim() !== '';

/** Two columns, names on the left; one below the other on a phone. */
export function fields(...maybe: readonly Maybe<Field>[]): Part {
  const said = given(maybe).filter(({ value }) => value.some(isSaid));
  const sections = Math.ceil(said.length / FIELDS_A_SECTION);
  return {
    blocks: Array.from({ length: sections }, (_, index) => ({
      type: 'section',
      fields: said
        .slice(index * FIELDS_A_SECTION, (index + 1) * FIELDS_A_SECTION)
        .flatMap(({ label, value }) => [{ type: 'mrkdwn', text: `*${label}*` } as const, fieldText(value)]),
    })),
    spoken: said.map(({ label, value }) => spokenLine([`${label}: `, ...value])),
  };
}

/** Small print. Slack takes ten texts, and refuses none or an empty one. */
export function context(...pieces: readonly FieldPiece[]): Part {
  const said = pieces.filter(isSaid);
  if (said.length === 0) return { blocks: [], spoken: [] };
  return {
    blocks: [{ type: 'context', elements: said.map((piece) => fieldText([piece])) }],
    spoken: [pieces.map((piece) => spokenLine([piece])).join(' ')],
  };
}

export const rule: Part = { blocks: [{ type: 'divider' }], spoken: [] };

/** Text over Slack's limit is cut at the end of a line. */
export function message(...maybe: readonly Maybe<Part>[]): Message {
  const parts = given(maybe);
  const kept: string[] = [];
  let length = 0;
  for (const line of parts.flatMap(({ spoken }) => spoken)) {
    length += line.length + 1;
    if (length > LIMITS.messageText) {
      kept.push('…');
      break;
    }
    kept.push(line);
  }
  return {
    text: kept.join('\n'),
    blocks: parts.flatMap(({ blocks }) => blocks).slice(0, LIMITS.messageBlocks),
  };
}

const STATUS = {
  done: emoji('white_check_mark', '2705'),
  waiting: emoji('hourglass_flowing_sand', '23f3'),
  problem: emoji('warning', '26a0-fe0f'),
  refused: emoji('no_entry', '26d4'),
} as const;
export type Status = keyof typeof STATUS;

export const status = (kind: Status, [first = [], ...others]: readonly Line[]): Part =>
  lines([STATUS[kind], ...first], ...others);

const noticeOf =
  (kind: Status) =>
  (...said: readonly Maybe<Line>[]): Message =>
    message(status(kind, given(said)));

export const notice = (...said: readonly Maybe<Line>[]): Message => message(lines(...said));
export const done = noticeOf('done');
export const waiting = noticeOf('waiting');
export const problem = noticeOf('problem');
export const refusal = noticeOf('refused');

/** For an answer that can't take its place: still true once that stands below it. */
export const answerFollows = notice(['This takes a moment. The answer comes below.']);
export const stillWorking = waiting(['Still working on it…']);

export const withButton = (answer: Message, one: Button): Message => ({
  ...answer,
  blocks: [...answer.blocks, { type: 'actions', elements: [one] }],
});

export const after = (first: Message, answer: Message): Message => ({
  ...answer,
  text: `${first.text}\n${answer.text}`,
  blocks: [...first.blocks, ...answer.blocks],
});

/** `actionId` names what it does, `value` carries the data, if it needs any. */
export interface ButtonWords {
  readonly text: string;
  readonly actionId: string;
  readonly value?: string;
  /** For screen readers: the text, and what it's about. */
  readonly label: string;
  readonly style?: 'primary' | 'danger';
  readonly url?: string;
  readonly confirm?: {
    readonly title: string;
    readonly text: string;
    readonly yes: string;
    readonly no: string;
  };
}

export const button = ({ confirm, ...words }: ButtonWords): Button => ({
  type: 'button',
  action_id: words.actionId,
  text: plain(words.text, LIMITS.buttonText),
  value: words.value ?? words.actionId,
  accessibility_label: short(words.label, LIMITS.accessibilityLabel),
  style: words.style,
  url: words.url,
  confirm: confirm && {
    title: plain(confirm.title, 100),
    text: plain(confirm.text, LIMITS.confirmText),
    confirm: plain(confirm.yes, 30),
    deny: plain(confirm.no, 30),
    style: 'danger',
  },
});

/** Slack's limit for a `block_id`. */
const LONGEST_BLOCK_ID = 255;

/**
 * Puts the visitor's id into the first block's name: Slack hands a shortcut its message's blocks, not its metadata.
 *
 * @param kind in lower case, and another one for each change: Slack wants a new name then
 */
export function ofVisitor(whole: Message, visitorId: string, kind: string): Message {
  const [first, ...rest] = whole.blocks;
  const block_id = `visitor-${kind}:${visitorId}`;
  if (first === undefined || block_id.length > LONGEST_BLOCK_ID) return whole;
  return { ...whole, blocks: [{ ...first, block_id }, ...rest] };
}

/** Anyone's blocks can claim to be about a visitor, so check whose they are first. */
export function visitorNamed(blockIds: readonly string[]): string | undefined {
  return blockIds.map((id) => /^visitor-[a-z\d-]+:(.+)$/s.exec(id)?.[1]).find((id) => id !== undefined);
}

/** Source: the form of what chat.getPermalink returns. */
export function messageAddress(
  workspaceUrl: string | undefined,
  channelId: string,
  ts: string | undefined,
): string | undefined {
  const url = URL.parse(workspaceUrl ?? '');
  if (url?.protocol !== 'https:' || ts === undefined) return undefined;
  return new URL(`/archives/${encodeURIComponent(channelId)}/p${ts.replace('.', '')}`, url).href;
}

import type {
  MrkdwnElement,
  PlainTextElement,
  RichTextBlock,
  RichTextBlockElement,
  RichTextElement,
  RichTextSection,
} from '@slack/types';

/** Slack's limits that our messages can reach. Source: docs.slack.dev/reference/block-kit and chat.postMessage. */
export const LIMITS = {
  messageText: 3_900,
  messageBlocks: 50,
  sectionText: 3_000,
  fieldText: 2_000,
  buttonText: 75,
  buttonValue: 2_000,
  accessibilityLabel: 75,
  confirmText: 300,
  optionText: 75,
  optionValue: 75,
  /** Options of a select menu, or groups of them. */
  options: 100,
  /** Options of a group of radio buttons. */
  choices: 10,
  modalTitle: 24,
  inputLabel: 150,
} as const;

// An emoji of several characters, of which some are invisible alone: flags, keycaps, and pictures with a skin tone, in color
// or joined. Source: unicode.org/reports/tr51, "possible emoji".
const PICTURE = String.raw`\p{Extended_Pictographic}(?:\p{Emoji_Modifier}|\uFE0F)?`;
const EMOJI = String.raw`\p{RGI_Emoji_Tag_Sequence}|${PICTURE}(?:\u200D${PICTURE})*|[0-9#*]\uFE0F?\u20E3`;
// What is invisible, hides text or reverses the reading direction: a name must not rearrange the words around it. The
// Braille blank and the annotation marks are invisible too, though Unicode doesn't list them there.
const UNSEEN = String.raw`[\p{Default_Ignorable_Code_Point}\u2800\uFFF9-\uFFFB]`;
const SEEN_OR_NOT = new RegExp(`(?<emoji>${EMOJI})|${UNSEEN}`, 'gv');
const CONTROLS_AND_SPACE = /[\p{Cc}\p{Zl}\p{Zp}\s]+/gu;

const characters = new Intl.Segmenter('en');

/** Cut where a character begins, as readers see characters: an emoji of several isn't cut apart. */
function cutTo(text: string, longest: number): string {
  const start = characters.segment(text).containing(longest)?.index ?? 0;
  // One letter can carry any number of marks, so the first character may be too long.
  return start > 0 ? text.slice(0, start) : text.slice(0, longest).replace(/[\uD800-\uDBFF\u200D]+$/, '');
}

/**
 * Foreign text made harmless to read: one line, no control or direction marks, at most `longest` characters
 * as JavaScript counts them, which fits however Slack counts those beyond the first plane.
 * Only its form: how it is shown as text and not as markup is the business of rich text and {@link escapeMrkdwn}.
 */
export function short(text: string, longest = 120): string {
  // Nobody reads 10,000 characters: cut before the work, and again after it.
  const clean = text
    .slice(0, longest * 4)
    .toWellFormed()
    .replaceAll(SEEN_OR_NOT, '$<emoji>')
    .replaceAll(CONTROLS_AND_SPACE, ' ')
    .trim();
  if (clean.length <= longest) return clean;
  return `${cutTo(clean, longest - 1).trimEnd()}…`;
}

/** For text that Slack reads as mrkdwn. Source: docs.slack.dev/messaging/formatting-message-text#escaping. */
export function escapeMrkdwn(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** @param longest cut to it; without one for words of ours */
export const plain = (text: string, longest?: number) =>
  ({ type: 'plain_text', text: longest === undefined ? text : short(text, longest), emoji: false }) as const;

/** "1 session", "3 sessions". */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${number.toLocaleString('en-US')} ${number === 1 ? one : many}`;
}

/** How long ago something was, in words: "just now", "2 minutes ago", "5 hours ago", "3 days ago". */
export function ago(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  const hours = Math.floor(minutes / 60);
  if (minutes < 1) return 'just now';
  if (hours < 1) return `${count(minutes, 'minute')} ago`;
  return hours < 48 ? `${count(hours, 'hour')} ago` : `${count(Math.floor(hours / 24), 'day')} ago`;
}

/** A length of time in words: "45 seconds", "12 minutes 5 seconds", "2 hours 3 minutes". */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const hours = Math.floor(whole / 3_600);
  const minutes = Math.floor((whole % 3_600) / 60);
  const rest = whole % 60;
  if (hours > 0)
    return minutes === 0 ? count(hours, 'hour') : `${count(hours, 'hour')} ${count(minutes, 'minute')}`;
  if (minutes > 0)
    return rest === 0 ? count(minutes, 'minute') : `${count(minutes, 'minute')} ${count(rest, 'second')}`;
  return count(rest, 'second');
}

/** The same in a title: "45 s", "6 min", "2 h 3 min". */
export function briefly(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole} s`;
  const minutes = Math.round(whole / 60);
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return [...(hours > 0 ? [`${hours} h`] : []), ...(rest > 0 ? [`${rest} min`] : [])].join(' ');
}

/*
 * Everything we say goes out as Slack's rich text: its text is never read as markup, so a visitor who calls itself
 * `<!channel>` or `*x*` is just that. The same pieces make the top-level text that a screen reader gets.
 */
type Style = { readonly bold?: true; readonly code?: true };

/** A part of a line. A plain string is plain text. */
export type Piece =
  | string
  | { readonly is: 'text'; readonly text: string; readonly style: Style }
  | { readonly is: 'emoji'; readonly name: string; readonly unicode: string }
  | { readonly is: 'date'; readonly at: Date; readonly format: string }
  | { readonly is: 'link'; readonly url: string; readonly text: string }
  | { readonly is: 'user'; readonly userId: string }
  | { readonly is: 'group'; readonly groupId: string }
  | { readonly is: 'channel'; readonly channelId: string };

export type Line = readonly Piece[];

/** Left out where there is none: `isTheirs && button(…)`. */
export type Maybe<Value> = Value | false | undefined;

export const given = <Value>(all: readonly Maybe<Value>[]): readonly Value[] =>
  all.filter((one): one is Value => one !== false && one !== undefined);

/** A line with pieces in it: say`Time to follow up with ${bold(name)}.` */
export const say = (words: TemplateStringsArray, ...pieces: readonly Maybe<Piece | Line>[]): Line =>
  words.flatMap((text, index) => [text, ...given([pieces[index]]).flat()]).filter((piece) => piece !== '');

type UserPiece = Extract<Piece, { readonly is: 'user' }>;
type DatePiece = Extract<Piece, { readonly is: 'date' }>;
/** What one of two columns can contain. */
export type FieldPiece = string | UserPiece | DatePiece;

export const bold = (text: string): Piece => ({ is: 'text', text, style: { bold: true } });
export const code = (text: string): Piece => ({ is: 'text', text, style: { code: true } });
/** Only visual: screen readers get the words beside it. @param unicode code points in hexadecimal, joined by "-" */
export const emoji = (name: string, unicode: string): Piece => ({ is: 'emoji', name, unicode });
/**
 * "Today at 11:46 PM", in the reader's own time zone. Slack writes "Today" with a capital, so a date starts a phrase or stands
 * alone: "Ended: Today at 11:46 PM".
 */
export const date = (at: Date): DatePiece => ({ is: 'date', at, format: '{date_short_pretty} at {time}' });
/** "Nov 3, 2026 at 11:46 PM", in the reader's own time zone: without a capital "Today", so also inside a sentence. */
export const plainDate = (at: Date): DatePiece => ({ is: 'date', at, format: '{date_short} at {time}' });
/** "Today", "Nov 3, 2026", in the reader's own time zone. */
export const day = (at: Date): DatePiece => ({ is: 'date', at, format: '{date_short_pretty}' });
/** "11:46 PM", in the reader's own time zone: for what is minutes away, also inside a sentence. */
export const time = (at: Date): DatePiece => ({ is: 'date', at, format: '{time}' });
export const link = (url: string, text: string): Piece => ({ is: 'link', url, text });
export const user = (userId: string): UserPiece => ({ is: 'user', userId });
/** A user group: only for Home and modals, since a message would notify every member. */
export const group = (groupId: string): Piece => ({ is: 'group', groupId });
export const channel = (channelId: string): Piece => ({ is: 'channel', channelId });
// Slack refuses a whole message that mentions an id it doesn't know.
/** A person by a stored id, which may be none of Slack's. */
export const who = (id: string): Piece =>
  /^[UW][A-Z0-9]{5,}$/.test(id) ? user(id) : code(short(id, 30) || 'the app');
/** The same for a channel. */
export const where = (id: string): Piece =>
  /^[CGD][A-Z0-9]{5,}$/.test(id) ? channel(id) : code(short(id, 30));

function utc(at: Date): string {
  return `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

const inSeconds = (at: Date) => Math.floor(at.getTime() / 1_000);

function richElement(piece: Exclude<Piece, string>): RichTextElement {
  switch (piece.is) {
    case 'text':
      return { type: 'text', text: piece.text, style: piece.style };
    case 'emoji':
      return { type: 'emoji', name: piece.name, unicode: piece.unicode };
    case 'date':
      return {
        type: 'date',
        timestamp: inSeconds(piece.at),
        format: piece.format,
        fallback: utc(piece.at),
      };
    case 'link':
      return { type: 'link', url: piece.url, text: piece.text };
    case 'user':
      return { type: 'user', user_id: piece.userId };
    case 'group':
      return { type: 'usergroup', usergroup_id: piece.groupId };
    case 'channel':
      return { type: 'channel', channel_id: piece.channelId };
  }
}

/** Slack refuses the whole message if one text in it is empty. */
function isEmpty(piece: Piece): boolean {
  return piece === '' || (typeof piece === 'object' && 'text' in piece && piece.text === '');
}

function section(lines: readonly Line[]): RichTextSection {
  const elements: RichTextElement[] = [];
  for (const [index, line] of lines.entries()) {
    if (index > 0) elements.push({ type: 'text', text: '\n' });
    for (const piece of line) {
      if (isEmpty(piece)) continue;
      elements.push(typeof piece === 'string' ? { type: 'text', text: piece } : richElement(piece));
      if (typeof piece === 'object' && piece.is === 'emoji') elements.push({ type: 'text', text: ' ' });
    }
  }
  return { type: 'rich_text_section', elements };
}

/** A paragraph of lines. */
export function paragraph(lines: readonly Line[]): RichTextBlock {
  return { type: 'rich_text', elements: [section(lines)] };
}

/** A bulleted list, one line per bullet. */
export function bullets(lines: readonly Line[]): RichTextBlock {
  const list: RichTextBlockElement = {
    type: 'rich_text_list',
    style: 'bullet',
    elements: lines.map((line) => section([line])),
  };
  return { type: 'rich_text', elements: [list] };
}

function marked(piece: FieldPiece): string {
  if (typeof piece === 'string') return escapeMrkdwn(piece);
  if (piece.is === 'user') return `<@${piece.userId}>`;
  return `<!date^${inSeconds(piece.at)}^${piece.format}|${utc(piece.at)}>`;
}

/**
 * A value in one of two columns, which can't contain rich text. Words alone are plain text, never read as markup; people and
 * times need mrkdwn, so only our own words can stand beside them. Source: docs.slack.dev/messaging/formatting-message-text.
 */
export function fieldText(value: readonly FieldPiece[]): PlainTextElement | MrkdwnElement {
  const isWords = value.every((piece) => typeof piece === 'string');
  if (!isWords) return { type: 'mrkdwn', text: value.map(marked).join('') };
  return { type: 'plain_text', text: short(value.join(''), LIMITS.fieldText), emoji: false };
}

function spoken(piece: Piece): string {
  if (typeof piece === 'string') return escapeMrkdwn(piece);
  switch (piece.is) {
    case 'text':
    case 'link':
      return escapeMrkdwn(piece.text);
    case 'emoji':
      return '';
    case 'date':
      // Slack's dates start in 1970.
      return inSeconds(piece.at) < 0
        ? utc(piece.at)
        : `<!date^${inSeconds(piece.at)}^${piece.format}|${utc(piece.at)}>`;
    case 'user':
      return `<@${piece.userId}>`;
    case 'group':
      return `group ${escapeMrkdwn(piece.groupId)}`;
    case 'channel':
      return `<#${piece.channelId}>`;
  }
}

/** The line as plain text for a file, with people and channels by id. */
export const plainLine = (line: Line): string =>
  line
    .map((piece) => {
      if (typeof piece === 'string') return piece;
      switch (piece.is) {
        case 'text':
        case 'link':
          return piece.text;
        case 'emoji':
          return '';
        case 'date':
          return utc(piece.at);
        case 'user':
          return piece.userId;
        case 'group':
          return piece.groupId;
        case 'channel':
          return piece.channelId;
        default:
          return piece satisfies never;
      }
    })
    .join('');

/** The line as top-level message text: escaped, without links. */
export function spokenLine(line: Line): string {
  return line.map(spoken).join('');
}

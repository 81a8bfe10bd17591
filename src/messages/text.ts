import type {
  RichTextChannelMention,
  RichTextDate,
  RichTextEmoji,
  RichTextLink,
  RichTextText,
  RichTextUsergroupMention,
  RichTextUserMention,
} from '@slack/types';

/** Source: docs.slack.dev/reference/block-kit and chat.postMessage. */
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
  /** Of a select menu. */
  options: 100,
  /** Of radio buttons. */
  choices: 10,
  modalTitle: 24,
  inputLabel: 150,
} as const;

// Emoji of several characters, some invisible alone: flags, keycaps, and pictures with a skin tone, in color or joined.
// Source: unicode.org/reports/tr51, "possible emoji".
const PICTURE = String.raw`\p{Extended_Pictographic}(?:\p{Emoji_Modifier}|\uFE0F)?`;
const EMOJI = String.raw`\p{RGI_Emoji_Tag_Sequence}|${PICTURE}(?:\u200D${PICTURE})*|[0-9#*]\uFE0F?\u20E3`;
// Invisible, hiding text or reversing its direction: a name must not rearrange the words around it. Unicode
// doesn't list the Braille blank and the annotation marks there.
const UNSEEN = String.raw`[\p{Default_Ignorable_Code_Point}\u2800\uFFF9-\uFFFB]`;
const SEEN_OR_NOT = new RegExp(`(?<emoji>${EMOJI})|${UNSEEN}`, 'gv');
const CONTROLS_AND_SPACE = /[\p{Cc}\p{Zl}\p{Zp}\s]+/gu;

const characters = new Intl.Segmenter('en');

function cutTo(text: string, longest: number): string {
  const start = characters.segment(text).containing(longest)?.index ?? 0;
  // One letter can carry any number of marks, so the first character may be too long.
  return start > 0 ? text.slice(0, start) : text.slice(0, longest).replace(/[\uD800-\uDBFF\u200D]+$/, '');
}

/**
 * Foreign text made harmless to read: one line, no control or direction marks, at most `longest` UTF-16 units, which fits
 * however Slack counts. Not escaped.
 */
export function short(text: string, longest = 120): string {
  // Cut before the work, too.
  const clean = text
    .slice(0, longest * 4)
    .toWellFormed()
    .replaceAll(SEEN_OR_NOT, '$<emoji>')
    .replaceAll(CONTROLS_AND_SPACE, ' ')
    .trim();
  if (clean.length <= longest) return clean;
  return `${cutTo(clean, longest - 1).trimEnd()}…`;
}

/** @param longest omitted for words of ours */
export const plain = (text: string, longest?: number) =>
  ({ type: 'plain_text', text: longest === undefined ? text : short(text, longest), emoji: false }) as const;

export const count = (number: number, one: string, many = `${one}s`): string =>
  `${number.toLocaleString('en-US')} ${number === 1 ? one : many}`;

/** "just now", "2 minutes ago", "5 hours ago", "3 days ago". */
export function ago(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  const hours = Math.floor(minutes / 60);
  if (minutes < 1) return 'just now';
  if (hours < 1) return `${count(minutes, 'minute')} ago`;
  return hours < 48 ? `${count(hours, 'hour')} ago` : `${count(Math.floor(hours / 24), 'day')} ago`;
}

/** "45 seconds", "12 minutes 5 seconds", "2 hours 3 minutes". */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const [hours, minutes, rest] = [Math.floor(whole / 3_600), Math.floor((whole % 3_600) / 60), whole % 60];
  const parts = [
    hours > 0 && count(hours, 'hour'),
    minutes > 0 && count(minutes, 'minute'),
    hours === 0 && rest > 0 && count(rest, 'second'),
  ];
  return given(parts).join(' ') || count(0, 'second');
}

/** For titles: "45 s", "6 min", "2 h 3 min". */
export function briefly(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole} s`;
  const minutes = Math.round(whole / 60);
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return given([hours > 0 && `${hours} h`, rest > 0 && `${rest} min`]).join(' ');
}

/* Rich text is never read as markup, so a visitor called `<!channel>` or `*x*` is just that. */

export type Piece =
  | string
  | RichTextText
  | RichTextEmoji
  | RichTextDate
  | RichTextLink
  | RichTextUserMention
  | RichTextUsergroupMention
  | RichTextChannelMention;

export type Line = readonly Piece[];

/** Falsy is left out: `isTheirs && button(…)`. */
export type Maybe<Value> = Value | false | undefined;

export const given = <Value>(all: readonly Maybe<Value>[]): readonly Value[] =>
  all.filter((one): one is Value => one !== false && one !== undefined);

/** say`Time to follow up with ${bold(name)}.` */
export const say = (words: TemplateStringsArray, ...pieces: readonly Maybe<Piece | Line>[]): Line =>
  words.flatMap((text, index) => [text, ...given([pieces[index]]).flat()]).filter((piece) => piece !== '');

/** "a, b or c" is `joined([a, b, c], ', ', ' or ')`. */
export const joined = (all: readonly (Piece | Line)[], between: string, last = between): Line =>
  all.flatMap((one, index) => {
    if (index === 0) return one;
    return [index === all.length - 1 ? last : between, one].flat();
  });

export const bold = (text: string): Piece => ({ type: 'text', text, style: { bold: true } });
export const code = (text: string): Piece => ({ type: 'text', text, style: { code: true } });
/** Screen readers get the words beside it. @param unicode code points in hexadecimal, joined by "-" */
export const emoji = (name: string, unicode: string): Piece => ({ type: 'emoji', name, unicode });

const dateIn = (at: Date, format: string): RichTextDate => ({
  type: 'date',
  timestamp: Math.floor(at.getTime() / 1_000),
  format,
  fallback: `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`,
});
/** "Today at 11:46 PM", in the reader's time zone. "Today" has a capital, so it starts a phrase or stands alone. */
export const date = (at: Date) => dateIn(at, '{date_short_pretty} at {time}');
/** "Nov 3, 2026 at 11:46 PM": without a capital "Today", so also inside a sentence. */
export const plainDate = (at: Date) => dateIn(at, '{date_short} at {time}');
/** "Today", "Nov 3, 2026". */
export const day = (at: Date) => dateIn(at, '{date_short_pretty}');
/** "11:46 PM": for what is minutes away, also inside a sentence. */
export const time = (at: Date) => dateIn(at, '{time}');
export const link = (url: string, text: string): Piece => ({ type: 'link', url, text });
export const user = (user_id: string): RichTextUserMention => ({ type: 'user', user_id });
/** For Home and modals: in a message it would notify every member. */
export const group = (usergroup_id: string): Piece => ({ type: 'usergroup', usergroup_id });
export const channel = (channel_id: string): Piece => ({ type: 'channel', channel_id });
// Slack refuses a whole message that mentions an id it doesn't know.
/** By a stored id, which may be none of Slack's. */
export const who = (id: string): Piece =>
  /^[UW][A-Z0-9]{5,}$/.test(id) ? user(id) : code(short(id, 30) || 'the app');
export const where = (id: string): Piece =>
  /^[CGD][A-Z0-9]{5,}$/.test(id) ? channel(id) : code(short(id, 30));

function inFile(piece: Piece): string {
  if (typeof piece === 'string') return piece;
  if ('text' in piece) return piece.text ?? '';
  if (piece.type === 'date') return piece.fallback ?? '';
  if (piece.type === 'user') return piece.user_id;
  if (piece.type === 'channel') return piece.channel_id;
  return piece.type === 'usergroup' ? piece.usergroup_id : '';
}

/** Plain text for a file, with people and channels by id. */
export const plainLine = (line: Line): string => line.map(inFile).join('');

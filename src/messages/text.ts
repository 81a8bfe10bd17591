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

// An emoji of several characters, of which some are invisible alone: flags, keycaps, and pictures with a skin tone, in colour
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

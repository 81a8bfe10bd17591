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

// Marks that reverse the reading direction or are invisible: a name must not rearrange the words around it.
const UNSEEN = /[\u00AD\u061C\u180E\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF\uFFF9-\uFFFB]/gu;
const CONTROLS_AND_SPACE = /[\p{Cc}\p{Zl}\p{Zp}\s]+/gu;

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
    .replaceAll(UNSEEN, '')
    .replaceAll(CONTROLS_AND_SPACE, ' ')
    .trim();
  if (clean.length <= longest) return clean;
  const cut = clean.slice(0, longest - 1).replace(/[\uD800-\uDBFF]$/, '');
  return `${cut.trimEnd()}…`;
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

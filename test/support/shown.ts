import { blockKitProblems, type Surface } from '../../sandbox/slack/block-kit.ts';
import type { Sent } from '../../sandbox/slack/web-api.ts';

/** Something that people see in Slack: a message, a modal or a Home tab. */
interface Shown {
  readonly surface: Surface;
  readonly payload: unknown;
}

function entriesOf(value: unknown): ReadonlyMap<string, unknown> {
  return new Map(typeof value === 'object' && value !== null ? Object.entries(value) : []);
}

/** What a call shows; nothing for one that only asks. */
export function shownBy({ method, args }: Sent): readonly Shown[] {
  const given = entriesOf(args);
  const view = given.get('view');
  if (view !== undefined)
    return [{ surface: entriesOf(view).get('type') === 'home' ? 'home' : 'modal', payload: view }];
  if (method === 'chat.getPermalink') return [];
  const isMessage = method.startsWith('chat.') || method === 'response_url' || given.has('text');
  return isMessage ? [{ surface: 'message', payload: args }] : [];
}

const TEXT_KEYS = new Set(['text', 'fallback', 'accessibility_label', 'alt_text']);
const URL_KEYS = new Set(['url', 'image_url', 'title_url']);
// Control characters but the line break, marks that turn the reading direction, halves of a character.
const UNREADABLE = /[\p{Cc}\p{Cs}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/u;

/** Where a link of a message may lead; plain http only on this machine, in tests. */
const SAFE_ADDRESS = /^(?:https:\/\/|http:\/\/(?:127\.0\.0\.1|localhost|\[::1\])[:/])[\x21-\x7e]+$/;

/**
 * The only mrkdwn: columns hold no rich text. In it a name of ours is bold, and a person or a time stands alone or
 * follows an outcome. Nothing foreign gets in.
 */
const OUR_MARKUP =
  /^(?:\*[A-Z][a-z]+(?: [a-z]+)?\*|(?:(?:Solved|Follow up|Other), set by )?<@[UW][A-Z0-9]+>|<!date\^-?\d+\^\{date_short_pretty\} at \{time\}\|[-\d]+ [\d:]+ UTC>)$/;

/**
 * Text that Slack would read as markup, characters that would rearrange the words around them, and addresses that a
 * browser shouldn't be sent to.
 */
function harmfulText(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(harmfulText);
  if (typeof value !== 'object' || value === null) return [];
  const { type, text } = Object.fromEntries(entriesOf(value));
  const isMarkup = type === 'mrkdwn' && !(typeof text === 'string' && OUR_MARKUP.test(text));
  const markup = isMarkup ? [`mrkdwn is used: ${JSON.stringify(text)}`] : [];
  const within = Object.entries(value).flatMap(([key, inner]) => {
    if (typeof inner !== 'string') return harmfulText(inner);
    if (URL_KEYS.has(key) && !SAFE_ADDRESS.test(inner)) return [`unsafe address ${JSON.stringify(inner)}`];
    const isBad = TEXT_KEYS.has(key) && UNREADABLE.test(inner.replaceAll('\n', ' '));
    return isBad ? [`unreadable characters in ${JSON.stringify(inner)}`] : [];
  });
  return [...markup, ...within];
}

/** A message's text is mrkdwn wherever blocks aren't shown: on a phone's lock screen, or for a screen reader. */
function unescapedText(payload: unknown): readonly string[] {
  const text = entriesOf(payload).get('text');
  if (typeof text !== 'string') return [];
  const rest = text
    .replaceAll(/<[@#][A-Z0-9]+>|<!date\^-?\d+\^[^<>|^]+\|[^<>|]+>/g, '')
    .replaceAll(/&(?:amp|lt|gt);/g, '');
  return /[<>&]/.test(rest) ? [`markup in the text ${JSON.stringify(text)}`] : [];
}

/** A button named otherwise than it reads cannot be asked for by voice. Source: WCAG 2.2, 2.5.3 Label in Name. */
function misnamed(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(misnamed);
  if (typeof value !== 'object' || value === null) return [];
  const given = entriesOf(value);
  const [name, text] = [given.get('accessibility_label'), entriesOf(given.get('text')).get('text')];
  const isMisnamed =
    typeof name === 'string' && typeof text === 'string' && !name.toLowerCase().includes(text.toLowerCase());
  return [
    ...(isMisnamed ? [`a button reads ${JSON.stringify(text)} and is named ${JSON.stringify(name)}`] : []),
    ...Object.values(value).flatMap(misnamed),
  ];
}

/** What is wrong with something shown: Slack would refuse it, or foreign text in it is more than text. */
export function problemsIn({ surface, payload }: Shown): readonly string[] {
  const markup = surface === 'message' ? unescapedText(payload) : [];
  return [...blockKitProblems(surface, payload), ...harmfulText(payload), ...misnamed(payload), ...markup];
}

import type { SharedMessage } from '../commands/shortcut.ts';
import type { MessageShortcutPayload } from './payloads.ts';

/** The keys of blocks and attachments that hold text for people. */
const TEXT_KEYS = new Set(['text', 'fallback', 'title', 'pretext', 'value', 'url', 'title_link']);
const DEEPEST = 12;

function textsIn(value: unknown, depth = 0): string[] {
  if (depth > DEEPEST || typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((entry) => textsIn(entry, depth + 1));
  return Object.entries(value).flatMap(([key, inner]) =>
    typeof inner === 'string' ? (TEXT_KEYS.has(key) ? [inner] : []) : textsIn(inner, depth + 1),
  );
}

/** The text of the message a shortcut was used on; helpdesk apps put theirs into blocks or attachments. */
export function sharedMessage({ message }: MessageShortcutPayload): SharedMessage {
  const { text, blocks, attachments, user, bot_id: botId } = message;
  const all = [text, ...textsIn(blocks), ...textsIn(attachments)].filter((part) => typeof part === 'string');
  return {
    text: all.join('\n'),
    ...(user === undefined || botId !== undefined ? {} : { authorId: user }),
  };
}

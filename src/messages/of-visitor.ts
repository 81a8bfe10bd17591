import type { SessionOutcome } from './session-outcome.ts';
import type { Message } from './message.ts';

/** Slack's limit for a `block_id`. */
const LONGEST = 255;

/** Slack wants a new `block_id` when a message changes, so each kind of message has its own. */
type Kind = 'card' | 'in-session' | 'concluded' | 'undelivered' | 'summary' | `summary-${SessionOutcome}`;

const NAMED = /^visitor-(?:card|in-session|concluded|undelivered|summary(?:-[a-z-]+)?):(.+)$/s;

/**
 * Puts the visitor's id where a message shortcut can read it again: into the name of the first block, which nobody is
 * shown. Slack hands a shortcut the blocks of its message, and not its metadata.
 */
export function ofVisitor(message: Message, visitorId: string, kind: Kind): Message {
  const [first, ...rest] = message.blocks;
  const block_id = `visitor-${kind}:${visitorId}`;
  if (first === undefined || block_id.length > LONGEST) return message;
  return { ...message, blocks: [{ ...first, block_id }, ...rest] };
}

/** The visitor that blocks of ours are about. Anyone's blocks can claim that, so check whose they are first. */
export function visitorNamed(blockIds: readonly string[]): string | undefined {
  return blockIds.map((id) => NAMED.exec(id)?.[1]).find((id) => id !== undefined);
}

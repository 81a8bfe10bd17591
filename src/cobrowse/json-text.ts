import type { z } from 'zod';

/*
 * JSON.parse blocks everything else, and bytes don't say for how long: a megabyte of braces takes a second. So an answer is
 * looked through as it arrives, and what's over a limit is never parsed.
 */

const MIB = 1024 * 1024;
const MOST_NESTED = 64;
/** A list's entries are cut, not what's in an entry: the deepest list of ours is `agent.sessions`. */
const DEEPEST_LIST = 3;

const [QUOTE, BACKSLASH] = [0x22, 0x5c] as const;
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [0x7b, 0x7d, 0x5b, 0x5d] as const;

/** An answer that can't be right, or is too much to read. The message never quotes it. */
export class UnreadableAnswerError extends Error {
  override readonly name = 'UnreadableAnswerError';
  /** The limit that it's over, as `over-1-MiB`. */
  readonly code: string | undefined;

  constructor(message: string, code?: string) {
    super(message);
    this.code = code;
  }
}

/** @throws UnreadableAnswerError where the answer isn't of this shape */
export function readAs<Value>(schema: z.ZodType<Value>, json: unknown): Value {
  const read = schema.safeParse(json);
  if (read.success) return read.data;
  const places = read.error.issues.map((issue) => `${issue.path.join('.') || 'answer'} (${issue.code})`);
  throw new UnreadableAnswerError(`the answer cannot be read at ${places.join(', ')}`);
}

/** How much of an answer is read. */
export interface JsonLimits {
  readonly mebibytes: number;
  /** Objects and lists. */
  readonly things: number;
  /** A list that's too large is read as far as it arrived. */
  readonly canBeCut?: boolean;
}

/** A text in JSON that arrives in parts. */
export interface JsonText {
  /** @returns whether the rest can be left unread @throws UnreadableAnswerError if it's over a limit */
  write(part: Uint8Array): boolean;
  text(): string;
  /** Whether the end of a list is missing. */
  isCut(): boolean;
  /** @throws UnreadableAnswerError */
  value(): unknown;
}

export function createJsonText({ mebibytes, things: mostThings, canBeCut = false }: JsonLimits): JsonText {
  // What isn't UTF-8 is replaced, as everywhere else, instead of refused.
  const decoder = new TextDecoder();
  /** What closes each object and list that is open. */
  const open: string[] = [];
  let text = '';
  let bytes = 0;
  let things = 0;
  let isQuoted = false;
  let isEscaped = false;
  /** Up to the end of a list's last whole entry, and what closes the text there. */
  let whole = { length: 0, ending: '' };

  function enter(end: string): void {
    open.push(end);
    things += 1;
    if (open.length > MOST_NESTED)
      throw new UnreadableAnswerError('the answer is nested too deeply', `over-${MOST_NESTED}-levels`);
    if (things > mostThings)
      throw new UnreadableAnswerError('the answer holds too much', `over-${mostThings}-things`);
  }

  function leave(length: number): void {
    open.pop();
    if (canBeCut && open.length <= DEEPEST_LIST && open.at(-1) === ']')
      whole = { length, ending: open.toReversed().join('') };
  }

  function add(part: string): void {
    for (let at = 0; at < part.length; at += 1) {
      const letter = part.charCodeAt(at);
      if (isEscaped) isEscaped = false;
      else if (letter === QUOTE) isQuoted = !isQuoted;
      else if (isQuoted) isEscaped = letter === BACKSLASH;
      else if (letter === OPEN_BRACE) enter('}');
      else if (letter === OPEN_BRACKET) enter(']');
      else if (letter === CLOSE_BRACE || letter === CLOSE_BRACKET) leave(text.length + at + 1);
    }
    text += part;
  }

  const isCut = () => bytes > mebibytes * MIB;

  return {
    write(part) {
      const room = mebibytes * MIB - bytes;
      bytes += part.length;
      if (part.length > room && !canBeCut) throw tooLarge(mebibytes);
      add(decoder.decode(part.subarray(0, room), { stream: true }));
      return isCut();
    },
    text: () => text,
    isCut,
    value() {
      if (!isCut()) return parsed(text);
      if (whole.length === 0) throw tooLarge(mebibytes);
      return parsed(text.slice(0, whole.length) + whole.ending);
    },
  };
}

const tooLarge = (mebibytes: number) =>
  new UnreadableAnswerError('the answer is too large', `over-${mebibytes}-MiB`);

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    // The parser's own message quotes the answer, which may hold anything.
    throw new UnreadableAnswerError('the answer is no JSON');
  }
}

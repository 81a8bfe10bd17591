/*
 * JSON.parse blocks everything else, and bytes don't say for how long: a megabyte of braces takes a second. So an answer is
 * looked through as it arrives, and its list is parsed an entry at a time.
 */

const MIB = 1024 * 1024;
/** For one entry, or for all that's around the list: anything larger isn't real. */
const MOST_BYTES_OF_ONE = 2 * MIB;
const MOST_NESTED = 64;
/** Objects and lists in one entry, or around the list. */
const MOST_THINGS = 50_000;
/** Entries that aren't what the list is for. */
const MOST_USELESS = 10_000;
/** Longer names lead to no list of ours. */
const LONGEST_NAME = 32;

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a] as const;
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [0x7b, 0x7d, 0x5b, 0x5d] as const;
const SPACE = 0x20;

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

export const tooLarge = (bytes: number) =>
  new UnreadableAnswerError('the answer is too large', `over-${bytes / MIB}-MiB`);

/** An answer, taken apart as it arrives. Every function throws an UnreadableAnswerError for what can't be read. */
export interface JsonParts {
  write(part: Uint8Array): void;
  /** All but the list's entries. */
  rest(): unknown;
  /** The same as far as it's known, if the list has begun. */
  restSoFar(): unknown;
}

/**
 * @param path where its list is
 * @param take gets each entry and its bytes; false: it isn't what the list is for
 */
export function createJsonParts(
  path: readonly string[],
  take: (entry: unknown, bytes: number) => boolean,
): JsonParts {
  const listName = ['', ...path].join('.');
  const open: { readonly name: string; readonly end: string }[] = [];
  const outside = createPiece();
  let entry: ReturnType<typeof createPiece> | undefined;
  let isInList = false;
  let isText = false;
  let isEscaped = false;
  let word = '';
  let key = '';
  let useless = 0;

  function enter(end: string): void {
    const outer = open.at(-1);
    open.push({ name: outer === undefined ? '' : `${outer.name}.${key}`.slice(0, LONGEST_NAME), end });
    if (open.length > MOST_NESTED)
      throw new UnreadableAnswerError('the answer is nested too deeply', `over-${MOST_NESTED}-levels`);
    (entry ?? outside).count();
  }

  function endEntry(whole: ReturnType<typeof createPiece>): void {
    entry = undefined;
    if (take(parsed(whole.text()), whole.bytes())) return;
    useless += 1;
    if (useless > MOST_USELESS) throw new UnreadableAnswerError('the list holds something else');
  }

  /** @returns from where the rest of the part is still to be kept */
  function structure(byte: number, part: Uint8Array, from: number, at: number): number {
    const wasInList = isInList;
    if (entry !== undefined && wasInList && (byte === COMMA || byte === CLOSE_BRACKET)) {
      entry.keep(part.subarray(from, at));
      endEntry(entry);
    }
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) enter(byte === OPEN_BRACE ? '}' : ']');
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) open.pop();
    key = byte === COLON ? word : '';
    const innermost = open.at(-1);
    isInList = innermost?.end === ']' && open.length === path.length + 1 && innermost.name === listName;
    if (isInList && byte === OPEN_BRACKET) outside.keep(part.subarray(from, at + 1));
    return wasInList && byte === CLOSE_BRACKET ? at : from;
  }

  return {
    write(part) {
      let from = 0;
      for (let at = 0; at < part.length; at += 1) {
        const byte = part[at] ?? 0;
        if (isText) {
          if (isEscaped) isEscaped = false;
          else if (byte === BACKSLASH) isEscaped = true;
          else if (byte === QUOTE) isText = false;
          if (isText && entry === undefined && word.length < LONGEST_NAME) word += String.fromCharCode(byte);
          continue;
        }
        if (isInList && entry === undefined && byte > SPACE && byte !== COMMA && byte !== CLOSE_BRACKET) {
          entry = createPiece();
          from = at;
        }
        if (byte === QUOTE) [isText, word] = [true, ''];
        else if (STRUCTURE.has(byte)) from = structure(byte, part, from, at);
      }
      if (entry !== undefined) entry.keep(part.subarray(from));
      else if (!isInList) outside.keep(part.subarray(from));
    },
    rest: () => parsed(outside.text()),
    restSoFar() {
      if (!isInList && entry === undefined) return undefined;
      const ends = open.slice(0, path.length + 1).map(({ end }) => end);
      return parsed(outside.text() + ends.toReversed().join(''));
    },
  };
}

const STRUCTURE: ReadonlySet<number> = new Set([
  COMMA,
  COLON,
  OPEN_BRACE,
  CLOSE_BRACE,
  OPEN_BRACKET,
  CLOSE_BRACKET,
]);

/** A text that arrives in parts, of a bounded size. */
function createPiece() {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  let things = 0;
  return {
    keep(part: Uint8Array): void {
      parts.push(part);
      bytes += part.length;
      if (bytes > MOST_BYTES_OF_ONE) throw tooLarge(MOST_BYTES_OF_ONE);
    },
    count(): void {
      things += 1;
      if (things > MOST_THINGS)
        throw new UnreadableAnswerError('the answer holds too much', `over-${MOST_THINGS}-things`);
    },
    bytes: () => bytes,
    // What isn't UTF-8 is replaced, as everywhere else, instead of refused.
    text: () => new TextDecoder().decode(Buffer.concat(parts)),
  };
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    // The parser's own message quotes the answer, which may hold anything.
    throw new UnreadableAnswerError('the answer is no JSON');
  }
}

/** @throws UnreadableAnswerError */
export function readJson(text: string): unknown {
  const parts = createJsonParts(NO_LIST, () => false);
  parts.write(Buffer.from(text));
  return parts.rest();
}

/** Longer than a name can be. */
const NO_LIST = ['x'.repeat(LONGEST_NAME)];

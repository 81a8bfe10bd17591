/** A text or file that was looked through, by the name that a finding is told under. */
export interface Place {
  readonly name: string;
  readonly content: Buffer;
}

export interface Secret {
  readonly name: string;
  readonly value: string;
}

/** @param content a text, or what becomes one as JSON */
export const placeOf = (name: string, content: unknown): Place => ({
  name,
  content: Buffer.from(typeof content === 'string' ? content : JSON.stringify(content ?? null)),
});

/** So much of a secret in one piece is told as a finding: a cut-off one still gives much away. */
const PIECE = 12;

/** A secret's pieces, and the whole of it in the writings that would hide them. */
function traces(value: string): readonly string[] {
  const count = Math.max(1, value.length - PIECE + 1);
  const pieces = Array.from({ length: count }, (_, start) => value.slice(start, start + PIECE));
  const bytes = Buffer.from(value);
  // Base64 of a text depends on where in it the secret begins: without the edges, these are all three ways.
  const inBase64 = [0, 1, 2]
    .map((offset) =>
      Buffer.concat([Buffer.alloc(offset), bytes])
        .toString('base64')
        .slice(4, -4),
    )
    .filter((trace) => trace.length >= PIECE);
  return [...pieces, bytes.toString('hex'), ...inBase64, encodeURIComponent(value)];
}

/** Traces in the letters of their bytes, and whose they are, by their beginning. */
type Index = ReadonlyMap<string, readonly { readonly name: string; readonly letters: string }[]>;

const lettersOf = (bytes: Buffer) => bytes.toString('latin1');

/** So one pass over a place finds them all, however many secrets there are. */
function indexOf(secrets: readonly Secret[]): Index {
  const all = secrets.flatMap(({ name, value }) =>
    traces(value).map((trace) => ({ name, letters: lettersOf(Buffer.from(trace)) })),
  );
  return Map.groupBy(all, ({ letters }) => letters.slice(0, PIECE));
}

function namesIn(text: string, index: Index): ReadonlySet<string> {
  const found = new Set<string>();
  for (let at = 0; at + PIECE <= text.length; at += 1) {
    for (const { name, letters } of index.get(text.slice(at, at + PIECE)) ?? []) {
      if (text.startsWith(letters, at)) found.add(name);
    }
  }
  // Secrets shorter than a piece begin with all that they are.
  for (const [beginning, short] of index) {
    if (beginning.length < PIECE && text.includes(beginning)) short.forEach(({ name }) => found.add(name));
  }
  return found;
}

/** Where any of the secrets, or a piece of one, can be read; a line each, never with the secret in it. */
export function findSecrets(places: readonly Place[], secrets: readonly Secret[]): readonly string[] {
  const index = indexOf(secrets);
  return places.flatMap(({ name: place, content }) => {
    const found = namesIn(lettersOf(content), index);
    return [...new Set(secrets.map(({ name }) => name))]
      .filter((name) => found.has(name))
      .map((name) => `${name} in ${place}`);
  });
}

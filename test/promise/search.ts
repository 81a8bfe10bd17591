/** A text or file that was looked through, by the name that a finding is told under. */
export interface Place {
  readonly name: string;
  readonly content: Buffer;
}

export interface Secret {
  readonly name: string;
  readonly value: string;
}

/** So much of a secret in one piece is told as a finding: a cut-off one still gives much away. */
const PIECE = 12;

/** A secret's pieces, and the whole of it in the writings that would hide them. */
function traces(value: string): readonly string[] {
  const count = Math.max(1, value.length - PIECE + 1);
  const pieces = Array.from({ length: count }, (_, start) => value.slice(start, start + PIECE));
  const bytes = Buffer.from(value);
  // Base64 of a text depends on where in it the secret begins: without the edges, these are all three ways.
  const inBase64 = [0, 1, 2].map((offset) =>
    Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .slice(4, -4),
  );
  return [...pieces, bytes.toString('hex'), ...inBase64, encodeURIComponent(value)];
}

/** Where any of the secrets, or a piece of one, can be read; a line each, never with the secret in it. */
export function findSecrets(places: readonly Place[], secrets: readonly Secret[]): readonly string[] {
  const wanted = secrets.map(({ name, value }) => ({
    name,
    traces: traces(value).map((one) => Buffer.from(one)),
  }));
  return places.flatMap(({ name: place, content }) =>
    wanted.flatMap(({ name, traces: all }) =>
      all.some((trace) => content.includes(trace)) ? [`${name} in ${place}`] : [],
    ),
  );
}

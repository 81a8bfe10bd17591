/** How people of the sandbox and of the tests write about themselves: foreign text stays as it is. */
const FOREIGN = [/O'(?:Brien|Connor|Hara)/gi, /"><img.*/gs, /hostile" onfocus="\S*/g];

/** What is quoted is somebody else's words, and "" is code: a setting without a value. */
const QUOTED = /“[^”]*”|""/g;

function textsIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(textsIn);
  if (typeof value !== 'object' || value === null) return [];
  const { style }: { readonly style?: unknown } = value;
  const isCode = typeof style === 'object' && style !== null && 'code' in style;
  if (isCode) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    if (typeof inner !== 'string') return textsIn(inner);
    return TEXT_KEYS.has(key) ? [inner] : [];
  });
}

const TEXT_KEYS = new Set(['text', 'accessibility_label', 'alt_text']);

const hasStraightQuote = (text: string): boolean =>
  /['"]/.test(FOREIGN.reduce((rest, words) => rest.replaceAll(words, ''), text.replaceAll(QUOTED, '')));

/**
 * The texts with straight quotes or apostrophes in a message, modal or Home: ours are typographic. Code, addresses and
 * what others wrote don't count. A message with blocks is read by those: its text is the same words, with code among them.
 */
export function straightQuotesIn(payload: unknown): readonly string[] {
  const hasBlocks = typeof payload === 'object' && payload !== null && 'blocks' in payload;
  const read = hasBlocks ? { ...payload, text: undefined } : payload;
  return textsIn(read)
    .filter(hasStraightQuote)
    .map((text) => `straight quotes in ${JSON.stringify(text)}`);
}

/** The same for a page of HTML. */
export function straightQuotesOnPage(html: string): readonly string[] {
  const words = html
    .replaceAll(/<style>.*?<\/style>|<[^>]*>/gs, ' ')
    .replaceAll('&#39;', "'")
    .replaceAll('&#34;', '"');
  return hasStraightQuote(words) ? [`straight quotes in ${JSON.stringify(words)}`] : [];
}

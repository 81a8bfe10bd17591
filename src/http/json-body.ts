import { gunzipSync } from 'node:zlib';
import { BodyError } from './body.ts';

/** Nothing to unpack. Some senders write the letters' encoding here, which says nothing that the bytes don't. */
const PLAIN = /^(?:identity|utf-?(?:8|16|32))?$/i;
const GZIP = /^(?:x-)?gzip$/i;

/** Whether {@link readJson} can read a body with this `content-encoding`. */
export function canUnpack(contentEncoding = ''): boolean {
  const codings = contentEncoding.split(',').map((coding) => coding.trim());
  const packed = codings.filter((coding) => !PLAIN.test(coding));
  return packed.length === 0 || (packed.length === 1 && GZIP.test(packed[0] ?? ''));
}

/** By its first bytes: something in between may have unpacked a body without saying so. */
function unpacked(body: Buffer, limitBytes: number): Buffer {
  if (body[0] !== 0x1f || body[1] !== 0x8b) return body;
  try {
    // One at a time, so that many of them at once take no more memory than one.
    return gunzipSync(body, { maxOutputLength: limitBytes });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new BodyError('too-large', `The unpacked body is larger than ${limitBytes} bytes.`);
  }
}

function textOfUtf32(body: Buffer): string {
  let text = '';
  for (let at = 0; at + 4 <= body.length; at += 4) {
    const letter = body.readUInt32LE(at);
    text += letter > 0x10_ff_ff ? '\uFFFD' : String.fromCodePoint(letter);
  }
  return text.toWellFormed();
}

/** JSON begins with two ASCII letters or a byte order mark, so where the zeros are says the encoding. Source: RFC 4627, 3. */
function textOf(body: Buffer): string {
  const [first, second, third, fourth] = body;
  if (first === 0 && second === 0)
    return textOfUtf32(Buffer.from(body.subarray(0, body.length & ~3)).swap32());
  if (third === 0 && fourth === 0) return textOfUtf32(body);
  const isBigEndian = first === 0 || (first === 0xfe && second === 0xff);
  const isLittleEndian = second === 0 || (first === 0xff && second === 0xfe);
  return new TextDecoder(isBigEndian ? 'utf-16be' : isLittleEndian ? 'utf-16le' : 'utf-8').decode(body);
}

/**
 * What a body says as JSON, whatever it's called: in UTF-8, 16 or 32, with or without a byte order mark, plain or gzip.
 * What isn't a letter there is replaced.
 *
 * @returns undefined if it's no JSON
 * @throws BodyError if it's larger than `limitBytes` once it's unpacked
 */
export function readJson(body: Buffer, limitBytes: number): unknown {
  try {
    return JSON.parse(textOf(unpacked(body, limitBytes)).replace(/^\uFEFF+/, ''));
  } catch (error) {
    if (error instanceof BodyError) throw error;
    return undefined;
  }
}

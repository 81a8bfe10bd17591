import { crc32, inflateSync } from 'node:zlib';

/** A decoded picture; colors are `#rrggbb`, what is not opaque is undefined. */
export interface DecodedPng {
  readonly width: number;
  readonly height: number;
  colorAt(x: number, y: number): string | undefined;
}

const SIGNATURE = '89504e470d0a1a0a';
const BYTES_A_PIXEL = 4;

/** The chunks by name; chunks with the same name are joined. Each must have the right checksum. */
function chunksOf(png: Buffer): Map<string, Buffer> {
  if (png.subarray(0, 8).toString('hex') !== SIGNATURE) throw new Error('This is no PNG.');
  const chunks = new Map<string, Buffer>();
  for (let at = 8; at < png.length;) {
    const length = png.readUInt32BE(at);
    const name = png.toString('latin1', at + 4, at + 8);
    const data = png.subarray(at + 8, at + 8 + length);
    if (png.readUInt32BE(at + 8 + length) !== crc32(png.subarray(at + 4, at + 8 + length)))
      throw new Error(`The check sum of ${name} is wrong.`);
    chunks.set(name, Buffer.concat([chunks.get(name) ?? Buffer.alloc(0), data]));
    at += length + 12;
  }
  if (!chunks.has('IEND')) throw new Error('The PNG has no end.');
  return chunks;
}

function paeth(left: number, up: number, corner: number): number {
  const guess = left + up - corner;
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
  if (a <= b && a <= c) return left;
  return b <= c ? up : corner;
}

/** Takes the filters off. Source: PNG (Third Edition), 9. */
function unfilter(lines: Buffer, width: number, height: number): Buffer {
  const stride = width * BYTES_A_PIXEL;
  const pixels = Buffer.alloc(stride * height);
  for (let y = 0; y < height; y += 1) {
    const filter = lines[y * (stride + 1)] ?? 0;
    for (let x = 0; x < stride; x += 1) {
      const at = y * stride + x;
      const left = x < BYTES_A_PIXEL ? 0 : (pixels[at - BYTES_A_PIXEL] ?? 0);
      const up = y === 0 ? 0 : (pixels[at - stride] ?? 0);
      const corner = x < BYTES_A_PIXEL || y === 0 ? 0 : (pixels[at - stride - BYTES_A_PIXEL] ?? 0);
      const add = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter] ?? Number.NaN;
      pixels[at] = (lines[y * (stride + 1) + 1 + x] ?? 0) + add;
    }
  }
  return pixels;
}

/**
 * Decodes an 8-bit RGBA picture without interlacing.
 *
 * @throws Error for anything else
 */
export function decodePng(bytes: Uint8Array): DecodedPng {
  const chunks = chunksOf(Buffer.from(bytes));
  const head = chunks.get('IHDR') ?? Buffer.alloc(13);
  const [width, height] = [head.readUInt32BE(0), head.readUInt32BE(4)];
  if (head.toString('hex', 8) !== '0806000000') throw new Error('Only 8-bit RGBA can be read.');
  const pixels = unfilter(inflateSync(chunks.get('IDAT') ?? Buffer.alloc(0)), width, height);
  return {
    width,
    height,
    colorAt(x, y) {
      const at = (y * width + x) * BYTES_A_PIXEL;
      return pixels[at + 3] === 255 ? `#${pixels.toString('hex', at, at + 3)}` : undefined;
    },
  };
}

import { crc32 } from 'node:zlib';

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');

function* chunksOf(png: Buffer) {
  for (let at = SIGNATURE.length; at < png.length;) {
    const end = at + 8 + png.readUInt32BE(at);
    yield { name: png.toString('latin1', at + 4, at + 8), data: png.subarray(at + 8, end) };
    at = end + 4;
  }
}

const numbers = (...values: readonly number[]) => {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, index * 4);
  return bytes;
};

function chunk(name: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  return Buffer.concat([numbers(data.length), named, numbers(crc32(named))]);
}

/**
 * One animated PNG of pictures of the same size and kind, each shown for its time.
 * Source: PNG (Third Edition), 11.3.6: acTL, fcTL and fdAT.
 */
export function animatedPng(frames: readonly { readonly png: Buffer; readonly ms: number }[]): Buffer {
  const [first] = frames;
  if (first === undefined) throw new Error('There is no picture.');
  const header = [...chunksOf(first.png)].find(({ name }) => name === 'IHDR')?.data;
  if (header === undefined) throw new Error('This is no PNG.');
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  let sequence = 0;
  const parts = frames.flatMap(({ png, ms }, index) => {
    const timing = Buffer.alloc(6);
    timing.writeUInt16BE(ms, 0);
    timing.writeUInt16BE(1_000, 2);
    const control = chunk('fcTL', Buffer.concat([numbers(sequence++, width, height, 0, 0), timing]));
    const data = Buffer.concat([...chunksOf(png)].flatMap((one) => (one.name === 'IDAT' ? one.data : [])));
    if (index === 0) return [control, chunk('IDAT', data)];
    return [control, chunk('fdAT', Buffer.concat([numbers(sequence++), data]))];
  });
  const [animation, end] = [chunk('acTL', numbers(frames.length, 0)), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([SIGNATURE, chunk('IHDR', header), animation, ...parts, end]);
}

import { createSocket, type RemoteInfo } from 'node:dgram';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';

/** What a name server says about one family of a name; undefined: nothing, ever. */
export type Said = readonly string[] | 'no such name' | 'broken' | undefined;

const TYPES: Readonly<Record<number, 4 | 6>> = { 1: 4, 28: 6 };
/** RFC 1035, 4.1.1. */
const RCODES = { broken: 2, 'no such name': 3 } as const;

/** An IPv6 address is eight groups, written out. */
const bytesOf = (address: string): Buffer =>
  address.includes(':')
    ? Buffer.from(
        address
          .split(':')
          .map((group) => group.padStart(4, '0'))
          .join(''),
        'hex',
      )
    : Buffer.from(address.split('.').map(Number));

/** The name asked for, and where its type begins. */
function questionIn(query: Buffer): { readonly name: string; readonly at: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.'), at: at + 1 };
}

function replyTo(query: Buffer, end: number, said: Exclude<Said, undefined>): Buffer {
  const addresses = typeof said === 'string' ? [] : said.map(bytesOf);
  const header = Buffer.alloc(12);
  query.copy(header, 0, 0, 2);
  header.writeUInt16BE(0x8180 + (typeof said === 'string' ? RCODES[said] : 0), 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(addresses.length, 6);
  const answers = addresses.map((address) => {
    const head = Buffer.from('c00c0000000100000000', 'hex');
    query.copy(head, 2, end - 4, end - 2);
    const length = Buffer.alloc(2);
    length.writeUInt16BE(address.length);
    return Buffer.concat([head, length, address]);
  });
  return Buffer.concat([header, query.subarray(12, end), ...answers]);
}

/** A name server that says what the test says, until the test ends. */
export async function startNameServer(say: (name: string, family: 4 | 6) => Said | Promise<Said>) {
  const socket = createSocket('udp4');
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  onTestFinished(() => void socket.close());
  async function answer(query: Buffer, { port, address }: RemoteInfo): Promise<void> {
    const { name, at } = questionIn(query);
    const family = TYPES[query.readUInt16BE(at)];
    const said = family === undefined ? undefined : await say(name, family);
    if (said !== undefined) socket.send(replyTo(query, at + 4, said), port, address);
  }
  socket.on('message', (query, from) => void answer(query, from));
  return { servers: [`127.0.0.1:${socket.address().port}`] };
}

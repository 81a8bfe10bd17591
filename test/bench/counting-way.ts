import { once } from 'node:events';
import net from 'node:net';

export interface Counted {
  /** How often the app spoke on a connection whose last word was the server's. */
  readonly roundTrips: number;
  readonly statements: number;
  readonly notifies: number;
}

const times = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0;
/** A Bind: source postgresql.org/docs/15/protocol-message-formats.html. Each statement has one. */
const BIND = 'B'.charCodeAt(0);

/** The messages in what came so far, and what begins the next one. */
function messagesIn(bytes: Buffer): { readonly kinds: readonly number[]; readonly rest: Buffer } {
  const kinds: number[] = [];
  let at = 0;
  while (bytes.length - at >= 5) {
    const length = bytes.readInt32BE(at + 1) + 1;
    if (bytes.length - at < length) break;
    kinds.push(bytes[at] ?? 0);
    at += length;
  }
  return { kinds, rest: bytes.subarray(at) };
}

/** A way to a PostgreSQL server on which is counted what passes. */
export async function startCounting(to: URL) {
  const counted = { roundTrips: 0, statements: 0, notifies: 0 };
  const open = new Set<net.Socket>();
  const way = net.createServer((near) => {
    const far = net.connect(Number(to.port), to.hostname);
    let hasGreeted = false;
    let isAnswered = true;
    let rest = Buffer.alloc(0);
    near.on('data', (said: Buffer) => {
      if (hasGreeted) {
        if (isAnswered) counted.roundTrips += 1;
        isAnswered = false;
        const found = messagesIn(Buffer.concat([rest, said]));
        rest = Buffer.from(found.rest);
        counted.statements += found.kinds.filter((kind) => kind === BIND).length;
        counted.notifies += times(said.toString('latin1'), /pg_notify/gu);
      }
      hasGreeted = true;
      far.write(said);
    });
    far.on('data', (answer: Buffer) => {
      isAnswered = true;
      near.write(answer);
    });
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => other.destroy());
    }
  });
  way.listen(0, '127.0.0.1');
  await once(way, 'listening');
  const address = way.address();
  const url = new URL(to);
  url.port = String(typeof address === 'object' ? address?.port : '');
  return {
    url: url.href,
    counted: (): Counted => ({ ...counted }),
    close() {
      way.close();
      for (const socket of open) socket.destroy();
    },
  };
}

import { once } from 'node:events';
import net from 'node:net';

export interface Counted {
  /** How often the app spoke on a connection whose last word was the server's. */
  readonly roundTrips: number;
  readonly statements: number;
  readonly notifies: number;
}

/** Source: postgresql.org/docs/15/protocol-message-formats.html. */
const [PARSE, BIND, QUERY] = Array.from('PBQ', (letter) => letter.charCodeAt(0));

interface Said {
  readonly kind: number;
  readonly body: Buffer;
}

/** The messages in what came so far, and what begins the next one. */
function messagesIn(bytes: Buffer): { readonly messages: readonly Said[]; readonly rest: Buffer } {
  const messages: Said[] = [];
  let at = 0;
  while (bytes.length - at >= 5) {
    const length = bytes.readInt32BE(at + 1) + 1;
    if (bytes.length - at < length) break;
    messages.push({ kind: bytes[at] ?? 0, body: bytes.subarray(at + 5, at + length) });
    at += length;
  }
  return { messages, rest: bytes.subarray(at) };
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
    /** What was prepared, by its name. */
    const texts = new Map<string, string>();
    near.on('data', (said: Buffer) => {
      if (hasGreeted) {
        if (isAnswered) counted.roundTrips += 1;
        isAnswered = false;
        const found = messagesIn(Buffer.concat([rest, said]));
        rest = Buffer.from(found.rest);
        for (const { kind, body } of found.messages) {
          const [first = '', second = ''] = body.toString('latin1').split('\0');
          if (kind === PARSE) texts.set(first, second);
          if (kind !== BIND && kind !== QUERY) continue;
          counted.statements += 1;
          if ((kind === BIND ? texts.get(second) : first)?.includes('pg_notify') === true)
            counted.notifies += 1;
        }
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

import type { RawData, WebSocket } from 'ws';
import type { z } from 'zod';

/** One side's connection, whose queue can be checked before adding to it. */
export interface Wire<Out> {
  readonly send: (message: Out) => void;
  /** A message that was stringified once for many. */
  readonly sendText: (text: string) => void;
  /** Bytes waiting to be sent. */
  readonly queued: () => number;
  readonly close: (code: number, reason: string) => void;
}

/** How a connection ended: the page was closed or left, or the connection broke. */
export type Parting = 'left' | 'broken';

/** The code browsers send when a page goes away (RFC 6455, 7.4.1). */
const goingAway = 1001;
const [badMessage, helloIsLate] = [1008, 1008];
const helloWithinMs = 10_000;

/**
 * Reads a socket's messages in the given shape. The first must come soon; one of another shape ends the connection.
 *
 * @param receive called in order, never after `left`
 */
export function readMessages<Schema extends z.ZodType>(
  socket: WebSocket,
  schema: Schema,
  receive: (message: z.infer<Schema>) => void,
  left: (parting: Parting) => void,
): void {
  const late = setTimeout(() => socket.close(helloIsLate, 'no hello'), helloWithinMs).unref();
  socket.on('message', (data, isBinary) => {
    clearTimeout(late);
    const message = schema.safeParse(isBinary ? undefined : parsed(textOf(data)));
    if (message.success) receive(message.data);
    else socket.close(badMessage, 'not understood');
  });
  // Errors, such as a message over the limit, close the socket, and closing is handled.
  socket.on('error', () => undefined);
  socket.on('close', (code) => {
    clearTimeout(late);
    left(code === goingAway || code === 1000 ? 'left' : 'broken');
  });
}

export function wireOf<Out>(socket: WebSocket): Wire<Out> {
  const sendText = (text: string) => {
    if (socket.readyState === socket.OPEN) socket.send(text);
  };
  return {
    send: (message) => sendText(JSON.stringify(message)),
    sendText,
    queued: () => socket.bufferedAmount,
    close: (code, reason) => socket.close(code, reason),
  };
}

function textOf(data: RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString();
  return data instanceof ArrayBuffer ? Buffer.from(data).toString() : data.toString();
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

import type { IncomingMessage } from 'node:http';
import { createGrowingBuffer } from './body-memory.ts';
import type { ByteBudget } from './body-memory.ts';

/** `no-room`: the bodies arriving use all the memory they may, and this one has taken the longest. */
type BodyFailure = 'too-large' | 'broken-off' | 'no-room';

/** The body of a request couldn't be read. */
export class BodyError extends Error {
  override readonly name = 'BodyError';
  readonly reason: BodyFailure;
  constructor(reason: BodyFailure, message: string) {
    super(message);
    this.reason = reason;
  }
}

/**
 * Reads the whole body; past `limitBytes`, or once the budget is used up, it stops keeping it. Call it before awaiting
 * anything: a body that nobody has asked for by then is dropped. Rejects with a {@link BodyError}.
 */
export function readBody(request: IncomingMessage, limitBytes: number, budget: ByteBudget): Promise<Buffer> {
  const tooLarge = () => new BodyError('too-large', `The body is larger than ${limitBytes} bytes.`);
  const most = Number(request.headers['content-length'] ?? limitBytes);
  if (most > limitBytes) return Promise.reject(tooLarge());
  if (request.readableFlowing !== null) return Promise.reject(new Error('The body was asked for too late.'));
  return new Promise((resolve, reject) => {
    const refuse = (error: BodyError): void => {
      // The rest is dropped as it arrives, until the answer ends the connection.
      request.off('data', keep);
      kept.release();
      reject(error);
    };
    const noRoom = () => refuse(new BodyError('no-room', 'The server is receiving too much at once.'));
    const kept = createGrowingBuffer(most, budget, noRoom);
    const keep = (chunk: Buffer): void => {
      const outcome = kept.add(chunk);
      if (outcome === 'no-room') noRoom();
      if (outcome === 'too-large') refuse(tooLarge());
    };
    request.on('data', keep);
    request.on('end', () => resolve(kept.whole()));
    request.on('error', () =>
      reject(new BodyError('broken-off', 'The connection closed before the whole body arrived.')),
    );
    // Every request closes, and creating an error for each one that was read to its end would cost more than reading
    // it.
    request.on('close', () => {
      kept.release();
      if (!request.readableEnded)
        reject(new BodyError('broken-off', 'The connection closed before the whole body arrived.'));
    });
  });
}

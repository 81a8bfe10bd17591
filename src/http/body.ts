import type { IncomingMessage } from 'node:http';

/** `no-room`: the bodies under way hold all the memory they may. */
type BodyFailure = 'too-large' | 'broken-off' | 'no-room';

/** The body of a request could not be taken. */
export class BodyError extends Error {
  override readonly name = 'BodyError';
  readonly reason: BodyFailure;
  constructor(reason: BodyFailure, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** The bytes that all bodies under way may hold together. */
export interface ByteBudget {
  /** False, and nothing taken, where there are not as many left. */
  take(bytes: number): boolean;
  give(bytes: number): void;
}

export function createByteBudget(most: number): ByteBudget {
  let held = 0;
  return {
    take(bytes) {
      if (held + bytes > most) return false;
      held += bytes;
      return true;
    },
    give: (bytes) => void (held -= bytes),
  };
}

/**
 * Reads the whole body; past `limitBytes`, or where the budget is used up, it stops reading at once. Rejects with a
 * {@link BodyError}.
 */
export function readBody(request: IncomingMessage, limitBytes: number, budget: ByteBudget): Promise<Buffer> {
  const tooLarge = () => new BodyError('too-large', `The body is larger than ${limitBytes} bytes.`);
  if (Number(request.headers['content-length'] ?? 0) > limitBytes) return Promise.reject(tooLarge());
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const refuse = (error: BodyError): void => {
      request.pause();
      reject(error);
    };
    request.on('data', (chunk: Buffer) => {
      if (size + chunk.length > limitBytes) return refuse(tooLarge());
      if (!budget.take(chunk.length)) return refuse(new BodyError('no-room', 'Too much at once.'));
      size += chunk.length;
      chunks.push(chunk);
    });
    request.on('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    request.on('error', () => reject(new BodyError('broken-off', 'The body broke off.')));
    // Every request closes: an error for one that was read to its end would cost more than the reading.
    request.on('close', () => {
      budget.give(size);
      if (!request.readableEnded) reject(new BodyError('broken-off', 'The body broke off.'));
    });
  });
}

import type { IncomingMessage } from 'node:http';

/** The body of a request could not be taken. */
export class BodyError extends Error {
  override readonly name = 'BodyError';
  readonly reason: 'too-large' | 'broken-off';
  constructor(reason: 'too-large' | 'broken-off', message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Reads the whole body; past `limitBytes` it stops reading at once. Rejects with a {@link BodyError}. */
export function readBody(request: IncomingMessage, limitBytes: number): Promise<Buffer> {
  const tooLarge = () => new BodyError('too-large', `The body is larger than ${limitBytes} bytes.`);
  if (Number(request.headers['content-length'] ?? 0) > limitBytes) return Promise.reject(tooLarge());
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > limitBytes) {
        request.pause();
        reject(tooLarge());
        return;
      }
      chunks.push(chunk);
    });
    request.on('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    request.on('error', () => reject(new BodyError('broken-off', 'The body broke off.')));
    // Every request closes: an error for one that was read to its end would cost more than the reading.
    request.on('close', () => {
      if (!request.readableEnded) reject(new BodyError('broken-off', 'The body broke off.'));
    });
  });
}

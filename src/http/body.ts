import type { IncomingMessage } from 'node:http';
import { gunzipSync } from 'node:zlib';

/** For all incoming bodies. If it's full, the one arriving longest is evicted: Slack's are complete within milliseconds. */
export function createByteBudget(most: number) {
  let held = 0;
  let heldByIncoming = 0;
  /** Oldest first. */
  const incoming = new Set<{ readonly bytes: number; readonly evict: () => void }>();

  return {
    /** One body's share. @param onEvicted called when it was released to make room for others */
    share(onEvicted: () => void) {
      const own = {
        bytes: 0,
        evict() {
          release();
          onEvicted();
        },
      };
      incoming.add(own);
      /** The body is complete: from now on it isn't evicted. */
      function keep(): void {
        if (incoming.delete(own)) heldByIncoming -= own.bytes;
      }
      function release(): void {
        keep();
        held -= own.bytes;
        own.bytes = 0;
      }
      return {
        keep,
        release,
        /** False, and nothing is taken, if there's no room even without the bodies that are still arriving. */
        take(bytes: number): boolean {
          const others = heldByIncoming - own.bytes;
          if (held - others + bytes > most) return false;
          for (const other of incoming) {
            if (held + bytes <= most) break;
            if (other !== own && other.bytes > 0) other.evict();
          }
          own.bytes += bytes;
          held += bytes;
          heldByIncoming += bytes;
          return true;
        },
      };
    },
  };
}

export type ByteBudget = ReturnType<typeof createByteBudget>;

/** `no-room`: those arriving use all the memory they may, and this one has taken the longest. */
export class BodyError extends Error {
  override readonly name = 'BodyError';
  readonly reason: 'too-large' | 'broken-off' | 'no-room';
  constructor(reason: BodyError['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}

/** What Node keeps beside a chunk's bytes: chunks of one byte would otherwise fill the memory. */
const CHUNK_BYTES = 200;

/** Call it before awaiting anything: a body nobody has asked for by then is dropped. Rejects with a {@link BodyError}. */
export function readBody(request: IncomingMessage, limitBytes: number, budget: ByteBudget): Promise<Buffer> {
  const tooLarge = () => new BodyError('too-large', `The body is larger than ${limitBytes} bytes.`);
  if (Number(request.headers['content-length'] ?? 0) > limitBytes) return Promise.reject(tooLarge());
  if (request.readableFlowing !== null) return Promise.reject(new Error('The body was asked for too late.'));
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const refuse = (error: BodyError): void => {
      // The rest is dropped as it arrives, until the answer ends the connection.
      request.off('data', keep);
      chunks.length = 0;
      share.release();
      reject(error);
    };
    const noRoom = () => refuse(new BodyError('no-room', 'The server is receiving too much at once.'));
    const share = budget.share(noRoom);
    const keep = (chunk: Buffer): void => {
      length += chunk.length;
      if (length > limitBytes) refuse(tooLarge());
      else if (!share.take(chunk.length + CHUNK_BYTES)) noRoom();
      // As a copy, since the chunk keeps all that was read from the connection with it.
      else chunks.push(Buffer.from(chunk));
    };
    const brokenOff = () =>
      reject(new BodyError('broken-off', 'The connection closed before the whole body arrived.'));
    request.on('data', keep);
    request.on('end', () => {
      share.keep();
      resolve(Buffer.concat(chunks));
    });
    request.on('error', brokenOff);
    request.on('close', () => {
      share.release();
      // Creating an error for each one that was read to its end would cost more than reading it.
      if (!request.readableEnded) brokenOff();
    });
  });
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

/** UTF-8, plain or gzip; undefined if it's no JSON. @throws BodyError if it's larger than `limitBytes` unpacked */
export function readJson(body: Buffer, limitBytes: number): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(unpacked(body, limitBytes)));
  } catch (error) {
    if (error instanceof BodyError) throw error;
    return undefined;
  }
}

import type { IncomingMessage } from 'node:http';

/** One body's share of the memory that all incoming bodies may use. */
interface Share {
  /** False, and nothing is taken, if there's no room even without the bodies that are still arriving. */
  take(bytes: number): boolean;
  /** The body is complete: from now on it isn't evicted. */
  keep(): void;
  release(): void;
}

export interface ByteBudget {
  /** @param onEvicted called when the share was released to make room for others */
  share(onEvicted: () => void): Share;
}

/**
 * If there's no room left, the body that has been arriving the longest is evicted. What Slack sends is complete within
 * milliseconds, so whoever leaves bodies unfinished, however many and however small, evicts their own.
 */
export function createByteBudget(most: number): ByteBudget {
  let held = 0;
  /** Oldest first, with the size of each. */
  const comingIn = new Map<Share, { bytes: number; readonly evict: () => void }>();
  let heldByThese = 0;

  function share(onEvicted: () => void): Share {
    const own = { bytes: 0, evict };

    function keep(): void {
      if (comingIn.delete(mine)) heldByThese -= own.bytes;
    }
    function release(): void {
      keep();
      held -= own.bytes;
      own.bytes = 0;
    }
    function evict(): void {
      release();
      onEvicted();
    }

    const mine: Share = {
      take(bytes) {
        const others = heldByThese - own.bytes;
        if (held - others + bytes > most) return false;
        for (const [other, { bytes: freed, evict: evictOther }] of comingIn) {
          if (held + bytes <= most) break;
          if (other !== mine && freed > 0) evictOther();
        }
        own.bytes += bytes;
        held += bytes;
        heldByThese += bytes;
        return true;
      },
      keep,
      release,
    };
    comingIn.set(mine, own);
    return mine;
  }

  return { share };
}

const EMPTY: Buffer = Buffer.alloc(0);

function enlarged(memory: Buffer, capacity: number): Buffer {
  const larger = Buffer.alloc(capacity);
  memory.copy(larger);
  return larger;
}

/**
 * Joins the chunks of a body, up to `most` bytes. Keeping each chunk as it came would cost some 200 bytes more, which
 * the budget doesn't see: a body in one-byte chunks would fill the memory.
 *
 * @param onEvicted called when the body had to make room for others
 */
export function createGrowingBuffer(most: number, budget: ByteBudget, onEvicted: () => void) {
  let memory = EMPTY;
  let length = 0;
  const share = budget.share(() => {
    memory = EMPTY;
    onEvicted();
  });
  return {
    /** Keeps the whole chunk or none of it. */
    add(chunk: Buffer): 'kept' | 'too-large' | 'no-room' {
      const needed = length + chunk.length;
      if (needed > most) return 'too-large';
      if (needed > memory.length) {
        // Doubled each time, or the body would be copied for every chunk.
        const capacity = Math.min(most, Math.max(needed, 2 * memory.length));
        if (!share.take(capacity - memory.length)) return 'no-room';
        // Most bodies are a single chunk, which isn't copied.
        memory = length === 0 ? chunk : enlarged(memory, capacity);
      }
      if (memory !== chunk) chunk.copy(memory, length);
      length = needed;
      return 'kept';
    },
    whole() {
      share.keep();
      return memory.subarray(0, length);
    },
    /** Returns to the budget what was taken. */
    release() {
      memory = EMPTY;
      share.release();
    },
  };
}

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

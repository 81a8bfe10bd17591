/** What one body holds of the bytes that all bodies under way may hold together. */
export interface Share {
  /** False, and nothing taken, where there is no room even without the bodies that still come in. */
  take(bytes: number): boolean;
  /** The body is whole: from now on it makes room for nobody. */
  keep(): void;
  release(): void;
}

export interface ByteBudget {
  /** @param onEvicted calls when the share was released, to make room for others */
  share(onEvicted: () => void): Share;
}

/**
 * Where there is no room left, the body that has been coming in for the longest makes some. What Slack sends is here
 * whole within milliseconds; so whoever leaves bodies unfinished, however many and however small, pushes out their own.
 */
export function createByteBudget(most: number): ByteBudget {
  let held = 0;
  /** Oldest first, with what each holds. */
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
 * Puts the chunks of a body together, at most `most` bytes. A chunk kept as it came would hold some 200 bytes beside its
 * own, which the budget does not see: a body in chunks of one byte would fill the memory.
 *
 * @param onEvicted calls when what was kept had to make room for others
 */
export function createGrowingBuffer(most: number, budget: ByteBudget, onEvicted: () => void) {
  let memory = EMPTY;
  let length = 0;
  const share = budget.share(() => {
    memory = EMPTY;
    onEvicted();
  });
  return {
    /** Keeps the whole chunk or nothing of it. */
    add(chunk: Buffer): 'kept' | 'too-large' | 'no-room' {
      const needed = length + chunk.length;
      if (needed > most) return 'too-large';
      if (needed > memory.length) {
        // Twice as large each time, or the body would be copied for each of its chunks.
        const capacity = Math.min(most, Math.max(needed, 2 * memory.length));
        if (!share.take(capacity - memory.length)) return 'no-room';
        // Most bodies come in one chunk, which is not copied.
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
    /** Gives the budget back what was taken. */
    release() {
      memory = EMPTY;
      share.release();
    },
  };
}

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

const EMPTY: Buffer = Buffer.alloc(0);

function enlarged(memory: Buffer, capacity: number): Buffer {
  const larger = Buffer.alloc(capacity);
  memory.copy(larger);
  return larger;
}

/**
 * Puts the chunks of a body together, at most `most` bytes. A chunk kept as it came would hold some 200 bytes beside its
 * own, which the budget does not see: a body in chunks of one byte would fill the memory.
 */
export function createGrowingBuffer(most: number, budget: ByteBudget) {
  let memory = EMPTY;
  let length = 0;
  return {
    /** Keeps the whole chunk or nothing of it. */
    add(chunk: Buffer): 'kept' | 'too-large' | 'no-room' {
      const needed = length + chunk.length;
      if (needed > most) return 'too-large';
      if (needed > memory.length) {
        // Twice as large each time, or the body would be copied for each of its chunks.
        const capacity = Math.min(most, Math.max(needed, 2 * memory.length));
        if (!budget.take(capacity - memory.length)) return 'no-room';
        // Most bodies come in one chunk, which is not copied.
        memory = length === 0 ? chunk : enlarged(memory, capacity);
      }
      if (memory !== chunk) chunk.copy(memory, length);
      length = needed;
      return 'kept';
    },
    whole: () => memory.subarray(0, length),
    /** Gives the budget back what was taken. */
    release: () => budget.give(memory.length),
  };
}

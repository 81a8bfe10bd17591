import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createByteBudget, createGrowingBuffer } from '../../src/http/body.ts';

/** A budget that remembers each time something was taken. */
function counted(most = Infinity) {
  const budget = createByteBudget(most);
  const taken: number[] = [];
  let given = 0;
  return {
    taken,
    total: () => taken.reduce((sum, bytes) => sum + bytes, 0),
    given: () => given,
    budget: {
      share(onEvicted: () => void) {
        const share = budget.share(onEvicted);
        let own = 0;
        return {
          ...share,
          take(bytes: number) {
            const isThere = share.take(bytes);
            if (isThere && bytes > 0) taken.push(bytes);
            if (isThere) own += bytes;
            return isThere;
          },
          release() {
            given += own;
            share.release();
          },
        };
      },
    },
  };
}

const never = () => expect.unreachable();

describe('the buffer of a body', () => {
  it('holds a single chunk as it came', () => {
    const { budget, total } = counted();
    const buffer = createGrowingBuffer(1_000, budget, never);
    const only = Buffer.alloc(300, 'a');
    expect(buffer.add(only)).toBe('kept');
    expect(buffer.whole().buffer).toBe(only.buffer);
    expect(total()).toBe(300);
  });

  it('grows a few times for a hundred thousand chunks of one byte, to less than twice their size', () => {
    const { budget, taken, total, given } = counted();
    const buffer = createGrowingBuffer(1_000_000, budget, never);
    for (let sent = 0; sent < 100_000; sent += 1) buffer.add(Buffer.from([sent % 256]));
    expect(buffer.whole()).toEqual(Buffer.from(Array.from({ length: 100_000 }, (_, index) => index % 256)));
    expect(buffer.whole().buffer.byteLength).toBe(total());
    expect(total()).toBeLessThan(200_000);
    expect(taken.length).toBeLessThan(20);
    buffer.release();
    expect(given()).toBe(total());
  });

  it('never takes more than the body may have', () => {
    const { budget, total } = counted();
    const buffer = createGrowingBuffer(600, budget, never);
    for (const size of [400, 150, 50]) expect(buffer.add(Buffer.alloc(size))).toBe('kept');
    expect(total()).toBe(600);
    expect(buffer.add(Buffer.alloc(1))).toBe('too-large');
  });

  it('keeps nothing of a chunk that the budget has no room for, but all it had', () => {
    const { budget, total, given } = counted(700);
    const buffer = createGrowingBuffer(1_000, budget, never);
    expect(buffer.add(Buffer.alloc(400, 'a'))).toBe('kept');
    expect(buffer.add(Buffer.alloc(200, 'b'))).toBe('no-room');
    expect(buffer.whole()).toEqual(Buffer.alloc(400, 'a'));
    buffer.release();
    expect(given()).toBe(total());
  });

  it('leaves the chunks it was given unchanged and in order', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ minLength: 1, maxLength: 50 })), (sent) => {
        const buffer = createGrowingBuffer(10_000, counted().budget, never);
        const chunks = sent.map((bytes) => Buffer.from(bytes));
        for (const part of chunks) buffer.add(part);
        expect(buffer.whole()).toEqual(Buffer.concat(sent));
        expect(chunks).toEqual(sent.map((bytes) => Buffer.from(bytes)));
      }),
    );
  });
});

/** A body that comes in with this many bytes. */
function sized(budget: ReturnType<typeof createByteBudget>, bytes: number) {
  const state = { evicted: false };
  const buffer = createGrowingBuffer(bytes, budget, () => void (state.evicted = true));
  return { state, buffer, added: buffer.add(Buffer.alloc(bytes)) };
}

describe('the memory of all bodies', () => {
  it('is freed by whoever has been sending the longest', () => {
    const budget = createByteBudget(1_000);
    const [first, second, third] = [sized(budget, 400), sized(budget, 400), sized(budget, 400)];
    expect([first, second, third].map(({ added }) => added)).toEqual(['kept', 'kept', 'kept']);
    expect([first, second, third].map(({ state }) => state.evicted)).toEqual([true, false, false]);
  });

  it('is kept by complete bodies, and nobody is evicted needlessly', () => {
    const budget = createByteBudget(1_000);
    const whole = sized(budget, 800);
    whole.buffer.whole();
    const small = sized(budget, 100);
    expect(sized(budget, 300)).toMatchObject({ added: 'no-room' });
    expect([whole.state.evicted, small.state.evicted]).toEqual([false, false]);
    whole.buffer.release();
    expect(sized(budget, 300)).toMatchObject({ added: 'kept' });
  });
});

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createByteBudget, createGrowingBuffer } from '../../src/http/body.ts';
import type { ByteBudget } from '../../src/http/body.ts';

it('leaves the chunks of a body unchanged and in order', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ minLength: 1, maxLength: 50 })), (sent) => {
      const buffer = createGrowingBuffer(10_000, createByteBudget(10_000), expect.unreachable);
      const chunks = sent.map((bytes) => Buffer.from(bytes));
      for (const part of chunks) buffer.add(part);
      expect(buffer.whole()).toEqual(Buffer.concat(sent));
      expect(chunks).toEqual(sent.map((bytes) => Buffer.from(bytes)));
    }),
  );
});

it('copies a body a few times, though it comes in a hundred thousand chunks', () => {
  const budget = createByteBudget(Infinity);
  let enlarged = 0;
  const counting: ByteBudget = {
    share(onEvicted) {
      const own = budget.share(onEvicted);
      const take = (bytes: number) => own.take(bytes) && (enlarged += 1) > 0;
      return { ...own, take };
    },
  };
  const buffer = createGrowingBuffer(1_000_000, counting, expect.unreachable);
  for (let sent = 0; sent < 100_000; sent += 1) buffer.add(Buffer.of(1));
  expect(enlarged).toBeLessThan(20);
});

it('evicts no complete body, and nobody needlessly', () => {
  const budget = createByteBudget(1_000);
  const comingIn = (bytes: number) => {
    const buffer = createGrowingBuffer(bytes, budget, expect.unreachable);
    return { ...buffer, added: buffer.add(Buffer.alloc(bytes)) };
  };
  const complete = comingIn(800);
  complete.whole();
  expect([comingIn(100).added, comingIn(300).added]).toEqual(['kept', 'no-room']);
  complete.release();
  expect(comingIn(300).added).toBe('kept');
});

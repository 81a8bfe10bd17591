import { expect, it } from 'vitest';
import { createRetrySet } from '../../src/subscriptions/renamed-channels.ts';

const DOWN = new Error('The store is locked.');

it('does what failed again, in the order in which it came, and each once', async () => {
  let isDown = true;
  const done: string[] = [];
  const reported: unknown[] = [];
  const untilDone = createRetrySet((error) => reported.push(error));
  const work = (name: string) => async () => {
    // So that others can come in between.
    await Promise.resolve();
    if (isDown) throw DOWN;
    done.push(name);
  };
  await untilDone.take(work('first'));
  expect(reported).toEqual([DOWN]);
  isDown = false;
  await Promise.all([untilDone.again(), untilDone.take(work('second')), untilDone.again()]);
  await untilDone.again();
  expect(done).toEqual(['first', 'second']);
  expect(reported).toEqual([DOWN]);
});

it('does the rest where one cannot be done', async () => {
  const done: string[] = [];
  const untilDone = createRetrySet(() => undefined);
  await untilDone.take(() => Promise.reject(DOWN));
  await untilDone.take(async () => void done.push('other'));
  expect(done).toEqual(['other']);
});

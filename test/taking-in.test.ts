import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createTakingIn } from '../src/taking-in.ts';

describe('what comes at the same time', () => {
  it('is taken in, one thing a turn, before anything of it is worked on, in the order in which it came', async () => {
    const allTakenIn = createTakingIn();
    const done: string[] = [];
    const working: Promise<unknown>[] = [];
    for (const one of ['first', 'second', 'third']) {
      done.push(`${one} came`);
      working.push(allTakenIn().then(() => done.push(`${one} worked on`)));
      await turnOfTheLoop();
    }
    await Promise.all(working);
    expect(done).toEqual([
      'first came',
      'second came',
      'third came',
      'first worked on',
      'second worked on',
      'third worked on',
    ]);
  });

  it('is worked on in the end where it never stops coming', async () => {
    const allTakenIn = createTakingIn();
    let isWorkedOn = false;
    const first = allTakenIn().then(() => (isWorkedOn = true));
    while (!isWorkedOn) {
      void allTakenIn();
      await turnOfTheLoop();
    }
    expect(await first).toBe(true);
  });

  it('holds nothing up that comes later', async () => {
    const allTakenIn = createTakingIn();
    await allTakenIn();
    await allTakenIn();
  });
});

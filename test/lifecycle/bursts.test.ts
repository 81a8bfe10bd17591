import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createBursts } from '../../src/lifecycle/bursts.ts';

describe('what comes at the same time', () => {
  it('is taken in, one thing a turn, before anything of it is worked on, in the order in which it came', async () => {
    const { allTakenIn } = createBursts();
    const done: string[] = [];
    const working: Promise<unknown>[] = [];
    const ones = ['first', 'second', 'third'];
    for (const one of ones) {
      done.push(`${one} came`);
      working.push(allTakenIn().then(() => done.push(`${one} worked on`)));
      await turnOfTheLoop();
    }
    await Promise.all(working);
    expect(done).toEqual(['came', 'worked on'].flatMap((what) => ones.map((one) => `${one} ${what}`)));
  });

  it('is worked on in the end where it never stops coming', async () => {
    const { allTakenIn } = createBursts();
    const done: string[] = [];
    void allTakenIn().then(() => done.push('worked on'));
    while (done.length === 0) {
      void allTakenIn();
      await turnOfTheLoop();
    }
    expect(done).toEqual(['worked on']);
  });

  it('holds up nothing that comes later', async () => {
    const { allTakenIn } = createBursts();
    const done: string[] = [];
    for (const one of ['first', 'second']) {
      await allTakenIn();
      done.push(one);
    }
    expect(done).toEqual(['first', 'second']);
  });
});

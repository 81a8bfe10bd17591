import { describe, expect, it } from 'vitest';
import { createOnIt } from '../../../src/visitors/on-it.ts';
import { engines, openForTwo } from '../../support/engines.ts';
import { ALEX, SAM } from '../../support/person.ts';

describe.each(engines)('who is on it, in $engine', ({ newUrl }) => {
  /** As two processes have it. */
  async function openTwice() {
    const [database, other] = await openForTwo(await newUrl());
    const clock = { now: Date.UTC(2026, 2, 1, 12) };
    const now = () => clock.now;
    return { here: createOnIt(database, now), there: createOnIt(other, now), clock };
  }

  it('is one of two who press at the same time, and the other learns who', async () => {
    const { here, there } = await openTwice();
    const [alex, sam] = await Promise.all([here.toggle('T1', 'jane', ALEX), there.toggle('T1', 'jane', SAM)]);
    const [winner, loser] = alex.is === 'taken' ? [ALEX, sam] : [SAM, alex];
    expect([alex.is, sam.is].toSorted()).toEqual(['held', 'taken']);
    expect(loser).toMatchObject({ is: 'held', by: winner });
    expect([...(await there.holders('T1', ['jane', 'liam']))]).toEqual([['jane', winner]]);
  });

  it('is nobody after they press again, but neither a double click nor somebody else takes it back', async () => {
    const { here, there, clock } = await openTwice();
    const double = await Promise.all([here.toggle('T1', 'jane', ALEX), there.toggle('T1', 'jane', ALEX)]);
    expect(double.map(({ is }) => is)).toEqual(['taken', 'taken']);
    clock.now += 4_000;
    expect(await there.toggle('T1', 'jane', SAM)).toMatchObject({ is: 'held', by: ALEX });
    expect(await here.toggle('T1', 'jane', ALEX)).toEqual({ is: 'released' });
    clock.now += 300;
    expect(await there.toggle('T1', 'jane', ALEX)).toEqual({ is: 'released' });
    expect((await here.holders('T1', ['jane'])).size).toBe(0);
    expect(await here.toggle('T1', 'jane', SAM)).toMatchObject({ is: 'taken' });
  });

  it('is a matter of one workspace', async () => {
    const { here } = await openTwice();
    await here.toggle('T1', 'jane', ALEX);
    expect((await here.holders('T2', ['jane'])).size).toBe(0);
    expect(await here.toggle('T2', 'jane', SAM)).toMatchObject({ is: 'taken' });
  });
});

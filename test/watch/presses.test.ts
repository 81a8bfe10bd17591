import { describe, expect, it, onTestFinished } from 'vitest';
import { createPresses, isLate } from '../../src/watch/presses.ts';
import { DatabaseError } from '../../src/database/errors.ts';
import { openDatabase } from '../../src/database/open.ts';
import { engines } from '../support/engines.ts';

const NOON = Date.UTC(2026, 2, 1, 12);
const T = 'T0ACME00000';
const JANE = { workspaceId: T, key: 'alex-watches-jane' };
const wanted = (key: string) => ({ workspaceId: T, key });
const onGone = () => undefined;

/** Presses over a store, on a clock and a timer of the test's own. */
async function open(storeUrl = 'memory:') {
  const clock = { time: NOON };
  const now = () => clock.time;
  const database = await openDatabase(storeUrl);
  onTestFinished(() => database.close());
  const timers = new Set<() => void>();
  const presses = createPresses({
    database,
    now,
    every(_intervalMs, call) {
      timers.add(call);
      return () => void timers.delete(call);
    },
  });
  let pressed = 0;
  return {
    presses,
    timers,
    pass: (ms: number) => {
      clock.time += ms;
      for (const call of timers) call();
    },
    /** A press that was not there before. */
    newPress: () => ({ id: `press-${(pressed += 1)}-${crypto.randomUUID()}`, pressedAt: clock.time }),
  };
}

describe('a press and the page that it is for', () => {
  it('meet when the press comes first', async () => {
    const { presses, newPress } = await open();
    await presses.record(JANE, newPress());
    expect(await presses.meet(JANE, 1_500, onGone)).toBe('pressed');
  });

  it('meet when the page comes first, at once', async () => {
    const { presses, newPress, timers } = await open();
    const page = presses.meet(JANE, 1_500, onGone);
    await presses.record(JANE, newPress());
    expect(await page).toBe('pressed');
    expect(timers.size).toBe(0);
  });

  it('meet for another visitor, power or person only if the key is the same', async () => {
    const { presses, newPress, pass } = await open();
    await presses.record(wanted('alex-watches-noah'), newPress());
    await presses.record(wanted(`${JANE.key}-and-points`), newPress());
    await presses.record({ ...JANE, workspaceId: 'T0OTHER' }, newPress());
    const page = presses.meet(JANE, 1_500, onGone);
    pass(1_500);
    expect(await page).toBe('none');
  });

  it('meet for ten seconds after the press, and no longer', async () => {
    const { presses, newPress, pass } = await open();
    await presses.record(JANE, newPress());
    pass(10_000);
    expect(await presses.meet(JANE, 0, onGone)).toBe('pressed');
    await presses.record(JANE, newPress());
    pass(10_001);
    expect(await presses.meet(JANE, 0, onGone)).toBe('none');
  });

  it('meet once: of many pages one is given a link, and each further press pays for one more', async () => {
    const { presses, newPress, pass } = await open();
    await presses.record(JANE, newPress());
    const pages = Array.from({ length: 5 }, () => presses.meet(JANE, 1_500, onGone));
    await presses.record(JANE, newPress());
    pass(1_500);
    const met = await Promise.all(pages);
    expect(met.filter((meeting) => meeting === 'pressed')).toHaveLength(2);
    expect(met.filter((meeting) => meeting === 'none')).toHaveLength(3);
  });

  it('meet once, however often the same press is sent again', async () => {
    const { presses, newPress, pass } = await open();
    const press = newPress();
    await presses.record(JANE, press);
    expect(await presses.meet(JANE, 0, onGone)).toBe('pressed');
    for (const later of [0, 1_000, 10 * 60_000]) {
      pass(later);
      await presses.record(JANE, press);
      expect(await presses.meet(JANE, 0, onGone)).toBe('none');
    }
  });

  it('do not meet where an old press that nobody used is sent again', async () => {
    const { presses, newPress, pass } = await open();
    const press = newPress();
    await presses.record(JANE, press);
    pass(60_000);
    await presses.record(JANE, press);
    expect(await presses.meet(JANE, 0, onGone)).toBe('none');
  });

  it('meet though there were a hundred presses in the minutes before', async () => {
    const { presses, newPress, pass } = await open();
    for (let time = 0; time < 100; time += 1) {
      await presses.record(JANE, newPress());
      pass(1_000);
      expect(await presses.meet(JANE, 0, onGone)).toBe('pressed');
    }
  });
});

describe('a press that was refused', () => {
  it('tells the page why, at once', async () => {
    const { presses, newPress } = await open();
    const page = presses.meet(JANE, 1_500, onGone);
    await presses.record(JANE, newPress(), 'guest');
    expect(await page).toEqual({ refused: 'guest' });
  });

  it('is told to one page, so that the next press counts', async () => {
    const { presses, newPress } = await open();
    await presses.record(JANE, newPress(), 'unchecked');
    expect(await presses.meet(JANE, 0, onGone)).toEqual({ refused: 'unchecked' });
    const page = presses.meet(JANE, 1_500, onGone);
    await presses.record(JANE, newPress());
    expect(await page).toBe('pressed');
  });
});

describe('Slack’s word of a press', () => {
  it('is late where somebody may have held it back, and not where our clock is a minute off', () => {
    const pressed = (secondsAgo: number) => ({ id: 'a', pressedAt: NOON - secondsAgo * 1_000 });
    expect([-300, 0, 70].map((seconds) => isLate(pressed(seconds), NOON, 0))).toEqual([false, false, false]);
    expect(isLate(pressed(5), NOON, NOON - 4_000)).toBe(true);
    expect([76, 290].map((seconds) => isLate(pressed(seconds), NOON, 0))).toEqual([true, true]);
    expect(isLate({ id: 'a', pressedAt: 0 }, NOON, 0)).toBe(true);
  });
});

describe('a press that is answered in Slack itself', () => {
  it('pays for one link, too', async () => {
    const { presses, newPress } = await open();
    const { id } = newPress();
    expect(await Promise.all([presses.spend(T, id), presses.spend(T, id)])).toEqual([true, false]);
  });
});

describe('pages that wait', () => {
  it('share one timer, which ends with the last of them', async () => {
    const { presses, timers, pass } = await open();
    const pages = [presses.meet(JANE, 1_000, onGone), presses.meet(wanted('another'), 1_500, onGone)];
    expect(timers.size).toBe(1);
    pass(1_000);
    expect(await pages[0]).toBe('none');
    expect(timers.size).toBe(1);
    pass(500);
    expect(await pages[1]).toBe('none');
    expect(timers.size).toBe(0);
  });

  it('leave nothing behind when the browser goes, and take no press with them', async () => {
    const { presses, newPress, timers } = await open();
    const listeners: (() => void)[] = [];
    const page = presses.meet(JANE, 1_500, (listener) => void listeners.push(listener));
    for (const goes of listeners) goes();
    expect(await page).toBe('none');
    expect(timers.size).toBe(0);
    await presses.record(JANE, newPress());
    expect(await presses.meet(JANE, 0, onGone)).toBe('pressed');
  });

  it('are let go when the app stops, and none waits after that', async () => {
    const { presses, timers } = await open();
    const page = presses.meet(JANE, 1_500, onGone);
    presses.stop();
    expect(await page).toBe('none');
    expect(await presses.meet(JANE, 1_500, onGone)).toBe('none');
    expect(timers.size).toBe(0);
  });

  it('are told of a store that fails', async () => {
    const database = await openDatabase('memory:');
    const presses = createPresses({ database, now: () => NOON });
    await database.close();
    await expect(presses.meet(JANE, 1_500, onGone)).rejects.toThrow(DatabaseError);
    await expect(presses.record(JANE, { id: 'a', pressedAt: NOON })).rejects.toThrow(DatabaseError);
  });
});

describe.each(engines)('a press that reaches another process than its page, in $engine', ({ newUrl }) => {
  const openTwo = async () => {
    const url = await newUrl();
    return [await open(url), await open(url)] as const;
  };

  it('is found at the next look', async () => {
    const [here, there] = await openTwo();
    const page = here.presses.meet(JANE, 1_500, onGone);
    await there.presses.record(JANE, there.newPress());
    here.pass(200);
    expect(await page).toBe('pressed');
  });

  it('pays for one link in all', async () => {
    const [here, there] = await openTwo();
    const press = here.newPress();
    const pages = [here, there, here, there].map(({ presses }) => presses.meet(JANE, 1_500, onGone));
    await Promise.all([here.presses.record(JANE, press), there.presses.record(JANE, press)]);
    here.pass(1_500);
    there.pass(1_500);
    const met = await Promise.all(pages);
    expect(met.filter((meeting) => meeting === 'pressed')).toHaveLength(1);
  });

  it('is spent by one of many that ask at once', async () => {
    const [here, there] = await openTwo();
    const { id } = here.newPress();
    const spent = await Promise.all([here, there, here, there].map(({ presses }) => presses.spend(T, id)));
    expect(spent.filter(Boolean)).toHaveLength(1);
  });
});

import { describe, expect, it } from 'vitest';
import { sql } from '../../../src/database/database.ts';
import {
  createPresses,
  isLate,
  removeOldLatestPresses,
  removeOldPresses,
  type Claim,
} from '../../../src/watch/presses.ts';
import { onlySqlite, engines, openUntilTestEnds } from '../../support/engines.ts';

const NOON = Date.UTC(2026, 2, 1, 12);
const T = 'T0ACME00000';
const JANE = { workspaceId: T, key: 'alex-watches-jane' };
const button = (key: string) => ({ workspaceId: T, key });
const onGone = () => undefined;
const first = { pressId: expect.any(String), isSecond: false };
const isFirst = (claim: Claim) => typeof claim === 'object' && 'isSecond' in claim && !claim.isSecond;

const steadyAt = (time: number) => ({ steadyTime: () => sql`CAST(${time} AS BIGINT)` });

/** Presses over a store, on a clock and a timer of the test's own. */
async function open(storeUrl = 'memory:') {
  const clock = { time: NOON };
  const opened = await openUntilTestEnds(storeUrl);
  const database = { ...opened, steadyTime: () => sql`CAST(${clock.time} AS BIGINT)` };
  const timers = new Map<() => void, number>();
  const app = { database, now: () => clock.time, elapsed: () => clock.time };
  const presses = createPresses(app, (ms, call) => {
    timers.set(call, clock.time + ms);
    return () => void timers.delete(call);
  });
  let pressed = 0;
  return {
    presses,
    database,
    timers,
    pass: (ms: number) => {
      clock.time += ms;
      for (const [call, at] of timers) if (at <= clock.time) call();
    },
    /** A press that was not there before. */
    newPress: () => ({ id: `press-${(pressed += 1)}-${crypto.randomUUID()}`, pressedAt: clock.time }),
  };
}

describe.each(onlySqlite)('a press and the page that it is for', () => {
  it('meet when the page comes first, at once', async () => {
    const { presses, newPress, timers } = await open();
    const page = presses.claim(JANE, 1_500, onGone);
    await presses.record(JANE, newPress(), undefined);
    expect(await page).toEqual(first);
    expect(timers.size).toBe(0);
  });

  it('meet for ten seconds after the press, and no longer', async () => {
    const { presses, newPress, pass } = await open();
    await presses.record(JANE, newPress(), undefined);
    pass(10_000);
    expect(await presses.claim(JANE, 0, onGone)).toEqual(first);
    await presses.record(JANE, newPress(), undefined);
    pass(10_001);
    expect(await presses.claim(JANE, 0, onGone)).toBe('none');
    await presses.record(JANE, newPress(), undefined);
    // The machine began anew: what is from before that isn't of a moment ago.
    pass(-NOON);
    expect(await presses.claim(JANE, 0, onGone)).toBe('none');
  });

  it('meet once: of many pages one is given a link, and each further press pays for one more', async () => {
    const { presses, newPress, pass } = await open();
    await presses.record(JANE, newPress(), undefined);
    const pages = Array.from({ length: 4 }, () => presses.claim(JANE, 1_500, onGone));
    // Until the first press is claimed, and the others wait.
    await Promise.race(pages);
    pass(1_000);
    await presses.record(JANE, newPress(), undefined);
    pass(500);
    const met = await Promise.all(pages);
    expect(met.filter(isFirst)).toHaveLength(2);
    expect(met.filter((claim) => claim === 'none')).toHaveLength(2);
  });

  it('have met for fifteen seconds, of which another page of the same button learns', async () => {
    const { presses, newPress, pass } = await open();
    for (const one of [button('alex-watches-noah'), JANE]) await presses.record(one, newPress(), undefined);
    await presses.claim(button('alex-watches-noah'), 0, onGone);
    expect(await presses.wasTaken(JANE)).toBe(false);
    await presses.claim(JANE, 0, onGone);
    pass(15_000);
    expect(await presses.wasTaken(JANE)).toBe(true);
    pass(1);
    expect(await presses.wasTaken(JANE)).toBe(false);
  });

  it('meet once, however often the same press is sent again', async () => {
    const { presses, newPress, pass } = await open();
    const press = newPress();
    await presses.record(JANE, press, undefined);
    expect(await presses.claim(JANE, 0, onGone)).toEqual(first);
    for (const later of [0, 1_000, 10 * 60_000]) {
      pass(later);
      await presses.record(JANE, press, undefined);
      expect(await presses.claim(JANE, 0, onGone)).toBe('none');
    }
  });

  it('meet where the press was refused, which shows one page why, so that the next press counts', async () => {
    const { presses, newPress } = await open();
    const refused = presses.claim(JANE, 1_500, onGone);
    await presses.record(JANE, newPress(), 'guest');
    expect(await refused).toEqual({ refused: 'guest' });
    const page = presses.claim(JANE, 1_500, onGone);
    await presses.record(JANE, newPress(), undefined);
    expect(await page).toEqual(first);
  });
});

describe.each(engines)('a double click, in $engine', ({ newUrl }) => {
  async function doubleClick(apartMs = 999) {
    const here = await open(await newUrl());
    const one = here.newPress();
    return { ...here, one, other: { ...here.newPress(), pressedAt: one.pressedAt + apartMs } };
  }

  it.each([
    ['in order', false],
    ['the other way round', true],
  ])(
    'pays for the page that comes first, and names itself to the other, reported %s',
    async (_, isTurned) => {
      const { presses, one, other } = await doubleClick();
      const [early, late] = isTurned ? [other, one] : [one, other];
      await presses.record(JANE, early, undefined);
      await presses.record(JANE, late, undefined);
      expect(await presses.claim(JANE, 0, onGone)).toEqual(first);
      expect(await presses.claim(JANE, 0, onGone)).toEqual({ pressId: late.id, isSecond: true });
      expect(await presses.claim(JANE, 0, onGone)).toBe('none');
    },
  );

  it('is one, too, where both presses reach two processes at the same time', async () => {
    const url = await newUrl();
    const apps = [await open(url), await open(url)] as const;
    await Promise.all(apps.map(({ presses, newPress }) => presses.record(JANE, newPress(), undefined)));
    const met = await Promise.all(apps.map(({ presses }) => presses.claim(JANE, 0, onGone)));
    expect(met.filter(isFirst)).toHaveLength(1);
  });

  it.each([
    ['they are of two buttons', 999, button('alex-watches-noah')],
    ['a second passes between them', 1_000, JANE],
    ['a second passes, and the later comes first', -1_000, JANE],
  ])('is two presses where %s', async (_, apartMs, that) => {
    const { presses, one, other } = await doubleClick(apartMs);
    await presses.record(JANE, one, undefined);
    await presses.record(that, other, undefined);
    expect(await presses.claim(JANE, 0, onGone)).toEqual(first);
    expect(await presses.claim(that, 0, onGone)).toEqual(first);
  });

  it('is forgotten with its presses', async () => {
    const { presses, one, database } = await doubleClick();
    await presses.record(JANE, one, undefined);
    const forget = async (until: number) =>
      (await database.write(removeOldLatestPresses(steadyAt(until), 500)))[0]?.changed;
    const goodUntil = NOON + 11 * 60_000;
    expect([await forget(goodUntil - 1), await forget(goodUntil)]).toEqual([0, 1]);
    await presses.record(JANE, { ...one, id: 'another' }, undefined);
    // The machine began anew.
    expect(await forget(1_000)).toBe(1);
  });
});

it('a press is late where somebody may have held it back, and not where our clock is a minute off', () => {
  const late = [-300, 0, 70, 76, 290].map((seconds) =>
    isLate({ id: 'a', pressedAt: NOON - seconds * 1_000 }, NOON),
  );
  expect(late).toEqual([false, false, false, true, true]);
});

describe.each(engines)('many pages that wait for a press of one button, in $engine', ({ newUrl }) => {
  it.each([
    ['one of 4 spends it', 4, [undefined], first],
    ['none of 5 spends it', 5, [undefined], 'crowded'],
    ['none of 30 spends it', 30, [undefined], 'crowded'],
    ['none is offered another for the second press of a double click', 30, [undefined, undefined], 'crowded'],
    ['one shows why it was refused', 30, ['guest'], { refused: 'guest' }],
  ] as const)('%s', async (_, pages, pressed, claim) => {
    const { presses, newPress, pass } = await open(await newUrl());
    const waits = Array.from({ length: pages }, () => presses.claim(JANE, 1_500, onGone));
    for (const refused of pressed) await presses.record(JANE, newPress(), refused);
    await Promise.race(waits);
    pass(1_500);
    expect((await Promise.all(waits)).filter((one) => one !== 'none')).toEqual([claim]);
  });

  it('aren’t those that wait for other buttons', async () => {
    const { presses, newPress, pass } = await open(await newUrl());
    const others = ['noah', 'mia', 'omar', 'zoe'].map((name) =>
      presses.claim(button(`alex-watches-${name}`), 1_500, onGone),
    );
    const page = presses.claim(JANE, 1_500, onGone);
    await presses.record(JANE, newPress(), undefined);
    expect(await page).toEqual(first);
    pass(1_500);
    await Promise.all(others);
  });
});

describe.each(onlySqlite)('pages that wait', () => {
  it('leave nothing behind when the browser goes, and take no press with them', async () => {
    const { presses, newPress, timers } = await open();
    const listeners: (() => void)[] = [];
    const page = presses.claim(JANE, 1_500, (listener) => void listeners.push(listener));
    for (const goes of listeners) goes();
    expect(await page).toBe('none');
    expect(timers.size).toBe(0);
    await presses.record(JANE, newPress(), undefined);
    expect(await presses.claim(JANE, 0, onGone)).toEqual(first);
  });

  it('are let go when the app stops, and none waits after that', async () => {
    const { presses, timers } = await open();
    const page = presses.claim(JANE, 1_500, onGone);
    presses.stop();
    expect(await page).toBe('none');
    expect(await presses.claim(JANE, 1_500, onGone)).toBe('none');
    expect(timers.size).toBe(0);
  });
});

describe.each(engines)('a press that reaches another process than its page, in $engine', ({ newUrl }) => {
  const openTwo = async () => {
    const url = await newUrl();
    return [await open(url), await open(url)] as const;
  };

  it('is found at the next look', async () => {
    const [here, there] = await openTwo();
    const page = here.presses.claim(JANE, 1_500, onGone);
    await there.presses.record(JANE, there.newPress(), undefined);
    here.pass(1_000);
    expect(await page).toEqual(first);
  });

  // How long it's kept beyond that is unconfirmed-presses.test.ts's, too.
  it('is kept until it has expired by the clock, like the answer to a page', async () => {
    const [here] = await openTwo();
    const answer = () => here.presses.useOnce(T, 'id', NOON + 2 * 60_000);
    const forget = async (minutes: number) => {
      const until = NOON + minutes * 60_000;
      return (await here.database.write(removeOldPresses(steadyAt(NOON + 24 * 3_600_000), until, 500)))[0]
        ?.changed;
    };
    await here.presses.record(JANE, here.newPress(), undefined);
    expect([await answer(), await forget(1.9), await answer()]).toEqual([true, 0, false]);
    expect([await forget(2), await answer()]).toEqual([1, true]);
    expect([await forget(10.9), await forget(11)]).toEqual([1, 1]);
  });

  it('is spent by one of many that ask at once', async () => {
    const [here, there] = await openTwo();
    const spent = await Promise.all(
      [here, there, here, there].map(({ presses }) => presses.useOnce(T, 'id', NOON)),
    );
    expect(spent.filter(Boolean)).toHaveLength(1);
  });
});

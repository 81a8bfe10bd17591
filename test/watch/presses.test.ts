import { describe, expect, it, onTestFinished } from 'vitest';
import {
  createPresses,
  reasonAgainstTime,
  removeOldPressActs,
  removeOldPresses,
} from '../../src/watch/presses.ts';
import type { Meeting } from '../../src/watch/presses.ts';
import { DatabaseError } from '../../src/database/errors.ts';
import { openDatabase } from '../../src/database/open.ts';
import { sql } from '../../src/database/sql.ts';
import { engines } from '../support/engines.ts';
import { ALLOWED } from './facts.ts';

const NOON = Date.UTC(2026, 2, 1, 12);
const T = 'T0ACME00000';
const JANE = { workspaceId: T, key: 'alex-watches-jane' };
const wanted = (key: string) => ({ workspaceId: T, key });
const onGone = () => undefined;
const paid = { paidWith: expect.any(String) };
const isPaid = (meeting: Meeting) => typeof meeting === 'object' && 'paidWith' in meeting;
const neverLinked = async () => false;

const steadyAt = (time: number) => ({ steadyTime: () => sql`CAST(${time} AS BIGINT)` });

/** Presses over a store, on a clock and a timer of the test's own. */
async function open(storeUrl = 'memory:', isShared = false) {
  const clock = { time: NOON };
  const opened = await openDatabase(storeUrl);
  onTestFinished(() => opened.close());
  const database = { ...opened, steadyTime: () => sql`CAST(${clock.time} AS BIGINT)` };
  const timers = new Map<() => void, number>();
  /** Ids of the presses for which a link was made. */
  const linked = new Set<string>();
  const presses = createPresses({
    database,
    isShared,
    hasLink: async (_workspaceId, pressId) => linked.has(pressId),
    now: () => clock.time,
    elapsed: () => clock.time,
    after(ms, call) {
      timers.set(call, clock.time + ms);
      return () => void timers.delete(call);
    },
  });
  let pressed = 0;
  return {
    presses,
    database,
    timers,
    linked,
    pass: (ms: number) => {
      clock.time += ms;
      for (const [call, at] of timers) if (at <= clock.time) call();
    },
    /** A press that was not there before. */
    newPress: () => ({ id: `press-${(pressed += 1)}-${crypto.randomUUID()}`, pressedAt: clock.time }),
  };
}

describe('a press and the page that it is for', () => {
  it('meet when the press comes first', async () => {
    const { presses, newPress } = await open();
    await presses.record(JANE, newPress(), ALLOWED);
    expect(await presses.meet(JANE, { patienceMs: 1_500, onGone })).toEqual(paid);
  });

  it('meet when the page comes first, at once', async () => {
    const { presses, newPress, timers } = await open();
    const page = presses.meet(JANE, { patienceMs: 1_500, onGone });
    await presses.record(JANE, newPress(), ALLOWED);
    expect(await page).toEqual(paid);
    expect(timers.size).toBe(0);
  });

  it('meet for another visitor, access or person only if the key is the same', async () => {
    const { presses, newPress, pass } = await open();
    await presses.record(wanted('alex-watches-noah'), newPress(), ALLOWED);
    await presses.record(wanted(`${JANE.key}-and-points`), newPress(), ALLOWED);
    await presses.record({ ...JANE, workspaceId: 'T0OTHER' }, newPress(), ALLOWED);
    const page = presses.meet(JANE, { patienceMs: 1_500, onGone });
    pass(1_500);
    expect(await page).toBe('none');
  });

  it('meet for ten seconds after the press, and no longer', async () => {
    const { presses, newPress, pass } = await open();
    await presses.record(JANE, newPress(), ALLOWED);
    pass(10_000);
    expect(await presses.meet(JANE, { patienceMs: 0, onGone })).toEqual(paid);
    await presses.record(JANE, newPress(), ALLOWED);
    pass(10_001);
    expect(await presses.meet(JANE, { patienceMs: 0, onGone })).toBe('none');
  });

  it('meet once: of many pages one is given a link, and each further press pays for one more', async () => {
    const { presses, newPress, pass } = await open();
    await presses.record(JANE, newPress(), ALLOWED);
    const pages = Array.from({ length: 5 }, () => presses.meet(JANE, { patienceMs: 1_500, onGone }));
    pass(1_000);
    await presses.record(JANE, newPress(), ALLOWED);
    pass(500);
    const met = await Promise.all(pages);
    expect(met.filter(isPaid)).toHaveLength(2);
    expect(met.filter((meeting) => meeting === 'none')).toHaveLength(3);
  });

  it('meet once, however often the same press is sent again', async () => {
    const { presses, newPress, pass } = await open();
    const press = newPress();
    await presses.record(JANE, press, ALLOWED);
    expect(await presses.meet(JANE, { patienceMs: 0, onGone })).toEqual(paid);
    for (const later of [0, 1_000, 10 * 60_000]) {
      pass(later);
      await presses.record(JANE, press, ALLOWED);
      expect(await presses.meet(JANE, { patienceMs: 0, onGone })).toBe('none');
    }
  });

  it('do not meet where an old press that nobody used is sent again', async () => {
    const { presses, newPress, pass } = await open();
    const press = newPress();
    await presses.record(JANE, press, ALLOWED);
    pass(60_000);
    await presses.record(JANE, press, ALLOWED);
    expect(await presses.meet(JANE, { patienceMs: 0, onGone })).toBe('none');
  });

  it('meet though there were a hundred presses in the minutes before', async () => {
    const { presses, newPress, pass } = await open();
    for (let time = 0; time < 100; time += 1) {
      await presses.record(JANE, newPress(), ALLOWED);
      pass(1_000);
      expect(await presses.meet(JANE, { patienceMs: 0, onGone })).toEqual(paid);
    }
  });
});

describe('a press that was refused', () => {
  it('shows the page why', async () => {
    const { presses, newPress } = await open();
    const page = presses.meet(JANE, { patienceMs: 1_500, onGone });
    await presses.record(JANE, newPress(), { refused: 'guest' });
    expect(await page).toEqual({ refused: 'guest' });
  });

  it('goes to one page, so that the next press counts', async () => {
    const { presses, newPress } = await open();
    await presses.record(JANE, newPress(), { refused: 'unchecked' });
    expect(await presses.meet(JANE, { patienceMs: 0, onGone })).toEqual({ refused: 'unchecked' });
    const page = presses.meet(JANE, { patienceMs: 1_500, onGone });
    await presses.record(JANE, newPress(), ALLOWED);
    expect(await page).toEqual(paid);
  });
});

describe.each(engines)('a double click, in $engine', ({ newUrl }) => {
  async function doubleClick(apartMs = 999) {
    const here = await open(await newUrl(), true);
    const first = here.newPress();
    const second = { ...here.newPress(), pressedAt: first.pressedAt + apartMs };
    return { ...here, first, second };
  }

  it.each([
    ['in order', false],
    ['the other way round', true],
  ])(
    'pays for the page that comes first, and names itself to the other, reported %s',
    async (_, isTurned) => {
      const { presses, first, second } = await doubleClick();
      const [early, late] = isTurned ? [second, first] : [first, second];
      await presses.record(JANE, early, ALLOWED);
      await presses.record(JANE, late, ALLOWED);
      expect(await presses.meet(JANE, { patienceMs: 0, onGone })).toEqual(paid);
      expect(await presses.meet(JANE, { patienceMs: 0, onGone })).toEqual({
        id: late.id,
        doubleOf: early.id,
      });
      expect(await presses.meet(JANE, { patienceMs: 0, onGone })).toBe('none');
    },
  );

  it('is one, too, where both presses reach two processes at the same time', async () => {
    const url = await newUrl();
    const apps = [await open(url, true), await open(url, true)] as const;
    await Promise.all(apps.map(({ presses, newPress }) => presses.record(JANE, newPress(), ALLOWED)));
    const met = await Promise.all(apps.map(({ presses }) => presses.meet(JANE, { patienceMs: 0, onGone })));
    expect(met.filter(isPaid)).toHaveLength(1);
  });

  it('is two presses where a second passes between them', async () => {
    const { presses, first, second } = await doubleClick(1_000);
    await presses.record(JANE, first, ALLOWED);
    await presses.record(JANE, second, ALLOWED);
    expect(await presses.meet(JANE, { patienceMs: 0, onGone })).toEqual(paid);
    expect(await presses.meet(JANE, { patienceMs: 0, onGone })).toEqual(paid);
  });

  it('lets the second page know what came of the first', async () => {
    const { presses, first, second } = await doubleClick();
    await presses.record(JANE, first, ALLOWED);
    await presses.record(JANE, second, ALLOWED);
    const waiting = presses.resultOf(JANE, { id: second.id, doubleOf: first.id }, onGone);
    await presses.recordResult(JANE, first.id, 'opened');
    expect(await waiting).toBe('opened');
  });

  it('isn’t told what came of a slow press before it', async () => {
    const { presses, newPress, first, second, pass } = await doubleClick();
    const slow = { ...newPress(), pressedAt: first.pressedAt - 1_000 };
    for (const press of [slow, first, second]) await presses.record(JANE, press, ALLOWED);
    const asked = { id: second.id, doubleOf: first.id };
    await presses.recordResult(JANE, slow.id, 'failed');
    const waiting = presses.resultOf(JANE, asked, onGone);
    pass(10_000);
    expect(await waiting).toBe('unknown');
    await presses.recordResult(JANE, first.id, 'opened');
    await presses.recordResult(JANE, slow.id, 'failed');
    expect(await presses.resultOf(JANE, asked, onGone)).toBe('opened');
  });

  it('lets it know where a link is on record for the first', async () => {
    const { presses, linked, first, second } = await doubleClick();
    await presses.record(JANE, first, ALLOWED);
    await presses.record(JANE, second, ALLOWED);
    const waiting = presses.resultOf(JANE, { id: second.id, doubleOf: first.id }, onGone);
    linked.add(first.id);
    presses.linkRecorded(JANE);
    expect(await waiting).toBe('opened');
  });

  it('does not know it after ten seconds, nor once a later press has followed', async () => {
    const { presses, first, second, newPress, pass } = await doubleClick();
    const asked = { id: second.id, doubleOf: first.id };
    await presses.record(JANE, first, ALLOWED);
    const waiting = presses.resultOf(JANE, asked, onGone);
    pass(10_000);
    expect(await waiting).toBe('unknown');
    await presses.record(JANE, newPress(), ALLOWED);
    await presses.recordResult(JANE, first.id, 'opened');
    expect(await presses.resultOf(JANE, asked, onGone)).toBe('unknown');
  });

  it('is forgotten with its presses', async () => {
    const { presses, first, database } = await doubleClick();
    await presses.record(JANE, first, ALLOWED);
    const forget = async (until: number) =>
      (await database.write(removeOldPressActs(steadyAt(until), 500)))[0]?.changed;
    const goodUntil = NOON + 11 * 60_000;
    expect([await forget(goodUntil - 1), await forget(goodUntil)]).toEqual([0, 1]);
  });
});

const pressedAgo = (seconds: number) => ({ id: 'a', pressedAt: NOON - seconds * 1_000 });

describe('the time of a press that Slack reports', () => {
  it('is late where somebody may have held it back, and not where our clock is a minute off', () => {
    const reasons = [-300, 0, 70, 76, 290].map((seconds) => reasonAgainstTime(pressedAgo(seconds), NOON, 0));
    expect(reasons).toEqual([undefined, undefined, undefined, 'late', 'late']);
    expect(reasonAgainstTime({ id: 'a', pressedAt: 0 }, NOON, 0)).toBe('late');
  });

  it('is from before a restart where the app that is there now cannot know whether it was spent', () => {
    expect(reasonAgainstTime(pressedAgo(5), NOON, NOON - 4_000)).toBe('restarted');
    expect(reasonAgainstTime(pressedAgo(4), NOON, NOON - 4_000)).toBeUndefined();
    expect(reasonAgainstTime(pressedAgo(90), NOON, NOON - 4_000)).toBe('late');
  });
});

describe('a press that is answered in Slack itself', () => {
  it('pays for one link, too', async () => {
    const { presses, newPress } = await open();
    const { id } = newPress();
    expect(await Promise.all([presses.spend(T, id), presses.spend(T, id)])).toEqual([true, false]);
  });
});

describe.each(engines)('a button whose pages have given up, in $engine', ({ newUrl }) => {
  it('says so to its presses for minutes, or for good, which stays so', async () => {
    const { presses, newPress, pass } = await open(await newUrl(), true);
    const isGivenUp = async () => (await presses.record(JANE, newPress(), ALLOWED)).isGivenUp;
    expect(await isGivenUp()).toBe(false);
    await presses.giveUp(JANE, false);
    expect(await isGivenUp()).toBe(true);
    pass(2 * 60_000);
    expect(await isGivenUp()).toBe(false);
    await presses.giveUp(JANE, true);
    await presses.giveUp(JANE, false);
    pass(30 * 60_000);
    expect(await isGivenUp()).toBe(true);
  });

  it('is no press of its own', async () => {
    const { presses, newPress } = await open(await newUrl(), true);
    await presses.giveUp(JANE, false);
    expect(await presses.wasReported(JANE)).toBe(false);
    await presses.record(JANE, newPress(), ALLOWED);
    expect(await presses.wasReported(JANE)).toBe(true);
    expect(await presses.meet(JANE, { patienceMs: 0, onGone })).toEqual(paid);
  });
});

describe.each(engines)('many pages that wait for a press of one button, in $engine', ({ newUrl }) => {
  async function waitFor(pages: number) {
    const here = await open(await newUrl(), true);
    const waits = Array.from({ length: pages }, () => here.presses.meet(JANE, { patienceMs: 1_500, onGone }));
    const met = async () => {
      await Promise.race(waits);
      here.pass(1_500);
      return (await Promise.all(waits)).filter((meeting) => meeting !== 'none');
    };
    return { ...here, met };
  }

  it.each([
    [4, paid],
    [5, 'crowded'],
    [30, 'crowded'],
  ])('one of %d spends it: %s', async (pages, meeting) => {
    const { presses, newPress, met } = await waitFor(pages);
    await presses.record(JANE, newPress(), ALLOWED);
    expect(await met()).toEqual([meeting]);
  });

  it('have nothing to offer to one of them for the second press of a double click', async () => {
    const { presses, newPress, met } = await waitFor(30);
    for (const press of [newPress(), newPress()]) await presses.record(JANE, press, ALLOWED);
    expect(await met()).toEqual(['crowded']);
  });

  it('show why it was refused, one of them', async () => {
    const { presses, newPress, met } = await waitFor(30);
    await presses.record(JANE, newPress(), { refused: 'guest' });
    expect(await met()).toEqual([{ refused: 'guest' }]);
  });
});

describe('pages that wait', () => {
  it('have a timer each, which ends with them', async () => {
    const { presses, timers, pass } = await open();
    const pages = [
      presses.meet(JANE, { patienceMs: 1_000, onGone }),
      presses.meet(wanted('another'), { patienceMs: 1_500, onGone }),
    ];
    expect([...timers.values()]).toEqual([NOON + 1_000, NOON + 1_500]);
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
    const page = presses.meet(JANE, {
      patienceMs: 1_500,
      onGone: (listener) => void listeners.push(listener),
    });
    for (const goes of listeners) goes();
    expect(await page).toBe('none');
    expect(timers.size).toBe(0);
    await presses.record(JANE, newPress(), ALLOWED);
    expect(await presses.meet(JANE, { patienceMs: 0, onGone })).toEqual(paid);
  });

  it('are let go when the app stops, and none waits after that', async () => {
    const { presses, timers } = await open();
    const page = presses.meet(JANE, { patienceMs: 1_500, onGone });
    presses.stop();
    expect(await page).toBe('none');
    expect(await presses.meet(JANE, { patienceMs: 1_500, onGone })).toBe('none');
    expect(timers.size).toBe(0);
  });

  it('fail with a database that fails', async () => {
    const database = await openDatabase('memory:');
    const presses = createPresses({
      database,
      isShared: false,
      hasLink: neverLinked,
      now: () => NOON,
      elapsed: () => NOON,
    });
    await database.close();
    await expect(presses.meet(JANE, { patienceMs: 1_500, onGone })).rejects.toThrow(DatabaseError);
    await expect(presses.record(JANE, { id: 'a', pressedAt: NOON }, ALLOWED)).rejects.toThrow(DatabaseError);
  });
});

describe.each(engines)('a press that reaches another process than its page, in $engine', ({ newUrl }) => {
  const openTwo = async () => {
    const url = await newUrl();
    return [await open(url, true), await open(url, true)] as const;
  };

  it('is found at the next look', async () => {
    const [here, there] = await openTwo();
    const page = here.presses.meet(JANE, { patienceMs: 1_500, onGone });
    await there.presses.record(JANE, there.newPress(), ALLOWED);
    here.pass(1_000);
    expect(await page).toEqual(paid);
  });

  it.each([
    ['a press', 11 * 60_000, undefined],
    ['anything else that is spent', 2 * 60_000, NOON + 2 * 60_000],
  ])(
    'is forgotten once %s has expired by the clock and a day is over, and not before',
    async (_, goodMs, goodUntil) => {
      const [here] = await openTwo();
      expect(await here.presses.spend(T, 'id', goodUntil)).toBe(true);
      const forget = async (steady: number, until: number) =>
        (await here.database.write(removeOldPresses(steadyAt(steady), until, 500)))[0]?.changed;
      const dayOver = NOON + 24 * 3_600_000;
      // The clock was set back, or the day isn't over yet.
      expect(await forget(dayOver, NOON + goodMs - 1)).toBe(0);
      expect(await forget(dayOver - 1, dayOver)).toBe(0);
      expect(await here.presses.spend(T, 'id', goodUntil)).toBe(false);
      expect(await forget(dayOver, NOON + goodMs)).toBe(1);
    },
  );

  it('pays for one link in all', async () => {
    const [here, there] = await openTwo();
    const press = here.newPress();
    const pages = [here, there, here, there].map(({ presses }) =>
      presses.meet(JANE, { patienceMs: 1_500, onGone }),
    );
    await Promise.all([
      here.presses.record(JANE, press, ALLOWED),
      there.presses.record(JANE, press, ALLOWED),
    ]);
    here.pass(1_500);
    there.pass(1_500);
    const met = await Promise.all(pages);
    expect(met.filter(isPaid)).toHaveLength(1);
  });

  it('is spent by one of many that ask at once', async () => {
    const [here, there] = await openTwo();
    const { id } = here.newPress();
    const spent = await Promise.all([here, there, here, there].map(({ presses }) => presses.spend(T, id)));
    expect(spent.filter(Boolean)).toHaveLength(1);
  });
});

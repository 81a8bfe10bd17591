import { describe, expect, it } from 'vitest';
import { DatabaseError } from '../../src/database/errors.ts';
import { ALEX, SUPPORT } from '../support/person.ts';
import { openCourierStage, pass } from './courier-stage.ts';
import { alexInSupport, deliveryOf } from './ended-session.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, T1, idOf, ledgerOver, took } from './ledger-stage.ts';

const RANDOM = 'C0RANDOM003';
const subscribed = { to: RANDOM, subscription: { id: 'sub-1', form: 'full' } } as const;

describe('a summary that is not wanted where it goes', () => {
  it('is settled as skipped with the reason, posted nowhere and told to nobody', async () => {
    const { courierThat, outbox, asked, told, reports, stores } = await openCourierStage();
    const courier = courierThat(() => took, {
      gate: async ({ subscription }) => (subscription === undefined ? 'go' : { skip: 'filtered' }),
    });
    await courier.accept('a:sub:1', deliveryOf('a', subscribed));
    await courier.accept('b', deliveryOf('b'));
    await pass(MINUTE_MS);
    expect(asked.map(({ id }) => id)).toEqual(['b']);
    expect(reports).toEqual(expect.arrayContaining(['skipped a:sub:1 filtered', 'posted b']));
    expect(await outbox.settlement('a:sub:1')).toMatchObject({ outcome: 'skipped', reason: 'filtered' });
    expect(await stores.waiting.keys('', 10)).toEqual([]);
    expect(told.map(([, outcome]) => outcome)).toEqual(
      expect.arrayContaining([{ outcome: 'skipped', reason: 'filtered' }, { outcome: 'posted' }]),
    );
  });

  it('waits, and keeps nobody else waiting, while another one decides', async () => {
    const { courierThat, reports } = await openCourierStage();
    let times = 0;
    const courier = courierThat(() => took, {
      gate: async ({ subscription }) => (subscription === undefined || (times += 1) > 2 ? 'go' : 'soon'),
    });
    await courier.accept('a:sub:1', deliveryOf('a', { ...subscribed, to: SUPPORT }));
    await courier.accept('b', deliveryOf('b'));
    await pass(MINUTE_MS);
    expect(reports).toEqual(['posted b', 'posted a:sub:1']);
  });

  it('stays, and is asked about again, where it cannot be told whether it is wanted', async () => {
    const { courierThat, asked, reports } = await openCourierStage();
    let times = 0;
    const courier = courierThat(() => took, {
      async gate() {
        times += 1;
        if (times < 3) throw new Error('the service is down');
        return 'go';
      },
    });
    await courier.accept('a', deliveryOf('a'));
    await pass(2 * MINUTE_MS);
    expect(reports).toEqual(['later a filter_unknown', 'later a filter_unknown', 'posted a']);
    expect(asked).toHaveLength(1);
  });

  it('is in the ledger while it cannot be told, keeps nobody waiting, and is given up after three days', async () => {
    const stage = await openCourierStage();
    const courier = stage.courierThat(() => took, {
      async gate({ subscription }) {
        if (subscription !== undefined) throw new Error('missing_scope');
        return 'go';
      },
    });
    const ledger = ledgerOver(stage, courier);
    for (let entry = 0; entry < 5; entry += 1)
      await courier.accept(idOf(`s${entry}`), deliveryOf(`s${entry}`, { ...subscribed, acceptedAt: entry }));
    await pass(10 * MINUTE_MS);
    const [first] = (await ledger.list(T1, 1)).entries;
    expect(first).toMatchObject({ state: 'waiting', id: idOf('s0'), trouble: { kind: 'filter-unknown' } });
    await courier.accept('own', deliveryOf('own', { to: RANDOM }));
    await pass(2_000);
    expect(await stage.outbox.settlement('own')).toMatchObject({ outcome: 'posted' });
    await pass(3 * DAY_MS + HOUR_MS, 5 * MINUTE_MS);
    expect((await ledger.list(T1, 9)).entries.map(({ state }) => state)).toEqual(Array(5).fill('failed'));
    expect(courier.waiting()).toBe(0);
  });

  it('is tried again as after any failure of our own where the store cannot be asked', async () => {
    const { courierThat, reports } = await openCourierStage();
    let times = 0;
    const courier = courierThat(() => took, {
      async gate() {
        times += 1;
        if (times < 3) throw new DatabaseError('locked');
        return 'go';
      },
    });
    await courier.accept('a', deliveryOf('a'));
    await pass(MINUTE_MS);
    expect(reports).toEqual(['broken a', 'broken a', 'posted a']);
  });
});

describe('whoever hangs on a delivery', () => {
  it('is told of each refusal and of the end, once it is on disk', async () => {
    const stage = await openCourierStage();
    const seen: unknown[] = [];
    const courier = stage.courierThat(
      (_asked, times) => (times === 0 ? { outcome: 'later', reason: 'http_503' } : took),
      {
        async tell({ to }, told) {
          seen.push([to, told, (await stage.outbox.settlement('a'))?.outcome]);
        },
      },
    );
    await courier.accept('a', deliveryOf('a'));
    await pass(MINUTE_MS);
    expect(seen).toEqual([
      [SUPPORT, { outcome: 'later', reason: 'http_503' }, undefined],
      [SUPPORT, { outcome: 'posted' }, 'posted'],
    ]);
  });

  it('cannot make a summary come twice by failing', async () => {
    const { courierThat, asked, reports } = await openCourierStage();
    const courier = courierThat(() => took, { tell: () => Promise.reject(new Error('store down')) });
    await courier.accept('a', deliveryOf('a'));
    await pass(2 * MINUTE_MS);
    expect(asked).toHaveLength(1);
    expect(reports).toEqual(['posted a', 'broken a']);
  });
});

describe('what goes to a subscription', () => {
  it('tells its failure to the subscription alone, not to the agent of the session', async () => {
    const { courierThat, asked, told } = await openCourierStage();
    const courier = courierThat(() => ({ outcome: 'never', reason: 'is_archived' }));
    await courier.accept('a:sub:1', deliveryOf('a', subscribed));
    await pass(MINUTE_MS);
    expect(asked.map(({ to }) => to)).toEqual([RANDOM]);
    expect(told).toMatchObject([[subscribed, { outcome: 'failed', reason: 'is_archived' }]]);
  });

  it('never takes the card of the channel, where the link was given in the same channel', async () => {
    const { courierThat, asked } = await openCourierStage();
    const courier = courierThat(() => took, { cards: { take: async () => ({ ts: '9.9' }) } });
    const grant = { ...alexInSupport, channelId: RANDOM };
    await courier.accept('a:sub:1', deliveryOf('a', { ...subscribed, grant }));
    await pass(MINUTE_MS);
    expect(asked).toMatchObject([{ to: RANDOM, id: 'a:sub:1' }]);
    expect(asked[0]).not.toHaveProperty('replaces');
    expect(asked.some(({ to }) => to === ALEX)).toBe(false);
  });
});

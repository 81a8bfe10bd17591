import { describe, expect, it } from 'vitest';
import { ALEX, SUPPORT } from '../support/person.ts';
import { openCourierStage, pass } from './courier-stage.ts';
import { alexInSupport, deliveryOf } from './ended-session.ts';
import {
  ADA,
  DAY_MS,
  HOUR_MS,
  MINUTE_MS,
  T1,
  archived,
  down,
  idOf,
  ledgerOver,
  openLedgerStage,
  took,
} from './ledger-stage.ts';

describe('the ledger', () => {
  it('shows what waits with its reason, oldest first, then what was given up, newest first', async () => {
    const stage = await openCourierStage();
    const courier = stage.courierThat(({ to }) => (to === SUPPORT ? down : to === ALEX ? took : archived));
    const ledger = ledgerOver(stage, courier);
    await courier.accept(idOf('w2'), deliveryOf('w2', { acceptedAt: 2 }));
    await courier.accept(idOf('w1'), deliveryOf('w1', { acceptedAt: 1 }));
    await courier.accept(idOf('f1'), deliveryOf('f1', { to: 'C0RANDOM003' }));
    await pass(5_000);
    await courier.accept(idOf('f2'), deliveryOf('f2', { to: 'C0RANDOM003' }));
    await pass(5_000);
    const { entries, more } = await ledger.list(T1, 10);
    expect(entries.map(({ id, state, trouble }) => [id, state, trouble.kind, trouble.code])).toEqual([
      [idOf('w1'), 'waiting', 'slack-down', 'service_unavailable'],
      [idOf('w2'), 'waiting', 'slack-down', 'service_unavailable'],
      [idOf('f2'), 'failed', 'archived', 'is_archived'],
      [idOf('f1'), 'failed', 'archived', 'is_archived'],
    ]);
    expect(entries[0]).toMatchObject({ to: SUPPORT, acceptedAt: 1 });
    const about = { visitorId: alexInSupport.visitorId, userId: ALEX };
    for (const entry of entries) expect(entry).toMatchObject({ about });
    expect(entries[0]).toHaveProperty('attempts', expect.any(Number));
    expect(more).toBe(0);
    await courier.stop();
  });

  it('cuts the list and says how many more there are', async () => {
    const { courier, ledger } = await openLedgerStage(archived);
    for (let entry = 0; entry < 14; entry += 1) {
      const grant = { ...alexInSupport, channelId: `C${entry}` };
      await courier.accept(idOf(`s${entry}`), deliveryOf(`s${entry}`, { grant, to: `C${entry}` }));
    }
    await pass(5_000);
    const { entries, more } = await ledger.list(T1, 10);
    expect([entries.length, more]).toEqual([10, 4]);
  });

  it('shows nothing of another workspace, and does nothing there', async () => {
    const { courier, ledger, channel } = await openLedgerStage(archived);
    await courier.accept(idOf('a'), deliveryOf('a'));
    await pass(5_000);
    channel.isOpen = true;
    for (const other of ['T0OTHER0000', 'T0', `${T1}:a`]) {
      expect(await ledger.list(other, 10)).toEqual({ entries: [], more: 0 });
      expect(await ledger.retry(other, idOf('a'))).toBe('unknown');
      expect(await ledger.drop(other, idOf('a'), ADA)).toBe('unknown');
    }
    expect((await ledger.list(T1, 10)).entries).toHaveLength(1);
  });

  it('forgets what was posted in the end', async () => {
    const { courier, ledger, channel } = await openLedgerStage(down);
    await courier.accept(idOf('a'), deliveryOf('a'));
    await pass(5_000);
    expect((await ledger.list(T1, 10)).entries).toMatchObject([{ state: 'waiting' }]);
    channel.isOpen = true;
    await pass(MINUTE_MS);
    expect((await ledger.list(T1, 10)).entries).toEqual([]);
  });

  it('shows nothing that a kill left over of what is settled, or of a failure before', async () => {
    const { courier, ledger, records, outbox, channel } = await openLedgerStage(archived);
    channel.isOpen = true;
    await courier.accept(idOf('posted'), deliveryOf('posted'));
    await pass(5_000);
    channel.isOpen = false;
    await courier.accept(idOf('twice'), deliveryOf('twice'));
    await pass(5_000);
    const why = { to: SUPPORT, reason: 'no_answer' };
    for (const name of ['posted', 'twice']) {
      const id = idOf(name);
      const waits = { id, ...why, acceptedAt: 0, attempts: 1, nextAt: 1 };
      await records.waits.set({ workspaceId: T1, at: 0, id }, waits);
      const givenUp = { id, ...why, delivery: deliveryOf(name), failedAt: 1 };
      await records.givenUp.set({ workspaceId: T1, at: 1, id }, givenUp);
    }
    expect(await outbox.settlement(idOf('posted'))).toMatchObject({ outcome: 'posted' });
    expect((await ledger.list(T1, 10)).entries.map(({ id, trouble }) => [id, trouble.code])).toEqual([
      [idOf('twice'), 'is_archived'],
    ]);
  });

  it('keeps what was given up for 30 days', async () => {
    const { courier, ledger } = await openLedgerStage(archived);
    await courier.accept(idOf('a'), deliveryOf('a'));
    await pass(29 * DAY_MS, DAY_MS);
    expect((await ledger.list(T1, 10)).entries).toHaveLength(1);
    await pass(2 * DAY_MS, DAY_MS);
    expect((await ledger.list(T1, 10)).entries).toEqual([]);
    expect(await ledger.retry(T1, idOf('a'))).toBe('unknown');
  });

  it('shows what cannot be read beside all others, and lets it be dropped', async () => {
    const { courier, ledger, stores, outbox, courierThat } = await openLedgerStage(down);
    for (const name of ['a', 'b']) await courier.accept(idOf(name), deliveryOf(name));
    await pass(5_000);
    // One that was tried before, and one that nobody has tried.
    for (const name of ['a', 'c']) await stores.waiting.set(idOf(name), { broken: true });
    const known = async () =>
      (await ledger.list(T1, 10)).entries.map(({ id, trouble }) => `${id} ${trouble.kind}`).toSorted();
    expect(await known()).toEqual([`${idOf('a')} unreadable`, `${idOf('b')} slack-down`]);
    await courier.stop();
    const next = courierThat(() => took);
    await next.start();
    await pass(HOUR_MS, MINUTE_MS);
    expect(await known()).toEqual([`${idOf('a')} unreadable`, `${idOf('c')} unreadable`]);
    expect(next.waiting(T1)).toBe(2);
    expect(await ledger.retry(T1, idOf('a'))).toBe('unreadable');
    for (const name of ['a', 'c']) expect(await ledger.drop(T1, idOf(name), ADA)).toBe('dropped');
    await pass(5 * MINUTE_MS);
    expect([await known(), next.waiting()]).toEqual([[], 0]);
    expect(await outbox.settlement(idOf('c'))).toMatchObject({ outcome: 'dropped', droppedBy: ADA });
    await next.stop();
  });

  it('forgets that a record could not be read once it can', async () => {
    const { courier, ledger, stores, channel } = await openLedgerStage(down);
    await courier.accept(idOf('a'), deliveryOf('a'));
    const whole = await stores.waiting.get(idOf('a'));
    await stores.waiting.set(idOf('a'), 'nonsense');
    await pass(5_000);
    await stores.waiting.set(idOf('a'), whole);
    await pass(5 * MINUTE_MS);
    expect((await ledger.list(T1, 10)).entries).toMatchObject([{ trouble: { kind: 'slack-down' } }]);
    channel.isOpen = true;
    await pass(MINUTE_MS);
    expect((await ledger.list(T1, 10)).entries).toEqual([]);
  });

  it('names the scope that is missing', async () => {
    const { courier, ledger } = await openLedgerStage({
      outcome: 'never',
      reason: 'missing_scope',
      neededScope: 'chat:write.public',
    });
    await courier.accept(idOf('a'), deliveryOf('a'));
    await pass(5_000);
    expect((await ledger.list(T1, 10)).entries[0]?.trouble).toEqual({
      kind: 'missing-scope',
      code: 'missing_scope',
      neededScope: 'chat:write.public',
    });
  });
});

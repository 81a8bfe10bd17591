import { describe, expect, it, vi } from 'vitest';
import type { PostOutcome } from '../../src/session-end/post.ts';
import { DatabaseError } from '../../src/database/errors.ts';
import { ALEX, SUPPORT } from '../support/person.ts';
import { openCourierStage, pass } from './courier-stage.ts';
import { deliveryOf } from './ended-session.ts';
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

describe('Retry', () => {
  it('posts what was given up, whole, once, though it is pressed twice', async () => {
    const { courier, ledger, channel, postsOf, asked, outbox } = await openLedgerStage(archived);
    await courier.accept(idOf('a'), deliveryOf('a'));
    await pass(4 * DAY_MS, HOUR_MS);
    channel.isOpen = true;
    const answers = await Promise.all([ledger.retry(T1, idOf('a')), ledger.retry(T1, idOf('a'))]);
    expect(answers).toContain('retried');
    await pass(MINUTE_MS);
    expect(postsOf(idOf('a'))).toBe(2);
    expect(asked.at(-1)).toMatchObject({ to: SUPPORT });
    expect(asked.at(-1)?.text).toContain('Duration: 1 minute 15 seconds');
    expect(await outbox.settlement(idOf('a'))).toMatchObject({ outcome: 'posted' });
    expect(await ledger.retry(T1, idOf('a'))).toBe('posted');
    expect((await ledger.list(T1, 10)).entries).toEqual([]);
  });

  it('that fails again is in the ledger again, and tells the agent no second time', async () => {
    const { courier, ledger, asked, postsOf } = await openLedgerStage(archived);
    await courier.accept(idOf('a'), deliveryOf('a'));
    await pass(5_000);
    expect(await ledger.retry(T1, idOf('a'))).toBe('retried');
    await pass(5_000);
    expect(postsOf(idOf('a'))).toBe(2);
    expect(asked.filter(({ to }) => to === ALEX)).toHaveLength(1);
    expect((await ledger.list(T1, 10)).entries).toMatchObject([{ state: 'failed', id: idOf('a') }]);
  });

  it('does not wait for the time of what waits', async () => {
    const { courier, ledger, channel, postsOf } = await openLedgerStage(down);
    await courier.accept(idOf('a'), deliveryOf('a'));
    await pass(5 * MINUTE_MS);
    channel.isOpen = true;
    const before = postsOf(idOf('a'));
    expect(await ledger.retry(T1, idOf('a'))).toBe('retried');
    await pass(1_000);
    expect(postsOf(idOf('a'))).toBe(before + 1);
  });

  it('posts what was given up, too, while its subscription is still being told of that', async () => {
    const stage = await openCourierStage();
    let isOpen = false;
    const courier = stage.courierThat(() => (isOpen ? took : archived), {
      tell: () => new Promise((resolve) => setTimeout(resolve, 5_000)),
    });
    const ledger = ledgerOver(stage, courier);
    await courier.accept(idOf('a'), deliveryOf('a', { subscription: { id: '1', form: 'full' } }));
    await pass(1_000);
    isOpen = true;
    const retry = ledger.retry(T1, idOf('a'));
    await pass(MINUTE_MS);
    expect(await retry).toBe('retried');
    expect(await stage.outbox.settlement(idOf('a'))).toMatchObject({ outcome: 'posted' });
    expect(courier.waiting()).toBe(0);
  });

  it('leaves what is being posted just now to its courier', async () => {
    const stage = await openCourierStage();
    const { promise, resolve } = Promise.withResolvers<PostOutcome>();
    const courier = stage.courierThat(() => promise);
    const ledger = ledgerOver(stage, courier);
    await courier.accept(idOf('a'), deliveryOf('a'));
    await pass(0);
    expect(await ledger.drop(T1, idOf('a'), ADA)).toBe('busy');
    expect(await ledger.retry(T1, idOf('a'))).toBe('retried');
    resolve(took);
    await pass(5_000);
    expect(stage.asked).toHaveLength(1);
  });

  it('is done by the next process where the app is killed in the middle', async () => {
    for (const cutAt of ['waiting', 'settled'] as const) {
      let isCut = true;
      const stage = await openLedgerStage(archived, (stores) => ({
        ...stores,
        settled: {
          ...stores.settled,
          async delete(key) {
            if (isCut && cutAt === 'settled') throw new DatabaseError('closed');
            const result = await stores.settled.delete(key);
            if (isCut && cutAt === 'waiting') throw new DatabaseError('closed');
            return result;
          },
        },
      }));
      await stage.courier.accept(idOf('a'), deliveryOf('a'));
      await pass(5_000);
      await expect(stage.ledger.retry(T1, idOf('a'))).rejects.toMatchObject({ kind: 'closed' });
      await stage.courier.stop();
      isCut = false;
      stage.channel.isOpen = true;
      const next = stage.courierThat(() => took);
      await next.start();
      await pass(MINUTE_MS);
      const ledger = ledgerOver(stage, next);
      const outcome = (await stage.outbox.settlement(idOf('a')))?.outcome;
      // Either it was not retried, and is in the ledger still, or it was, and is posted.
      expect([outcome, (await ledger.list(T1, 10)).entries.length]).toEqual(
        cutAt === 'settled' ? ['failed', 1] : ['posted', 0],
      );
      await next.stop();
    }
  });

  it('sets out, too, where only the note of the giving up could not be removed', async () => {
    const { courier, ledger, channel, records, outbox } = await openLedgerStage(archived);
    await courier.accept(idOf('a'), deliveryOf('a'));
    await pass(5_000);
    channel.isOpen = true;
    vi.spyOn(records.givenUp, 'delete').mockRejectedValueOnce(new DatabaseError('locked'));
    await expect(ledger.retry(T1, idOf('a'))).rejects.toMatchObject({ kind: 'locked' });
    await pass(MINUTE_MS);
    expect(await outbox.settlement(idOf('a'))).toMatchObject({ outcome: 'posted' });
    expect((await ledger.list(T1, 10)).entries).toEqual([]);
  });

  it('looks first where an attempt before had no clear answer', async () => {
    const stage = await openLedgerStage({ outcome: 'later', reason: 'no_answer', unclear: true });
    await stage.courier.accept(idOf('a'), deliveryOf('a'));
    await pass(4 * DAY_MS, HOUR_MS);
    const [entry] = (await stage.ledger.list(T1, 10)).entries;
    expect(entry).toMatchObject({ state: 'failed', trouble: { kind: 'no-answer' } });
    const looks = stage.finds.length;
    stage.channel.isOpen = true;
    await stage.ledger.retry(T1, idOf('a'));
    await pass(MINUTE_MS);
    expect(stage.finds.length).toBe(looks + 1);
  });
});

describe('Drop', () => {
  it.each([
    ['what waits', down],
    ['what was given up', archived],
  ])('takes %s off for good, by whom is kept', async (_what, refusal) => {
    const { courier, ledger, channel, postsOf, outbox } = await openLedgerStage(refusal);
    await courier.accept(idOf('a'), deliveryOf('a'));
    await pass(20_000);
    const before = postsOf(idOf('a'));
    expect(await ledger.drop(T1, idOf('a'), ADA)).toBe('dropped');
    expect(await ledger.drop(T1, idOf('a'), ALEX)).toBe('dropped');
    channel.isOpen = true;
    await pass(HOUR_MS, MINUTE_MS);
    expect(postsOf(idOf('a'))).toBe(before);
    expect(await outbox.settlement(idOf('a'))).toMatchObject({ outcome: 'dropped', droppedBy: ADA });
    expect((await ledger.list(T1, 10)).entries).toEqual([]);
    expect(courier.waiting()).toBe(0);
    expect(await courier.accept(idOf('a'), deliveryOf('a'))).toBe('duplicate');
    expect(await ledger.retry(T1, idOf('a'))).toBe('dropped');
  });

  it('keeps its hands off an attempt that takes longer than its claim lasts', async () => {
    const stage = await openCourierStage();
    const courier = stage.courierThat(
      () => new Promise((resolve) => setTimeout(() => resolve(took), 40_000)),
    );
    const ledger = ledgerOver(stage, courier);
    await courier.accept(idOf('a'), deliveryOf('a'));
    await pass(35_000);
    expect(await ledger.drop(T1, idOf('a'), ADA)).toBe('busy');
    await pass(10_000);
    expect(await stage.outbox.settlement(idOf('a'))).toMatchObject({ outcome: 'posted' });
  });

  it('keeps its hands off what is posted, too, where the store has not taken that down yet', async () => {
    let isFull = true;
    const stage = await openLedgerStage(took, (stores) => ({
      ...stores,
      settled: {
        ...stores.settled,
        set: (key, value, ttlMs) =>
          isFull ? Promise.reject(new DatabaseError('full')) : stores.settled.set(key, value, ttlMs),
      },
    }));
    await stage.courier.accept(idOf('a'), deliveryOf('a'));
    // After its claim is over.
    await pass(MINUTE_MS);
    isFull = false;
    expect(await stage.ledger.drop(T1, idOf('a'), ADA)).toBe('busy');
    await pass(5 * MINUTE_MS);
    expect(await stage.outbox.settlement(idOf('a'))).toMatchObject({ outcome: 'posted' });
    expect(stage.postsOf(idOf('a'))).toBe(1);
  });

  it('and Retry at once end in one of the two', async () => {
    const { courier, ledger, channel, outbox, postsOf } = await openLedgerStage(archived);
    await courier.accept(idOf('a'), deliveryOf('a'));
    await pass(5_000);
    channel.isOpen = true;
    const answers = await Promise.all([ledger.retry(T1, idOf('a')), ledger.drop(T1, idOf('a'), ADA)]);
    await pass(MINUTE_MS);
    const outcome = (await outbox.settlement(idOf('a')))?.outcome;
    expect(answers).toContain(outcome === 'posted' ? 'retried' : 'dropped');
    expect(postsOf(idOf('a'))).toBe(outcome === 'posted' ? 2 : 1);
  });

  it('and Retry of what never was answer that it is not known', async () => {
    const { ledger, stores } = await openLedgerStage(archived);
    expect(await ledger.drop(T1, idOf('x'), ADA)).toBe('unknown');
    expect(await ledger.retry(T1, idOf('x'))).toBe('unknown');
    expect(await stores.claims.keys('', 9)).toEqual([]);
  });
});

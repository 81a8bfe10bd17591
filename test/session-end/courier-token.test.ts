import { describe, expect, it, vi } from 'vitest';
import type { PostOutcome } from '../../src/session-end/post.ts';
import { DatabaseError } from '../../src/database/errors.ts';
import { SUPPORT } from '../support/person.ts';
import { openCourierStage, pass } from './courier-stage.ts';
import { alexInSupport, deliveryOf } from './ended-session.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const took: PostOutcome = { outcome: 'posted', ts: '1.2' };

describe('a workspace whose token Slack refuses', () => {
  it.each([
    'invalid_auth',
    'token_revoked',
    'account_inactive',
    'token_expired',
    'not_authed',
    'not_installed',
  ])('(%s) has all its summaries wait, and none is given up', async (reason) => {
    const { courierThat, outbox, reports } = await openCourierStage();
    let isRefused = true;
    const courier = courierThat(() => (isRefused ? { outcome: 'never', reason } : took));
    const ids = ['a', 'b', 'c', 'd'];
    for (const id of ids) await courier.accept(id, deliveryOf(id, { to: `C${id}` }));
    await pass(5 * DAY_MS, 6 * 60 * MINUTE_MS);
    expect(courier.waiting()).toBe(4);
    expect(new Set(reports.map((line) => line.split(' ')[0]))).toEqual(new Set(['later']));
    isRefused = false;
    await pass(5 * MINUTE_MS);
    for (const id of ids) expect(await outbox.settlement(id)).toMatchObject({ outcome: 'posted' });
  });

  it('is asked about once a minute, not by each channel', async () => {
    const { courierThat, asked } = await openCourierStage();
    const courier = courierThat(() => ({ outcome: 'never', reason: 'token_revoked' }));
    for (let channel = 0; channel < 30; channel += 1)
      await courier.accept(`s${channel}`, deliveryOf(`s${channel}`, { to: `C${channel}` }));
    // Those that were under way before the first answer came.
    await pass(1_000);
    const before = asked.length;
    await pass(10 * MINUTE_MS);
    expect(asked.length - before).toBe(10);
    await courier.stop();
  });

  it('is asked about within two minutes, too, where the clock was put back', async () => {
    const { courierThat, outbox } = await openCourierStage();
    vi.setSystemTime(DAY_MS);
    let isRefused = true;
    const courier = courierThat(() => (isRefused ? { outcome: 'never', reason: 'token_revoked' } : took));
    await courier.accept('a', deliveryOf('a'));
    await pass(1_000);
    vi.setSystemTime(DAY_MS / 2);
    isRefused = false;
    await pass(2 * MINUTE_MS);
    expect(await outbox.settlement('a')).toMatchObject({ outcome: 'posted' });
  });

  it('is asked about by the next, where the one whose turn it is is not posted', async () => {
    const { courierThat, outbox } = await openCourierStage();
    let isRefused = true;
    const courier = courierThat(() => (isRefused ? { outcome: 'never', reason: 'token_revoked' } : took), {
      gate: async ({ subscription }) => (subscription === undefined ? 'go' : { skip: 'filtered_out' }),
    });
    await courier.accept('first', deliveryOf('first', { to: 'C-first' }));
    await pass(1_000);
    await outbox.settle('first', { outcome: 'dropped', to: 'C-first', settledAt: 0 });
    for (let entry = 0; entry < 10; entry += 1)
      await courier.accept(
        `s${entry}`,
        deliveryOf(`s${entry}`, { to: `C-s${entry}`, subscription: { id: '1', form: 'full' } }),
      );
    await courier.accept('own', deliveryOf('own', { to: 'C-own' }));
    isRefused = false;
    await pass(2 * MINUTE_MS);
    expect(await outbox.settlement('own')).toMatchObject({ outcome: 'posted' });
  });

  it('holds no other workspace', async () => {
    const { courierThat, outbox } = await openCourierStage();
    const courier = courierThat(({ workspaceId }) =>
      workspaceId === 'T2' ? took : { outcome: 'never', reason: 'invalid_auth' },
    );
    await courier.accept('a', deliveryOf('a'));
    await courier.accept('b', deliveryOf('b', { grant: { ...alexInSupport, workspaceId: 'T2' } }));
    await pass(5_000);
    expect(await outbox.settlement('b')).toMatchObject({ outcome: 'posted' });
    expect(await outbox.settlement('a')).toBeUndefined();
    await courier.stop();
  });
});

describe('a summary that Slack finds too long', () => {
  it('is posted in its short form, with the rest in its thread', async () => {
    const { courierThat, asked, reports } = await openCourierStage();
    const courier = courierThat(({ text }) =>
      text.includes('Granted:') && text.includes('Visitor:')
        ? { outcome: 'never', reason: 'msg_too_long' }
        : took,
    );
    await courier.accept('a', deliveryOf('a'));
    await pass(10_000);
    expect(asked.map(({ id, threadTs }) => [id, threadTs])).toEqual([
      ['a', undefined],
      ['a', undefined],
      ['a:detail', '1.2'],
    ]);
    expect(reports).toEqual(['posted a', 'posted a:detail']);
  });

  it('is followed by the rest, too, where it was killed before that was kept', async () => {
    let isFull = true;
    const { courierThat, asked } = await openCourierStage((stores) => ({
      ...stores,
      waiting: {
        ...stores.waiting,
        async add(key, value, leaseMs) {
          if (isFull && key === 'a:detail') throw new DatabaseError('full');
          return stores.waiting.add(key, value, leaseMs);
        },
      },
    }));
    const courier = courierThat(
      ({ text }) =>
        text.includes('Granted:') && text.includes('Visitor:')
          ? { outcome: 'never', reason: 'msg_too_long' }
          : took,
      { find: async ({ to }) => ({ found: ['1.2'], channelId: to }) },
    );
    await courier.accept('a', deliveryOf('a'));
    await pass(10_000);
    isFull = false;
    await pass(2 * MINUTE_MS);
    expect(asked.map(({ id, threadTs }) => [id, threadTs])).toEqual([
      ['a', undefined],
      ['a', undefined],
      ['a:detail', '1.2'],
    ]);
  });

  it('is given up where the short form is too long, too, and kept with its reason', async () => {
    const { courierThat, outbox, asked } = await openCourierStage();
    const courier = courierThat(({ to }) =>
      to === SUPPORT ? { outcome: 'never', reason: 'msg_blocks_too_long' } : took,
    );
    await courier.accept('a', deliveryOf('a'));
    await pass(10_000);
    expect(await outbox.settlement('a')).toMatchObject({ outcome: 'failed', reason: 'msg_blocks_too_long' });
    expect(asked.filter(({ id }) => id === 'a')).toHaveLength(2);
    expect(asked.at(-1)?.text).toContain('Slack finds the summary too long, in its short form too');
  });
});

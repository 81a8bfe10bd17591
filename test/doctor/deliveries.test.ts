import { describe, expect, it } from 'vitest';
import { deliveriesCheck } from '../../src/doctor/deliveries.ts';
import { readUndelivered } from '../../src/app/doctor-reads.ts';
import { joinLedgerRecords, joinOutbox } from '../../src/app/outbox.ts';
import { deliveryOf } from '../session-end/ended-session.ts';
import { openDamageable } from '../storage/damage.ts';

const NOON = Date.UTC(2026, 2, 1, 12);
const MINUTE_MS = 60_000;

describe('the summaries', () => {
  it.each([
    [0, 0, 'ok', 'None waits for more than a minute, and none was given up.'],
    [1, 0, 'warning', '1 waits for more than a minute.'],
    [1_200, 1, 'warning', '1,200 wait for more than a minute. 1 was given up in the last 30 days.'],
    [0, 2, 'warning', '2 were given up in the last 30 days.'],
  ])('of which %i wait and %i were given up are %s', async (late, givenUp, state, says) => {
    const check = deliveriesCheck(async () => ({ late, givenUp }));
    expect(await check.run()).toMatchObject([{ about: 'Summaries', state, says }]);
  });

  it('that wait are counted from a minute on, by their last start, those that cannot be read too', async () => {
    const { storage, damage } = await openDamageable();
    const now = () => NOON;
    const outbox = joinOutbox({ storage, now });
    const ages = { new: 0, young: MINUTE_MS, late: MINUTE_MS + 1, again: MINUTE_MS + 1, damaged: 0 };
    for (const [id, age] of Object.entries(ages)) {
      const retried = id === 'again' ? { retriedAt: NOON } : {};
      await outbox.accept(`T1:${id}`, deliveryOf(id, { acceptedAt: NOON - age, ...retried }));
    }
    expect(await readUndelivered(storage, now)).toEqual({ late: 1, givenUp: 0 });
    damage('summaries-waiting', 'T1:damaged');
    const records = joinLedgerRecords({ storage });
    const delivery = deliveryOf('failed');
    await records.givenUp.set(
      { workspaceId: 'T1', at: NOON, id: 'T1:failed' },
      { id: 'T1:failed', to: 'C1', reason: 'is_archived', delivery, failedAt: NOON },
    );
    expect(await readUndelivered(storage, now)).toEqual({ late: 2, givenUp: 1 });
  });
});

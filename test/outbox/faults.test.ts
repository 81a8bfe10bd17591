import { describe, expect, it } from 'vitest';
import { DatabaseError, type Sql } from '../../src/database/database.ts';
import { MINUTE_MS, archived, took, startStage, sessionIn } from './stage.ts';

const SUBSCRIBED = 'C0SUBSCRIBED';

/** Fails this many statements that start like this. */
function failing(
  start: string,
  times: number,
  kind: ConstructorParameters<typeof DatabaseError>[0] = 'full',
) {
  let left = times;
  return (statement: string): void => {
    if (!statement.startsWith(start) || left === 0) return;
    left -= 1;
    throw new DatabaseError(kind);
  };
}

describe('a failure of the database', () => {
  it.each([
    ['in keeping the session end', 'INSERT INTO session_ends'],
    ['in the fan-out', 'UPDATE session_ends SET fanned_out_at'],
    ['in the claim', "UPDATE deliveries SET state = 'sending'"],
    ['in writing down what came of it', 'UPDATE deliveries SET state = ?, settled_at'],
    ['in looking for what is due', 'WITH clock AS'],
  ])('%s still posts everything once', async (_, start) => {
    const stage = await startStage();
    stage.watched.fail = failing(start, 3);
    for (const id of ['a', 'b']) {
      let recorded: string | undefined;
      while (recorded === undefined) recorded = await stage.tell(id, { linkId: id }).catch(() => undefined);
    }
    await stage.pass(3 * MINUTE_MS);
    expect(stage.asked.map(sessionIn).toSorted()).toEqual(['a', 'b']);
    expect((await stage.deliveries()).map(({ state }) => state)).toEqual(['posted', 'posted']);
  });

  it('that lasts doesn’t cause anything posted to be posted again afterwards', async () => {
    const stage = await startStage({
      find: async ({ to }) => ({ found: ['1.1'], channelId: to }),
    });
    stage.watched.fail = failing('UPDATE deliveries SET state = ?, settled_at', Infinity, 'locked');
    await stage.tell('a');
    await stage.pass(10 * MINUTE_MS);
    expect(stage.asked).toHaveLength(1);
    stage.watched.fail = () => undefined;
    await stage.pass(6 * MINUTE_MS);
    expect(stage.asked).toHaveLength(1);
    expect((await stage.summaryOf('a'))?.state).toBe('posted');
  });

  it('does not keep the app from stopping', async () => {
    const stage = await startStage();
    stage.watched.fail = failing('UPDATE deliveries SET state = ?, settled_at', Infinity, 'locked');
    await stage.tell('a');
    await stage.pass(2_000);
    let hasStopped = false;
    const stopping = stage.outbox.stop().then(() => (hasStopped = true));
    await stage.pass(1_000);
    await stopping;
    expect(hasStopped).toBe(true);
  });

  it('that nobody caught lets no post begin, also of turns that were being claimed', async () => {
    const stage = await startStage();
    stage.watched.fail = (statement) => {
      if (statement.includes('UPDATE channels SET claim =')) stage.outbox.crashed();
    };
    await stage.tell('a');
    await stage.pass(5_000);
    expect((await stage.deliveries()).map(({ state }) => state)).toEqual(['sending']);
    expect(stage.asked).toEqual([]);
  });

  it('that only loses the answers changes nothing, and what came of it is told once', async () => {
    const stage = await startStage({
      subscribers: { candidates: async () => [{ id: '1', channelId: SUBSCRIBED }] },
      answer: ({ to }) => (to === SUBSCRIBED ? archived : took()),
    });
    const before = { ...stage.database };
    const kept = new Set(['UPDATE session_ends SET fanned_out_at = ', 'UPDATE deliveries SET state = ']);
    const losing =
      <T>(write: (first: Sql, ...others: Sql[]) => Promise<T>) =>
      async (first: Sql, ...others: Sql[]) => {
        const written = await write(first, ...others);
        if (kept.delete(first.strings[0] ?? '')) throw new DatabaseError('unknown');
        return written;
      };
    Object.assign(stage.database, {
      write: losing((...all) => before.write(...all)),
      writeIf: losing((...all) => before.writeIf(...all)),
    });
    await stage.tell('a');
    await stage.pass(MINUTE_MS);
    expect([...kept]).toEqual([]);
    expect(stage.asked).toHaveLength(2);
    expect(stage.told).toEqual([[SUBSCRIBED, { outcome: 'failed', reason: 'is_archived' }]]);
  });
});

it('a bug of ours in making a message delays it, but loses nothing and holds up no other', async () => {
  let isBroken = true;
  const stage = await startStage({
    answer(asked) {
      if (sessionIn(asked) === 'a' && isBroken) throw new TypeError('a mistake');
      return took();
    },
  });
  await stage.tell('a');
  await stage.tell('b');
  await stage.pass(10_000);
  expect((await stage.summaryOf('b'))?.state).toBe('posted');
  expect(await stage.summaryOf('a')).toMatchObject({ state: 'waiting', reason: null });
  isBroken = false;
  await stage.pass(MINUTE_MS);
  expect((await stage.summaryOf('a'))?.state).toBe('posted');
});

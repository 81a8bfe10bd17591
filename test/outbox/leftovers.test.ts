import { describe, expect, it } from 'vitest';
import { DatabaseError } from '../../src/database/errors.ts';
import { engines } from '../support/engines.ts';
import { MINUTE_MS, openStage } from './stage.ts';

describe.each(engines)('session ends that were left behind, in $engine', ({ newUrl }) => {
  it('don’t wait for sixty others that fail each time', async () => {
    const stage = await openStage({ url: await newUrl() });
    const gone = stage.processOver();
    for (let index = 0; index < 60; index += 1) await gone.tell(`bad-${index}`, { visitorId: 'bad' });
    await gone.tell('good');
    let isBroken = true;
    let tries = 0;
    await stage.start({
      subscribers: {
        candidates: async ({ visitorId }) => {
          if (visitorId !== 'bad') return [];
          tries += 1;
          if (isBroken) throw new TypeError('a mistake');
          return [];
        },
      },
    });
    await stage.pass(2_000);
    expect(stage.asked.map((asked) => stage.sessionIn(asked))).toEqual(['good']);
    expect(tries).toBe(60);
    isBroken = false;
    await stage.pass(5 * MINUTE_MS, 1_000);
    expect(stage.asked).toHaveLength(61);
    expect(tries).toBe(120);
  });

  it('aren’t overtaken by one that arrives while they are read at the start', async () => {
    const stage = await openStage({ url: await newUrl() });
    await stage.processOver().tell('left');
    const { promise: reading, resolve: readOn } = Promise.withResolvers<void>();
    const { database, worker, tell } = stage.processOver();
    const before = { ...database };
    database.read = async (query, row) => {
      if (query.words.join('').includes('fanned_out_at IS NULL AND received_at <=')) await reading;
      return before.read(query, row);
    };
    await worker.start();
    await stage.pass(100);
    await tell('new');
    await stage.settle();
    expect(stage.asked).toEqual([]);
    readOn();
    await stage.pass(3_000);
    expect(stage.asked.map((asked) => stage.sessionIn(asked))).toEqual(['left', 'new']);
  });

  it('don’t keep what arrives waiting if they can’t be read at first', async () => {
    const stage = await openStage({ url: await newUrl() });
    const { worker, tell, watched } = stage.processOver();
    watched.fail = (statement) => {
      if (!statement.includes('fanned_out_at IS NULL AND received_at <=')) return;
      watched.fail = () => undefined;
      throw new DatabaseError('unreachable');
    };
    await worker.start();
    await stage.pass(100);
    await tell('new');
    await stage.pass(3_000, 500);
    expect(stage.asked).toHaveLength(1);
  });

  it('are fanned out once, even one that is still being fanned out while they are read', async () => {
    const stage = await openStage({ url: await newUrl() });
    const [reading, read, asking] = Array.from({ length: 3 }, () => Promise.withResolvers<void>());
    let asked = 0;
    const { database, worker, tell, watched } = stage.processOver({
      subscribers: {
        candidates: async () => {
          asked += 1;
          await asking?.promise;
          return [];
        },
      },
    });
    const before = { ...database };
    let isFirst = true;
    database.read = async (query, row) => {
      const isOfLeftovers = query.words.join('').includes('fanned_out_at IS NULL AND received_at <=');
      if (!isOfLeftovers || !isFirst) return before.read(query, row);
      isFirst = false;
      await reading?.promise;
      const rows = await before.read(query, row);
      expect(rows).toHaveLength(1);
      await read?.promise;
      return rows;
    };
    isFirst = false;
    await worker.start();
    await stage.settle();
    isFirst = true;
    await tell('a');
    // Until it has been under way for so long that it could be left behind.
    await stage.pass(MINUTE_MS + 5_000, 1_000);
    expect(isFirst).toBe(false);
    reading?.resolve();
    await stage.settle();
    asking?.resolve();
    await stage.settle();
    expect((await stage.summaryOf('a'))?.state).toBe('posted');
    read?.resolve();
    await stage.pass(MINUTE_MS, 1_000);
    expect(asked).toBe(1);
    expect(
      watched.statements.filter((words) => words.startsWith('UPDATE session_ends SET fanned_out_at')),
    ).toHaveLength(1);
  });
});

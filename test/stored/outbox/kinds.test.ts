import { describe, expect, it } from 'vitest';
import { sql } from '../../../src/database/database.ts';
import { notice } from '../../../src/messages/message.ts';
import type { Kind } from '../../../src/outbox/delivery.ts';
import { engines } from '../../support/engines.ts';
import { MINUTE_MS, deliveryOf, openStage, sessionIn } from '../../outbox/stage.ts';

const hello: Kind = {
  name: 'hello',
  render: async ({ id }) => ({ message: async () => notice([`Hello ${id}`]) }),
};

describe.each(engines)('a kind of delivery, in $engine', ({ newUrl }) => {
  it('is left to the program that knows it, and lets others of its channel pass', async () => {
    const stage = await openStage({ url: await newUrl(), isShared: true });
    const { database, outbox: older, tell } = await stage.start();
    await database.write(...deliveryOf('hello', 'n1'));
    await tell('a');
    await stage.pass(5_000);
    expect(stage.asked.map(sessionIn)).toEqual(['a']);
    await older.stop();
    await stage.start({ also: (outbox) => outbox.register(hello) });
    await stage.pass(2 * MINUTE_MS);
    expect(new Set(stage.asked.map(sessionIn))).toEqual(new Set(['a', 'Hello n1']));
  });

  it('is posted also where an earlier program, beside this one, asks about it first', async () => {
    const stage = await openStage({ url: await newUrl(), isShared: true });
    const asking = sql`UPDATE deliveries SET state = 'asking', claim = 'of the earlier one' WHERE state = 'waiting'`;
    const queue = (id: string) =>
      stage.database.write(...deliveryOf('hello', id), asking, sql`UPDATE channels SET next_at = NULL`);
    await queue('n1');
    await stage.start({ also: (outbox) => outbox.register(hello) });
    await stage.pass(5_000);
    await queue('n2');
    await stage.pass(5_000);
    expect(stage.asked.map(sessionIn)).toEqual(['Hello n1', 'Hello n2']);
  });
});

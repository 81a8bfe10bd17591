import { describe, expect, it } from 'vitest';
import { sql } from '../../../src/database/database.ts';
import { notice } from '../../../src/messages/message.ts';
import { engines } from '../../support/engines.ts';
import { MINUTE_MS, deliveryOf, openStage, sessionIn } from '../../outbox/stage.ts';

describe.each(engines)('a kind of delivery, in $engine', ({ newUrl }) => {
  it('is left to the program that knows it, and lets others of its channel pass', async () => {
    const stage = await openStage({ url: await newUrl(), isShared: true });
    const { database, outbox: older, tell } = await stage.start();
    await database.write(...deliveryOf('newer', 'n1'), ...deliveryOf('newer', 'n2'));
    await database.write(sql`UPDATE deliveries SET state = 'asking' WHERE id = 'n2'`);
    await tell('a');
    await stage.pass(5_000);
    expect(stage.asked.map(sessionIn)).toEqual(['a']);
    await older.stop();
    await stage.start({
      also: (outbox) =>
        outbox.register({
          name: 'newer',
          filter: async () => ['S1'],
          render: async ({ id }) => ({ message: async () => notice([`Hello ${id}`]) }),
        }),
    });
    await stage.pass(2 * MINUTE_MS);
    expect(new Set(stage.asked.map(sessionIn))).toEqual(new Set(['a', 'Hello n1', 'Hello n2']));
  });
});

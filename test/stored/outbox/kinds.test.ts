import { describe, expect, it } from 'vitest';
import { notice } from '../../../src/messages/message.ts';
import { engines } from '../../support/engines.ts';
import { MINUTE_MS, deliveryOf, openStage, sessionIn } from '../../outbox/stage.ts';

const hello = async () => notice(['Hello']);

describe.each(engines)('a kind of delivery, in $engine', ({ newUrl }) => {
  it('is left to the program that knows it, and lets others of its channel pass', async () => {
    const stage = await openStage({ url: await newUrl(), isShared: true });
    const { database, outbox: older, tell } = await stage.start();
    await database.write(...deliveryOf('newer', 'n1'));
    await tell('a');
    await stage.pass(5_000);
    expect(stage.asked.map(sessionIn)).toEqual(['a']);
    await older.stop();
    await stage.start({
      also: (outbox) => outbox.register({ name: 'newer', render: async () => ({ message: hello }) }),
    });
    await stage.pass(2 * MINUTE_MS);
    expect(stage.asked.map(sessionIn)).toEqual(['a', 'Hello']);
  });
});

import { describe, expect, it } from 'vitest';
import { notice } from '../../../src/messages/message.ts';
import { engines } from '../../support/engines.ts';
import { MINUTE_MS, deliveryOf, openStage, sessionIn } from '../../outbox/stage.ts';

const hello = async () => notice(['Hello']);

describe.each(engines)('a kind of delivery, in $engine', ({ newUrl }) => {
  it('is left to the program that knows it, which costs this one nothing and lets others of its channel pass', async () => {
    const stage = await openStage({ url: await newUrl(), isShared: true });
    const { database, tell, watched } = await stage.start();
    await database.write(...deliveryOf('newer', 'n1'));
    await tell('a');
    await stage.pass(5_000);
    expect(stage.asked.map(sessionIn)).toEqual(['a']);
    watched.statements.length = 0;
    watched.commits = 0;
    await stage.pass(2 * MINUTE_MS);
    // A look every two seconds, one at the oldest every thirty, and a sweep each minute.
    expect(watched.statements.length).toBeLessThanOrEqual(70);
    expect(watched.commits).toBeLessThanOrEqual(3);
    await stage.start({
      also: (outbox) => outbox.register({ name: 'newer', compose: async () => ({ message: hello }) }),
    });
    await stage.pass(2 * MINUTE_MS);
    expect(stage.asked.map(sessionIn)).toEqual(['a', 'Hello']);
  });
});

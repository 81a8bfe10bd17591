import { describe, expect, it } from 'vitest';
import type { Kind } from '../../src/outbox/kind.ts';
import { notice } from '../../src/messages/message.ts';
import { engines } from '../support/engines.ts';
import { MINUTE_MS, deliveryOf, down, openStage, took, startStage, sessionIn } from './stage.ts';

const hello: Kind = {
  name: 'hello',
  compose: async ({ id }) => ({ message: async () => notice([`Hello ${id}`]) }),
};

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
    await stage.pass(2 * MINUTE_MS, 1_000);
    // A look every two seconds, and a sweep each minute.
    expect(watched.statements.length).toBeLessThanOrEqual(65);
    expect(watched.commits).toBeLessThanOrEqual(3);
    await stage.start({ also: (outbox) => outbox.register({ ...hello, name: 'newer' }) });
    await stage.pass(2 * MINUTE_MS, 1_000);
    expect(stage.asked.map(({ text }) => text.split('\n')[0]).at(-1)).toBe('Hello n1');
  });

  it.each([
    ['lets others pass what failed', {}, ['Hello a', 'Hello b', 'Hello a']],
    ['keeps its place where the order is strict', { order: 'strict' }, ['Hello a', 'Hello a', 'Hello b']],
  ] as const)('%s', async (_words, transport, expected) => {
    const stage = await startStage({
      url: await newUrl(),
      ...transport,
      answer: ({ id }, times) => (id === 'a' && times === 0 ? down : took()),
      also: (made) => made.register(hello),
    });
    await stage.database.write(...deliveryOf('hello', 'a'), ...deliveryOf('hello', 'b'));
    stage.outbox.wake();
    await stage.pass(10_000);
    expect(stage.asked.map(({ text }) => text)).toEqual(expected);
  });
});

import { describe, expect, it } from 'vitest';
import { stopInOrder } from '../../src/lifecycle/stopping.ts';

function fail(error: Error): never {
  throw error;
}

describe('the stop of the app', () => {
  it('stops each group once the one before has ended', async () => {
    const ended: string[] = [];
    const slow = Promise.withResolvers<void>();
    const stopped = stopInOrder([
      [() => slow.promise.then(() => ended.push('slow')), () => ended.push('quick')],
      [() => ended.push('database')],
    ]);
    slow.resolve();
    await stopped;
    expect(ended).toEqual(['quick', 'slow', 'database']);
  });

  it('closes the database after parts that fail to stop, and then says what failed', async () => {
    const ended: string[] = [];
    const [late, thrown] = [new Error('the socket broke'), new Error('no such timer')];
    const stopped = stopInOrder([
      [() => Promise.reject(late), () => ended.push('server')],
      [() => fail(thrown)],
      [() => ended.push('database')],
    ]);
    await expect(stopped).rejects.toMatchObject({ errors: [late, thrown] });
    expect(ended).toEqual(['server', 'database']);
  });
});

import { describe, expect, it } from 'vitest';
import { DatabaseError } from '../../src/database/database.ts';
import { createLastRead } from '../../src/database/last-read.ts';

const HOUR_MS = 60 * 60 * 1_000;

const none: Error | undefined = undefined;

function lastRead(otherwise?: (id: string) => string) {
  const world = { time: 0, value: 'first', failure: none };
  const read = createLastRead<string>({
    async read(workspaceId, id) {
      if (world.failure !== undefined) throw world.failure;
      return `${world.value} of ${workspaceId} ${id}`;
    },
    otherwise,
    elapsed: () => world.time,
  });
  return { read, world };
}

describe('what was read last', () => {
  const away = new DatabaseError('unreachable');

  it('counts for an hour, only where the database can’t be read, and only for the same', async () => {
    const { read, world } = lastRead();
    await read('T1', 'a');
    world.value = 'second';
    expect(await read('T1', 'a')).toBe('second of T1 a');
    world.failure = away;
    world.time = HOUR_MS;
    expect(await read('T1', 'a')).toBe('second of T1 a');
    await expect(read('T1', 'b')).rejects.toBe(away);
    await expect(read('T2', 'a')).rejects.toBe(away);
    world.time = HOUR_MS + 1;
    await expect(read('T1', 'a')).rejects.toBe(away);
  });

  it('hides no other failure, and may have something in its place', async () => {
    const { read, world } = lastRead((id) => `just ${id}`);
    world.failure = away;
    expect(await read('T1', 'a')).toBe('just a');
    world.failure = new TypeError('a mistake of our own');
    await expect(read('T1', 'a')).rejects.toBe(world.failure);
  });
});

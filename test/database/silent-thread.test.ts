import type * as threads from 'node:worker_threads';
import { expect, it, vi } from 'vitest';
import { damageIn } from '../../src/database/damage.ts';
import { DatabaseError } from '../../src/database/errors.ts';

vi.mock('node:worker_threads', async (load: () => Promise<typeof threads>) => {
  const real = await load();
  return {
    ...real,
    Worker: class extends real.Worker {
      constructor() {
        super('', { eval: true });
      }
    },
  };
});

it('a look for damage fails where its thread ends without a word', async () => {
  await expect(damageIn('any.db')).rejects.toBeInstanceOf(DatabaseError);
});

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { onTestFinished } from 'vitest';
import { openStorage } from '../../src/storage/open.ts';
import { temporaryFolder } from './temporary.ts';

/** A storage in a file until the test ends, and a function that cuts one of its records short. */
export async function openDamageable() {
  const path = join(await temporaryFolder(), 'store.db');
  const storage = await openStorage(`sqlite:${path}`);
  const other = new DatabaseSync(path);
  onTestFinished(async () => {
    other.close();
    await storage.close();
  });
  function damage(namespace: string, keyStart: string): void {
    const { changes } = other
      .prepare(`UPDATE records SET value = '{"value":{"wor' WHERE namespace = ? AND key LIKE ? || '%'`)
      .run(namespace, keyStart);
    if (changes === 0) throw new Error('There was nothing to damage');
  }
  return { storage, damage };
}

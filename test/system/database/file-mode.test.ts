import { chmod, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startSandbox } from '../../../sandbox/sandbox.ts';
import { storeChecks } from '../../../src/admin/check-operator.ts';
import { openDatabase } from '../../../src/database/open.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const modeOf = async (path: string) => (await stat(path)).mode & 0o777;

async function oldStore() {
  const path = join(await temporaryFolder(), 'store.db');
  await (await openDatabase(`sqlite:${path}`)).close();
  for (const file of [`${path}-wal`, `${path}-shm`]) await writeFile(file, '');
  for (const file of [path, `${path}-wal`, `${path}-shm`]) await chmod(file, 0o644);
  return path;
}

describe('a database whose files others can open', () => {
  it('is made private when the app starts', async () => {
    const path = await oldStore();
    const sandbox = await startSandbox({ storeUrl: `sqlite:${path}` });
    onTestFinished(() => sandbox.close());
    for (const file of [path, `${path}-wal`, `${path}-shm`]) expect(await modeOf(file)).toBe(0o600);
  });

  it('is reported by the doctor', async () => {
    const path = await oldStore();
    const checks = storeChecks({ check: async () => undefined, storeUrl: `sqlite:${path}`, isNew: false });
    const examined = async () => (await checks.find(({ about }) => about === 'Database file')?.run())?.[0];
    expect(await examined()).toMatchObject({
      state: 'warning',
      says: 'Other users of this machine can open it (mode 644).',
    });
    await (await openDatabase(`sqlite:${path}`)).close();
    expect(await examined()).toMatchObject({ state: 'ok' });
  });
});

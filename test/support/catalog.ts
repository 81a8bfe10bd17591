import { startSandbox } from '../../sandbox/sandbox.ts';
import type { Catalog } from '../../src/commands/catalog.ts';

/** Everything people can ask for, as an app has it that ran for a moment. */
export async function appsCatalog(): Promise<Catalog> {
  const sandbox = await startSandbox();
  await sandbox.close();
  return sandbox.app.catalog;
}

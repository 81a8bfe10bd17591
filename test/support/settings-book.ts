import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { WorkspaceSettings, createSettingsBook } from '../../src/grants/settings.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { openStorage } from '../../src/storage/open.ts';

/** A store that another process can write to, for a file's tests: gone after them. */
export function storeInFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'settings-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return `sqlite:${join(folder, 'store.db')}`;
}

const ACME = 'T0ACME00000';

/** Writes the workspace's settings into the app's own store, a file, as another process would; the rest is as usual. */
export async function writeSettings(
  { config }: Pick<Sandbox, 'config'>,
  settings: Partial<WorkspaceSettings>,
): Promise<void> {
  const storage = await openStorage(config.storeUrl);
  const book = createSettingsBook(storage.store('workspace-settings'));
  await book.change(ACME, () => WorkspaceSettings.parse(settings));
  await storage.close();
}

import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { sql, type Database } from '../../src/database/database.ts';
import { openDatabase } from '../../src/database/open.ts';
import type { Act } from '../../src/permissions/permissions.ts';
import { settingOf, channelSetting, type WorkspaceSettings } from '../../src/workspaces/settings.ts';
import { placeForFiles } from './temporary.ts';

/** A store that another process can write to, for a file's tests: gone after them. */
export function storeInFile(): string {
  const folder = mkdtempSync(join(placeForFiles, 'settings-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return `sqlite:${join(folder, 'store.db')}`;
}

const ACME = 'T0ACME00000';

/** Writes settings, whoever changed them before. */
export async function keepSettings(
  database: Pick<Database, 'write'>,
  workspaceId: string,
  settings: Partial<WorkspaceSettings>,
): Promise<void> {
  const { channelAccess = {}, rules = {}, ...accessLevels } = settings;
  const acts: readonly Act[] = ['watch', 'stop', 'delete', 'usage'];
  const named: readonly (readonly [string, unknown])[] = [
    ...Object.entries(accessLevels),
    ...Object.entries(channelAccess).map(([id, access]) => [channelSetting(id), access] as const),
    ...acts.flatMap((act) => (rules[act] === undefined ? [] : [[settingOf(act), rules[act]] as const])),
  ];
  for (const [name, value] of named)
    await database.write(
      sql`INSERT INTO settings (workspace_id, name, value, version, changed_by, changed_at)
        VALUES (${workspaceId}, ${name}, ${JSON.stringify(value)}, 1, 'U0EARLIER', 0)
        ON CONFLICT (workspace_id, name) DO UPDATE SET value = excluded.value, version = settings.version + 1`,
    );
}

/** Writes the workspace's settings into the app's own store, a file, as another process would; the rest is as usual. */
export async function writeSettings(
  { config }: Pick<Sandbox, 'config'>,
  settings: Partial<WorkspaceSettings>,
): Promise<void> {
  const database = await openDatabase(config.storeUrl);
  await database.write(sql`DELETE FROM settings WHERE workspace_id = ${ACME}`);
  await keepSettings(database, ACME, settings);
  await database.close();
}

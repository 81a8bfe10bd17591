import { resolve } from 'node:path';
import { stat } from 'node:fs/promises';
import { backUp } from '../database/backup.ts';
import { sqliteFile } from '../database/open.ts';
import { keysNeeded, runWithConfig, withoutFile } from './store-program.ts';

/** `npm run backup`. @returns false if it doesn't understand what was typed */
export async function run({ argv }: Pick<NodeJS.Process, 'argv'>): Promise<false> {
  const [file, ...rest] = argv.slice(2);
  if (file === undefined || file.startsWith('-') || rest.length > 0) return false;
  return runWithConfig(async ({ storeUrl, secretKeys }) => {
    const path = sqliteFile(storeUrl);
    if (path === undefined) return withoutFile;
    const to = resolve(file);
    await backUp(path, to);
    const mebibytes = ((await stat(to)).size / 1_048_576).toFixed(1);
    return {
      says: `Backed up to ${to} (${mebibytes} MiB), and checked.\n${keysNeeded(secretKeys)}`,
      code: 0,
    };
  });
}

import { resolve } from 'node:path';
import { stat } from 'node:fs/promises';
import { backUp } from '../database/backup.ts';
import { sqliteFile } from '../database/open.ts';
import { keysNeeded, pgRestore, runWithConfig, shellWord } from './store-program.ts';

/** `npm run backup`. @returns false if it doesn't understand what was typed */
export async function run(
  { argv }: Pick<NodeJS.Process, 'argv'>,
  typed: (name: string, form: string) => string,
): Promise<false> {
  const [file, ...rest] = argv.slice(2);
  if (file === undefined || file.startsWith('-') || rest.length > 0) return false;
  return runWithConfig(async ({ storeUrl, secretKeys }) => {
    if (storeUrl === 'memory:') return { says: 'STORE_URL is memory:, which can’t be backed up.', code: 1 };
    const path = sqliteFile(storeUrl);
    const to = resolve(file);
    const keys = keysNeeded(secretKeys);
    if (path === undefined) {
      const says = [
        'PostgreSQL is backed up by its own program, while the app runs. With STORE_URL as the app has it:',
        '',
        `  pg_dump -Fc --file ${shellWord(to)} --dbname "$STORE_URL"`,
        '',
        'and later, into a database that is empty, while no app runs:',
        '',
        pgRestore(to),
        typed('restore', '--mark'),
        '',
        keys,
      ];
      return { says: says.join('\n'), code: 0 };
    }
    await backUp(path, to);
    const mebibytes = ((await stat(to)).size / 1_048_576).toFixed(1);
    return { says: `Backed up to ${to} (${mebibytes} MiB), and checked.\n${keys}`, code: 0 };
  });
}

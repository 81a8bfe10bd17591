import { resolve } from 'node:path';
import { stat } from 'node:fs/promises';
import { backUp } from './database/backup.ts';
import { sqliteFile } from './database/open.ts';
import { keysNeeded, runWithConfig, shellWord } from './store-program.ts';

const USAGE = `Copies the app's database into a new file, while the app runs or not:

  npm run backup -- FILE

With PostgreSQL it prints the command that does it.
`;

const [file, ...rest] = process.argv.slice(2);
if (file === undefined || file.startsWith('-') || rest.length > 0) {
  process.stderr.write(USAGE);
  process.exitCode = 2;
} else {
  /** `npm run backup`. */
  await runWithConfig(async ({ storeUrl, secretKeys }) => {
    const path = sqliteFile(storeUrl);
    const to = resolve(file);
    if (storeUrl === 'memory:') return { says: 'STORE_URL is memory:, which can’t be backed up.', code: 1 };
    if (path === undefined) {
      const says = [
        'PostgreSQL is backed up by its own program, while the app runs. With STORE_URL as the app has it:',
        '',
        `  pg_dump -Fc --exclude-table-data=serving --file ${shellWord(to)} --dbname "$STORE_URL"`,
        '',
        'and later, into a database that is empty, while no app runs:',
        '',
        `  pg_restore --no-owner --single-transaction --dbname "$STORE_URL" ${shellWord(to)}`,
        '  npm run restore -- --mark',
        '',
        keysNeeded(secretKeys),
      ];
      return { says: says.join('\n'), code: 0 };
    }
    await backUp(path, to);
    const { size } = await stat(to);
    const mebibytes = (size / 1_048_576).toFixed(1);
    return {
      says: `${to} has it all, ${mebibytes} MiB, and was checked.\n${keysNeeded(secretKeys)}`,
      code: 0,
    };
  });
}

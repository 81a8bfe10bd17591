import { execFile } from 'node:child_process';
import { readFile, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { sqliteFile } from '../../src/database/open.ts';
import { postgresPrograms } from '../support/machine.ts';

/** Everything in a database as it lies there: SQLite's files byte for byte, and PostgreSQL's dump. */
export async function rawDatabase(storeUrl: string): Promise<string> {
  const file = sqliteFile(storeUrl);
  if (file === undefined) {
    const { stdout } = await promisify(execFile)(
      join(postgresPrograms ?? '', 'pg_dump'),
      ['--inserts', '--dbname', storeUrl],
      { maxBuffer: 100_000_000 },
    );
    return stdout;
  }
  const names = await readdir(dirname(file));
  const files = await Promise.all(names.map((name) => readFile(join(dirname(file), name), 'latin1')));
  return files.join('\n');
}

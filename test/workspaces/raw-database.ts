import { readFile, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { sql } from '../../src/database/database.ts';
import { openDatabase, sqliteFile } from '../../src/database/open.ts';

const Anything = z.record(z.string(), z.unknown());
const Table = z.object({ name: z.string() });

/** Everything in a database as it lies there: SQLite's files byte for byte, and each row of PostgreSQL's tables. */
export async function rawDatabase(storeUrl: string): Promise<string> {
  const file = sqliteFile(storeUrl);
  if (file !== undefined) {
    const names = await readdir(dirname(file));
    const files = await Promise.all(names.map((name) => readFile(join(dirname(file), name), 'latin1')));
    return files.join('\n');
  }
  const database = await openDatabase(storeUrl);
  try {
    const tables = await database.read(
      sql`SELECT table_name AS name FROM information_schema.tables WHERE table_schema = current_schema()`,
      Table,
    );
    const rows = await Promise.all(
      tables.map(({ name }) => database.read({ words: [`SELECT * FROM ${name}`], values: [] }, Anything)),
    );
    return JSON.stringify(rows);
  } finally {
    await database.close();
  }
}

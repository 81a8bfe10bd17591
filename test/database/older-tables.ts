import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { forEngine, statementsOf } from '../../src/database/migrations.ts';
import { sqliteFile } from '../../src/database/open.ts';
import { steps } from '../../src/database/steps.ts';

/** Makes the tables in an empty database as a program made them that knew so many steps. @param rows more statements */
export async function makeOlderTables(
  url: string,
  count: number,
  rows: readonly string[] = [],
): Promise<void> {
  const file = sqliteFile(url);
  const engine = file === undefined ? 'postgres' : 'sqlite';
  const made = steps
    .slice(0, count)
    .flatMap(statementsOf)
    .map((statement) => forEngine(statement, engine).sql);
  const all = [
    'CREATE TABLE schema_version (id BIGINT PRIMARY KEY, version BIGINT, oldest_program BIGINT, checked BIGINT)',
    `INSERT INTO schema_version VALUES (1, ${count}, 2, 0)`,
    ...made,
    ...rows,
  ].join(';\n');
  if (file === undefined) {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(all);
    await client.end();
  } else {
    await mkdir(dirname(file), { recursive: true });
    const connection = new DatabaseSync(file);
    connection.exec(all);
    connection.close();
  }
}

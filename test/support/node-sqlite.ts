import { readFileSync } from 'node:fs';
import type * as Sqlite from 'node:sqlite';
import { inject } from 'vitest';

/*
 * In the place of `node:sqlite` (see vitest.config.ts): a database in memory begins as a copy of the run's template, since to
 * make its tables takes ten times as long.
 */
const real: typeof Sqlite = process.getBuiltinModule('node:sqlite');
// Node 22 can't copy.
const file =
  'deserialize' in real.DatabaseSync.prototype ? readFileSync(inject('sqliteTemplate')) : undefined;
// The format's versions for writing and reading: in memory there is no write-ahead log. Source: sqlite.org/fileformat2.html
file?.fill(1, 18, 20);

export const { StatementSync } = real;

export class DatabaseSync extends real.DatabaseSync {
  constructor(...given: ConstructorParameters<typeof real.DatabaseSync>) {
    super(...given);
    if (given[0] === ':memory:' && file !== undefined) this.deserialize(file);
  }
}

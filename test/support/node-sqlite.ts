import { readFileSync } from 'node:fs';
import type * as Sqlite from 'node:sqlite';
import { inject } from 'vitest';

/*
 * In the place of `node:sqlite` (see vitest.config.ts): a database in memory begins as a copy of the run's template, since to
 * make its tables takes ten times as long.
 */
const real: typeof Sqlite = process.getBuiltinModule('node:sqlite');
let template: Buffer | undefined;

/** Read when it's needed: what makes the template, before the tests, has none. */
function read(): Buffer {
  // The format's versions for writing and reading: in memory there is no write-ahead log. Source: sqlite.org/fileformat2.html
  template ??= readFileSync(inject('sqliteTemplate')).fill(1, 18, 20);
  return template;
}

export const { StatementSync } = real;

export class DatabaseSync extends real.DatabaseSync {
  constructor(...given: ConstructorParameters<typeof real.DatabaseSync>) {
    super(...given);
    // Node 22 can't copy.
    if (given[0] === ':memory:' && 'deserialize' in this) this.deserialize(read());
  }
}

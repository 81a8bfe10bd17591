import type { Database } from './database.ts';

/** @param took called with how long each read and write took, failed ones too, milliseconds */
export function timed(database: Database, took: (what: 'read' | 'write', ms: number) => void): Database {
  function timing<Given extends readonly unknown[], Result>(
    what: 'read' | 'write',
    work: (...given: Given) => Promise<Result>,
  ) {
    return async (...given: Given): Promise<Result> => {
      const begun = performance.now();
      try {
        return await work(...given);
      } finally {
        took(what, performance.now() - begun);
      }
    };
  }
  const { read, write, writeThen, writeIf } = database;
  return {
    ...database,
    read: (...given) => timing('read', () => read(...given))(),
    write: timing('write', write),
    writeThen: timing('write', writeThen),
    writeIf: timing('write', writeIf),
  };
}

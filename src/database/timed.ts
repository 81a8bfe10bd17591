import type { Database } from './database.ts';

/** @param took called with how long each read and write took, failed ones too, milliseconds */
export function timed(database: Database, took: (what: 'read' | 'write', ms: number) => void): Database {
  async function time<Result>(what: 'read' | 'write', work: Promise<Result>): Promise<Result> {
    const begun = performance.now();
    try {
      return await work;
    } finally {
      took(what, performance.now() - begun);
    }
  }
  let background: Database | undefined;
  return {
    ...database,
    read: (...given) => time('read', database.read(...given)),
    write: (...given) => time('write', database.write(...given)),
    writeThen: (...given) => time('write', database.writeThen(...given)),
    writeIf: (...given) => time('write', database.writeIf(...given)),
    writeAndNotify: (...given) => time('write', database.writeAndNotify(...given)),
    inBackground: () => (background ??= timed(database.inBackground(), took)),
  };
}

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { prepareSchema } from '../../src/storage/sqlite-schema.ts';
import { temporaryFolder } from './temporary.ts';

describe('a connection to a SQLite file', () => {
  it('waits for the disk at every commit, whatever it was set to', async () => {
    const connection = new DatabaseSync(join(await temporaryFolder(), 'store.db'));
    onTestFinished(() => connection.close());
    connection.exec('PRAGMA synchronous = OFF');
    await prepareSchema(connection);

    expect(connection.prepare('PRAGMA journal_mode').get()).toMatchObject({ journal_mode: 'wal' });
    expect(connection.prepare('PRAGMA synchronous').get()).toMatchObject({ synchronous: 2 });
  });
});

import { createHash } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { sql } from '../../../src/database/database.ts';
import { migrate } from '../../../src/database/migrations.ts';
import { steps, type Step } from '../../../src/database/steps.ts';
import { sqliteFile } from '../../../src/database/open.ts';
import { aloneSettings, builtStart, startProcess } from '../../support/app-process.ts';
import { engines, openUntilTestEnds, sqlite } from '../../support/engines.ts';
import { makeOlderTables } from '../../database/older-tables.ts';

const ADDS: Step = [sql`CREATE TABLE made_up (id TEXT PRIMARY KEY)`];
const REMOVES: Step = {
  oneWay: 'the version before reads the table of stops',
  statements: [sql`DROP TABLE stops`],
};

describe.each(engines)('a program with steps that the one before lacks, in $engine', ({ engine, newUrl }) => {
  async function open() {
    const database = await openUntilTestEnds(await newUrl());
    const rows = async (query = sql`SELECT version FROM schema_version`) =>
      database.read(query, z.object({ version: z.number() }));
    const words = engine === 'SQLite' ? 'sqlite' : 'postgres';
    return {
      /** Opens the tables as a program does that knows these steps. */
      start: (known: readonly Step[], mayBeOneWay = false) =>
        migrate(database, words, { mayBeOneWay }, known),
      version: async () => (await rows())[0]?.version,
      stops: () => rows(sql`SELECT COUNT(*) AS version FROM stops`),
    };
  }

  it('leaves tables that the one before works with', async () => {
    const { start, version } = await open();
    await start([...steps, ADDS]);
    expect(await version()).toBe(steps.length + 1);
    await start(steps);
    expect(await version()).toBe(steps.length + 1);
  });

  it('changes nothing if one of them is one-way, names it, and does it where that’s allowed', async () => {
    const { start, version, stops } = await open();
    const known = [...steps, ADDS, REMOVES];
    await expect(start(known)).rejects.toMatchObject({
      kind: 'one-way',
      cause: { message: `step ${steps.length + 2}: the version before reads the table of stops` },
    });
    // Not even the one that could be gone back from.
    expect(await version()).toBe(steps.length);
    await stops();
    await start(steps);

    await start(known, true);
    expect(await version()).toBe(steps.length + 2);
    await expect(stops()).rejects.toThrow('The database failed');
    await expect(start(steps)).rejects.toMatchObject({ kind: 'other-version' });
    // Without being allowed to again.
    await start(known);
  });
});

/** All of a file's tables, and its version. */
function hashOf(file: string): string {
  const connection = new DatabaseSync(file);
  const all = ['sqlite_master', 'schema_version'].map((name) =>
    connection.prepare(`SELECT * FROM ${name}`).all(),
  );
  connection.close();
  return createHash('sha256').update(JSON.stringify(all)).digest('hex');
}

describe('npm start on tables of a version that can’t work with what becomes of them', () => {
  it('ends with 1, says which step it is and what to do, and changes nothing unless ALLOW_ONE_WAY_UPGRADE says so', async () => {
    const STORE_URL = await sqlite.newEmptyUrl();
    await makeOlderTables(STORE_URL, 4);
    const file = sqliteFile(STORE_URL) ?? '';
    const before = hashOf(file);
    const program = await builtStart();
    const { code, stderr } = await startProcess({ ...aloneSettings, STORE_URL }, { program }).end();
    expect(code).toBe(1);
    expect(stderr).toContain('start this version with ALLOW_ONE_WAY_UPGRADE=true');
    expect(stderr).toContain(
      '  Cause: step 9: the version before takes posts of kinds that it doesn’t know for damage; step 22: the version before looks for outgoing webhooks elsewhere\n',
    );
    expect(hashOf(file)).toBe(before);

    const settings = { ...aloneSettings, STORE_URL, ALLOW_ONE_WAY_UPGRADE: 'true' };
    const allowed = startProcess(settings, { program });
    await expect.poll(() => allowed.printed.stdout).toContain('"msg":"listening"');
    expect(hashOf(file)).not.toBe(before);
  });
});

import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { Sql, sql } from '../../../src/database/database.ts';
import { openDatabase } from '../../../src/database/open.ts';
import { installsOn } from '../../../src/cli/store-program.ts';
import { createPurge } from '../../../src/workspaces/holds.ts';
import { builtStart } from '../../support/app-process.ts';
import { engines, sqlite, type Engine } from '../../support/engines.ts';
import { SEALING_KEY, forMany } from '../../support/settings.ts';
import { anInstall } from '../../workspaces/an-install.ts';
import { runNode } from './run-program.ts';

const BUILT = await builtStart();
const ACME = 'T0ACME00000';
const OTHER = 'T0OTHER0000';

const COLUMNS = {
  SQLite: sql`SELECT m.name AS "table", c.name AS "column", c.type FROM sqlite_master AS m, pragma_table_info(m.name) AS c
    WHERE m.type = 'table' ORDER BY m.name, c.cid`,
  PostgreSQL: sql`SELECT table_name AS "table", column_name AS "column", data_type AS type FROM information_schema.columns
    WHERE table_schema = current_schema() ORDER BY table_name, ordinal_position`,
} as const;
const Column = z.object({ table: z.string(), column: z.string(), type: z.string() });
const Count = z.object({ count: z.coerce.number() });

/** A statement whose words are put together here. */
const statement = (words: string, ...values: readonly (string | number)[]): Sql =>
  new Sql(words.split('?'), values);

async function stage({ engine, newUrl }: Engine) {
  const storeUrl = await newUrl();
  const database = await openDatabase(storeUrl);
  onTestFinished(() => database.close());
  const installs = installsOn(database, { secretKeys: [SEALING_KEY] });
  for (const id of [ACME, OTHER]) await installs.record(anInstall(id));
  const found = await database.read(COLUMNS[engine === 'SQLite' ? 'SQLite' : 'PostgreSQL'], Column);
  const tables = [...Map.groupBy(found, ({ table }) => table)].filter(([, columns]) =>
    columns.some(({ column }) => column === 'workspace_id'),
  );

  /** Rows that name the workspace in every column that holds text. */
  async function fill(workspaceId: string, rows: number, only?: string): Promise<void> {
    for (const [table, columns] of tables) {
      if (only !== undefined && table !== only) continue;
      const own = columns.filter(({ column }) => !(table === 'audit' && column === 'id'));
      const most = table === 'subscription_numbers' ? 1 : rows;
      const values = own.map(({ column, type }) => {
        if (column === 'workspace_id') return `'${workspaceId}'`;
        return /INT|REAL|DOUBLE/i.test(type) ? 'i' : `'${workspaceId} ' || i`;
      });
      const names = own.map(({ column }) => column).join(', ');
      await database.write(
        statement(
          `WITH RECURSIVE counted (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM counted WHERE i < ${most})
            INSERT INTO ${table} (${names}) SELECT ${values.join(', ')} FROM counted`,
        ),
      );
    }
  }

  /** In how many rows of all tables a workspace is named, by table. */
  async function named(workspaceId: string): Promise<Readonly<Record<string, number>>> {
    const counts: Record<string, number> = {};
    for (const [table, columns] of Map.groupBy(found, ({ table: name }) => name)) {
      const texts = columns.filter(({ type }) => /TEXT/i.test(type));
      if (texts.length === 0) continue;
      const where = texts.map(({ column }) => `${column} LIKE ?`).join(' OR ');
      const [row] = await database.read(
        statement(
          `SELECT COUNT(*) AS count FROM ${table} WHERE ${where}`,
          ...texts.map(() => `%${workspaceId}%`),
        ),
        Count,
      );
      if ((row?.count ?? 0) > 0) counts[table] = row?.count ?? 0;
    }
    return counts;
  }

  const purged: string[] = [];
  const round = createPurge({
    database,
    purged: (id) => void purged.push(id),
    report(error) {
      throw error;
    },
  });
  const run = (...words: readonly string[]) =>
    runNode([BUILT, 'workspaces', ...words], { env: { ...forMany, STORE_URL: storeUrl } });
  return {
    installs,
    tables,
    fill,
    named,
    purged,
    run,
    round: () => round(new AbortController().signal),
  };
}

describe.each(engines)('a workspace that is purged, in $engine', (engine) => {
  it('leaves nothing in any table, others keep all of theirs, and it can be installed again, as another', async () => {
    const { tables, fill, named, round, purged, run, installs } = await stage(engine);
    const { installId } = (await installs.of(ACME)) ?? {};
    await fill(ACME, 3);
    // More than go at a time.
    await fill(ACME, 1_100, 'audit');
    await fill(OTHER, 3);
    const ofOther = await named(OTHER);
    // One more of their own: the installation.
    expect(Object.keys(ofOther)).toHaveLength(tables.length + 1);
    expect(await run('purge', ACME)).toMatchObject({ code: 0 });
    expect(await installs.of(ACME)).toBeUndefined();
    await expect(installs.record(anInstall(ACME))).rejects.toThrow('busy');
    await round();
    expect(Object.keys(await named(ACME))).toEqual(['workspaces']);
    expect(purged).toEqual([]);
    await round();
    expect(await named(ACME)).toEqual({});
    expect(purged).toEqual([ACME]);
    expect(await named(OTHER)).toEqual(ofOther);
    await round();
    expect(purged).toEqual([ACME]);
    await installs.record(anInstall(ACME));
    expect((await installs.of(ACME))?.installId).not.toBe(installId);
  });
});

// What the program says is the same on both.
it('a workspace that is purged is listed by npm run workspaces until it’s gone, which knows no other', async () => {
  const { run, round } = await stage(sqlite);
  expect((await run()).stdout).toMatch(
    /^T0ACME00000 {2}"T0ACME00000" {2}installed {2}installed \S+ by U2 {2}never used {2}0 waiting$/m,
  );
  expect(await run('purge', 'T0NOBODY000')).toMatchObject({
    code: 1,
    stdout: 'No workspace T0NOBODY000 has installed the app.\n',
  });
  await run('purge', ACME);
  expect((await run()).stdout).toMatch(/^T0ACME00000 {2}"T0ACME00000" {2}purging/m);
  await round();
  await round();
  expect((await run()).stdout).not.toContain(ACME);
});

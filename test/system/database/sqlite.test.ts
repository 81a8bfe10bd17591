import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { sql } from '../../../src/database/database.ts';
import { openForServing } from '../../../src/database/open.ts';
import { steps } from '../../../src/database/steps.ts';
import { lockForServing } from '../../../src/database/sqlite-file.ts';
import { startChild } from '../../support/child.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { makeOlderTables } from '../../database/older-tables.ts';
import { openUntilTestEnds } from '../../support/engines.ts';

const newPath = async () => join(await temporaryFolder(), 'store.db');

const serve = (url: string) => startChild(new URL('./processes/serve.ts', import.meta.url), [url]);

describe('a SQLite file', () => {
  it('waits for the disk at every commit, and for what it might have to undo makes no file', async () => {
    const database = await openUntilTestEnds(`sqlite:${await newPath()}`);
    expect(await database.read(sql`PRAGMA journal_mode`, z.unknown())).toEqual([{ journal_mode: 'wal' }]);
    // Source: sqlite.org/pragma.html: FULL, and MEMORY.
    expect(await database.read(sql`PRAGMA synchronous`, z.unknown())).toEqual([{ synchronous: 2 }]);
    expect(await database.read(sql`PRAGMA temp_store`, z.unknown())).toEqual([{ temp_store: 2 }]);
  });

  it('without room says so, writes nothing of what it refused, and works again once there is room', async () => {
    const database = await openUntilTestEnds('memory:');
    const allow = (pages: number) =>
      database.read(sql`SELECT * FROM pragma_max_page_count(${pages})`, z.unknown()).catch(() => undefined);
    await allow(40);
    await database.read(sql`PRAGMA max_page_count = 40`, z.unknown());
    const put = (key: string) =>
      database.write(
        sql`INSERT INTO presses (workspace_id, id, press_key, expires_at) VALUES ('T1', ${key}, ${'x'.repeat(4_000)}, 0)`,
      );
    const keys = Array.from({ length: 60 }, (_, number) => `key-${number}`);
    const outcomes = await Promise.allSettled(keys.map(put));
    const written = keys.filter((_, index) => outcomes[index]?.status === 'fulfilled');
    const kept = await database.read(sql`SELECT id FROM presses`, z.object({ id: z.string() }));

    expect(outcomes.at(-1)).toMatchObject({ reason: { name: 'DatabaseError', kind: 'full' } });
    expect(new Set(kept.map(({ id }) => id))).toEqual(new Set(written));
    await database.read(sql`PRAGMA max_page_count = 1000`, z.unknown());
    await put('after');
  });
});

describe('a SQLite file that a process serves', () => {
  it('is served by the second process as soon as the first has stopped, and by no other in between', async () => {
    const path = await newPath();
    const waits = Promise.withResolvers<void>();
    const first = serve(`sqlite:${path}`);
    await first.printed(1);
    const second = openForServing(`sqlite:${path}`, { onWait: waits.resolve, waitMs: 60_000 });
    await waits.promise;
    expect(first.process.exitCode).toBeNull();
    first.process.stdin.end();
    const database = await second;
    onTestFinished(() => database.close());

    await database.check();
  });

  it('gets the tables of a newer program once the process that serves it has stopped, and not before', async () => {
    const path = await newPath();
    await makeOlderTables(`sqlite:${path}`, 9);
    const version = () => {
      const connection = new DatabaseSync(path, { readOnly: true });
      const row = connection.prepare('SELECT version FROM schema_version').get();
      connection.close();
      return row?.['version'];
    };
    const release = await lockForServing(path, { onWait: () => undefined, waitMs: 0 });
    const newer = (waitMs: number) =>
      openForServing(`sqlite:${path}`, { onWait: () => undefined, waitMs, mayBeOneWay: true });
    await expect(newer(0)).rejects.toMatchObject({ kind: 'in-use' });
    expect(version()).toBe(9);
    release();
    await (await newer(0)).close();
    expect(version()).toBe(steps.length);
  });

  it('is taken over from a process that was killed', async () => {
    const path = await newPath();
    const first = serve(`sqlite:${path}`);
    await first.printed(1);
    first.process.kill('SIGKILL');
    await first.ended();
    const database = await openForServing(`sqlite:${path}`, {
      onWait: () => expect.unreachable('nobody is there to wait for'),
      waitMs: 60_000,
    });
    await database.close();

    expect((await stat(`${path}-lock`)).size).toBe(0);
  });

  it.each(['is canceled', 'is over'])(
    'is given up with an explanation if the wait %s, and can be read beside the process that serves it',
    async (end) => {
      const path = await newPath();
      const first = serve(`sqlite:${path}`);
      await first.printed(1);
      const called = new AbortController();
      const canceled = { waitMs: 60_000, signal: called.signal };

      await expect(
        openForServing(`sqlite:${path}`, {
          onWait: () => called.abort(),
          ...(end === 'is over' ? { waitMs: 200 } : canceled),
        }),
      ).rejects.toMatchObject({ name: 'DatabaseError', kind: 'in-use' });
      const beside = await openUntilTestEnds(`sqlite:${path}`);
      await beside.check();
      expect((await readFile(path)).length).toBeGreaterThan(0);
    },
  );
});

import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { hasChanged, join, rowsOf, sql, type Database } from '../../../src/database/database.ts';
import { openDatabase } from '../../../src/database/open.ts';
import { engines, openUntilTestEnds } from '../../support/engines.ts';

const Note = z.object({ id: z.number(), words: z.string().nullable(), at: z.number().nullable() });
const Id = z.object({ id: z.number() });

async function openNotes(newUrl: () => Promise<string>): Promise<Database> {
  const database = await openUntilTestEnds(await newUrl());
  await database.write(sql`CREATE TABLE notes (id BIGINT PRIMARY KEY CHECK (id > 0), words TEXT, at BIGINT)`);
  return database;
}

const insert = (id: number, words: string | null = null, at: number | null = null) =>
  sql`INSERT INTO notes (id, words, at) VALUES (${id}, ${words}, ${at}) ON CONFLICT DO NOTHING`;

const idsIn = async (database: Database) =>
  (await database.read(sql`SELECT id FROM notes ORDER BY id`, Id)).map(({ id }) => id);

function mistake(): never {
  throw new TypeError('a mistake of ours');
}

describe.each(engines)('the tables in $engine', ({ newUrl, newEmptyUrl }) => {
  it('return what was written: text, whole numbers up to 2^53 and null, and say where it can’t be read', async () => {
    const database = await openNotes(newUrl);
    await database.write(insert(1, 'é 漢字 🙂', Number.MAX_SAFE_INTEGER), insert(2));

    expect(await database.read(sql`SELECT id, words, at FROM notes ORDER BY id`, Note)).toEqual([
      { id: 1, words: 'é 漢字 🙂', at: Number.MAX_SAFE_INTEGER },
      { id: 2, words: null, at: null },
    ]);
    const unreadable = database.read(sql`SELECT words FROM notes`, z.object({ words: z.string() }));
    await expect(unreadable).rejects.toMatchObject({ name: 'DatabaseError', kind: 'corrupt' });
  });

  it('keep hostile text as text', async () => {
    const database = await openNotes(newUrl);
    const cases = [
      ["'; DROP TABLE notes; --", "'; DROP TABLE notes; --"],
      ['a\0b', 'a\uFFFDb'],
      ['\uD800 half a pair', '\uFFFD half a pair'],
      ['$1 ? :name', '$1 ? :name'],
      ['', ''],
    ] as const;
    for (const [index, [hostile, kept]] of cases.entries()) {
      const id = index + 1;
      await database.write(insert(id, hostile));
      const found = sql`SELECT id, words, at FROM notes WHERE words = ${hostile}`;
      expect(await database.read(found, Note)).toEqual([{ id, words: kept, at: null }]);
    }
  });

  it('say which statement changed how much, and what it returned', async () => {
    const database = await openNotes(newUrl);
    const [first, again, both, none] = await database.write(
      sql`${insert(1)} RETURNING id`,
      insert(1),
      sql`UPDATE notes SET at = ${5} WHERE id IN (${join([1, 2])}) RETURNING id`,
      sql`DELETE FROM notes WHERE ${join([sql`id = ${7}`, sql`at = ${5}`], ' AND ')}`,
    );

    expect(rowsOf(first, Id)).toEqual([{ id: 1 }]);
    expect([again, both, none].map(hasChanged)).toEqual([false, true, false]);
    expect(rowsOf(both, Id)).toEqual([{ id: 1 }]);
  });

  it('refuse one of many simultaneous writes as a whole, and accept the others', async () => {
    const database = await openNotes(newUrl);
    const outcomes = await Promise.allSettled(
      [1, -2, 3].map((id) => database.write(insert(id + 10), insert(id))),
    );

    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(outcomes[1]).toMatchObject({ reason: { name: 'DatabaseError', kind: 'failed' } });
    expect(await idsIn(database)).toEqual([1, 3, 11, 13]);
  });

  it('write nothing, and say so, if the condition changes no row', async () => {
    const database = await openNotes(newUrl);
    const claim = () => database.writeIf(insert(1), insert(2, 'claimed'));
    const outcomes = await Promise.all([claim(), claim(), claim()]);

    expect(outcomes.filter((outcome) => outcome !== undefined)).toHaveLength(1);
    expect(await idsIn(database)).toEqual([1, 2]);
  });

  it('continue a write with what it returned, and say what each statement did', async () => {
    const database = await openNotes(newUrl);
    const written = await database.writeThen([insert(1), sql`${insert(2)} RETURNING id`], ([, second]) =>
      rowsOf(second, Id).flatMap(({ id }) => [insert(id * 10), sql`${insert(id * 20)} RETURNING id`]),
    );

    expect(written?.map(hasChanged)).toEqual([true, true, true, true]);
    expect(rowsOf(written?.at(-1), Id)).toEqual([{ id: 40 }]);
    expect(await database.writeThen([insert(3)], () => [])).toHaveLength(1);
    // And write nothing if it isn't to go on.
    expect(await database.writeThen([insert(5), insert(6)], () => undefined)).toBeUndefined();
    expect(await database.writeThen([insert(7)], () => undefined)).toBeUndefined();
    expect(await idsIn(database)).toEqual([1, 2, 3, 20, 40]);
  });

  // An id has to be above 0.
  it.each([
    { what: 'its first statement fails', first: insert(-1), next: () => [insert(2)] },
    { what: 'a statement fails that comes next', first: insert(1), next: () => [insert(2), insert(-1)] },
    { what: 'it can’t be said what comes next', first: insert(1), next: mistake },
  ])('undo a whole write if $what, but none of the others', async ({ first, next }) => {
    const database = await openNotes(newUrl);
    const outcomes = await Promise.allSettled([
      database.writeThen([insert(11)], () => [insert(12)]),
      database.writeThen([first], next),
      database.writeThen([insert(13)], () => [insert(14)]),
    ]);

    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(outcomes[1]).toMatchObject({ reason: { name: 'DatabaseError', kind: 'failed' } });
    expect(await database.writeThen([insert(15)], () => [insert(16)])).toHaveLength(2);
    expect(await idsIn(database)).toEqual([11, 12, 13, 14, 15, 16]);
  });

  it('give each row to one of several that claim at the same time, and no more than asked for', async () => {
    const database = await openNotes(newUrl);
    await database.write(...Array.from({ length: 40 }, (_, id) => insert(id + 1, 'free')));
    const claims = await Promise.all(
      Array.from({ length: 4 }, (_, claimer) =>
        database.write(sql`WITH picked AS MATERIALIZED (
            SELECT id FROM notes WHERE words = 'free' ORDER BY id LIMIT 10 ${database.skipLocked})
          UPDATE notes SET words = ${`by ${claimer}`} WHERE id IN (SELECT id FROM picked) RETURNING id`),
      ),
    );
    const taken = claims.map(([written]) => rowsOf(written, Id).map(({ id }) => id));

    expect(taken.every((ids) => ids.length <= 10)).toBe(true);
    expect(new Set(taken.flat()).size).toBe(taken.flat().length);
  });

  it('sort text by code point', async () => {
    const database = await openNotes(newUrl);
    const keys = ['b', 'B', 'a', 'é', '_', 'Z', '1'];
    await database.write(
      ...keys.map(
        (key) => sql`INSERT INTO presses (workspace_id, id, expires_at) VALUES ('sorted', ${key}, 0)`,
      ),
    );
    const sorted = sql`SELECT id FROM presses WHERE workspace_id = 'sorted' ORDER BY id`;

    expect(await database.read(sorted, z.object({ id: z.string() }))).toEqual(
      ['1', 'B', 'Z', '_', 'a', 'b', 'é'].map((id) => ({ id })),
    );
  });

  it('refuse what comes after the close, and finish what came before', async () => {
    const database = await openNotes(newUrl);
    const begun = [database.write(insert(1), insert(2)), database.writeThen([insert(3)], () => [insert(4)])];
    await database.close();
    await database.close();

    for (const written of await Promise.all(begun)) expect(written).toHaveLength(2);
    await expect(database.write(insert(5))).rejects.toMatchObject({ kind: 'closed' });
    await expect(database.writeThen([insert(5)], () => [])).rejects.toMatchObject({ kind: 'closed' });
    await expect(database.read(sql`SELECT id FROM notes`, Id)).rejects.toMatchObject({ kind: 'closed' });
    await expect(database.check()).rejects.toMatchObject({ kind: 'closed' });
  });

  it('notify those who listen, but not those who have stopped', async () => {
    const database = await openNotes(newUrl);
    const heard = Promise.withResolvers<string>();
    const stopped: string[] = [];
    const stop = database.listen('news', (text) => stopped.push(text));
    database.listen('news', heard.resolve);
    await database.check();
    stop();
    const again = setInterval(() => database.notify('news', 'arrived'), 20);

    expect(await heard.promise).toBe('arrived');
    clearInterval(again);
  });

  it('can be opened by several processes while they are new', async () => {
    const url = await newEmptyUrl();
    const opened = await Promise.all(Array.from({ length: 4 }, () => openUntilTestEnds(url)));
    await Promise.all(opened.map((one) => one.check()));

    expect(await opened[0]?.read(sql`SELECT version FROM schema_version`, z.unknown())).toHaveLength(1);
  });

  it('are accepted from a compatible newer version, and refused from others', async () => {
    const url = await newUrl();
    const first = await openUntilTestEnds(url);
    await first.write(sql`UPDATE schema_version SET version = version + 5`);
    const beside = await openUntilTestEnds(url);
    await beside.write(sql`UPDATE schema_version SET oldest_program = version`);

    await expect(openDatabase(url)).rejects.toMatchObject({ name: 'DatabaseError', kind: 'other-version' });
  });
});

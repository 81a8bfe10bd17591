import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createPool } from '../../../src/database/postgres.ts';
import { hasPostgres, postgresql } from '../../support/engines.ts';
import { temporaryFolder } from '../../support/temporary.ts';

// If it's skipped, the run says so: see test/support/machine.ts.
describe.skipIf(!hasPostgres)('a file of certificates that a database’s address names', () => {
  it('can be gone for a while, as while it’s replaced, and neither fails a request nor ends the process', async () => {
    const file = join(await temporaryFolder(), 'ca.pem');
    await writeFile(file, 'a certificate');
    const url = new URL(await postgresql.newUrl());
    url.searchParams.set('sslrootcert', file);
    url.searchParams.set('sslmode', 'disable');
    const pool = createPool(url.href, 1);
    onTestFinished(() => pool.end());
    const first = await pool.connect();
    await rm(file);
    const waiting = pool.connect();
    // The pool opens the next connection where this one closes, and nobody called it there.
    first.release(true);
    const next = await waiting;
    expect((await next.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    next.release();
  });
});

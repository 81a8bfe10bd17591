import { createRequire } from 'node:module';
import fc from 'fast-check';
import { inject, test } from 'vitest';

// What fails in CI fails again with the same seed, and elsewhere others are tried: a failure prints its own.
if (process.env['CI'] !== undefined) fc.configureGlobal({ seed: 37 });

// A process runs many files. undici keeps one timer for ever: it has to be a real one, or nothing that undici waits for in
// later files ends in time once a file has put timers of its own in their place.
const { setFastTimeout, clearFastTimeout } = createRequire(import.meta.url)('undici/lib/util/timers.js');
clearFastTimeout(setFastTimeout(() => undefined, 2_000));

const engines = inject('engines').filter(
  (name) => name === 'SQLite' || inject('postgresTemplate') !== undefined,
);
// A file whose tests are all for PostgreSQL would be without any, which fails it. The start said why there is no server.
test.for(engines.length === 0 ? ['PostgreSQL'] : [])('runs on %s', (engine, { expect, skip }) => {
  skip('no server is here');
  expect(engine).toBe('SQLite');
});

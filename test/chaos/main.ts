import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { createPostgres } from '../support/postgres.ts';
import { reportOf } from './report.ts';
import { runChaos } from './run.ts';

/*
 * `npm run chaos -- [--seed N] [--sessions M] [--postgres] [--processes N]`: exits 1 where a promise was broken.
 *
 * With --postgres, the run has a database of its own on the tests' server: what an earlier run left in one, a digest sent for
 * the same day say, would look like the app's mistake.
 */

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(randomInt(1_000_000)) },
    sessions: { type: 'string', default: '1000' },
    postgres: { type: 'boolean', default: false },
    processes: { type: 'string', default: '1' },
  },
});
const [seed, sessions] = [Number(values.seed), Number(values.sessions)];
const processes = Number(values.processes);
if (!Number.isSafeInteger(seed)) throw new Error('--seed needs a whole number');
if (!Number.isSafeInteger(sessions) || sessions < 1)
  throw new Error('--sessions needs a whole number above 0');

if (!Number.isSafeInteger(processes) || processes < 1)
  throw new Error('--processes needs a whole number above 0');
if (processes > 1 && !values.postgres)
  throw new Error('--processes above 1 needs --postgres: a file of SQLite has one process');

const write = (words: string) => process.stdout.write(`${words}\n`);
const engine = values.postgres ? ` --postgres --processes ${processes}` : '';
write(`npm run chaos -- --seed ${seed} --sessions ${sessions}${engine}`);
const made = values.postgres ? await createPostgres() : undefined;
const run = await runChaos({ seed, sessions, storeUrl: made?.url, processes, say: write });
write(reportOf(run));
if (run.broken.length > 0) {
  write(`what the app wrote  ${run.logPath}`);
  if (made !== undefined) write(`its database        ${made.url}`);
  process.exitCode = 1;
} else await made?.drop();

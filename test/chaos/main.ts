import { randomInt } from 'node:crypto';
import { refuse, runProgram, wholeNumber } from '../support/program.ts';
import { reportOf } from './report.ts';
import { runChaos } from './run.ts';

const USAGE = `npm run chaos -- [--seed N] [--sessions M] [--postgres] [--processes N]

Runs sessions through kills, lost answers, a full disk and a wrong clock, and judges what became of each.
Exits with 1 where a promise was broken.

  --seed N        what happens when: the same seed gives the same faults (default: any)
  --sessions M    how many sessions (default: 1000)
  --postgres      on a PostgreSQL server that the run starts and kills, with two workspaces; instead of SQLite
  --processes N   so many processes of the app over that database (default: 1)`;

const options = {
  seed: { type: 'string', default: String(randomInt(1_000_000)) },
  sessions: { type: 'string', default: '1000' },
  postgres: { type: 'boolean', default: false },
  processes: { type: 'string', default: '1' },
} as const;

const write = (words: string) => process.stdout.write(`${words}\n`);

await runProgram(USAGE, options, async (values) => {
  const seed = wholeNumber('seed', values.seed, 0);
  const sessions = wholeNumber('sessions', values.sessions);
  const processes = wholeNumber('processes', values.processes);
  if (processes > 1 && !values.postgres)
    refuse('--processes above 1 needs --postgres: a file of SQLite has one process');

  const engine = values.postgres ? ` --postgres --processes ${processes}` : '';
  write(`npm run chaos -- --seed ${seed} --sessions ${sessions}${engine}`);
  const run = await runChaos({ seed, sessions, onPostgres: values.postgres, processes, say: write });
  write(reportOf(run));
  if (run.broken.length > 0) {
    write(`what the app wrote  ${run.logPath}`);
    write(`its database        ${run.storePath}`);
    process.exitCode = 1;
  }
});

import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { reportOf } from './report.ts';
import { runChaos } from './run.ts';

/* `npm run chaos -- [--seed N] [--sessions M] [--store postgres://…] [--processes N]`: exits 1 where a promise was broken. */

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(randomInt(1_000_000)) },
    sessions: { type: 'string', default: '1000' },
    store: { type: 'string' },
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
if (processes > 1 && values.store === undefined)
  throw new Error('--processes above 1 needs --store postgres://…: a file of SQLite has one process');

const write = (words: string) => process.stdout.write(`${words}\n`);
write(`npm run chaos -- --seed ${seed} --sessions ${sessions}`);
const run = await runChaos({ seed, sessions, storeUrl: values.store, processes, say: write });
write(reportOf(run));
if (run.broken.length > 0) {
  write(`what the app wrote  ${run.logPath}`);
  process.exitCode = 1;
}

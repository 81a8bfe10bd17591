import { parseArgs } from 'node:util';
import { benchAck } from './ack.ts';
import { benchClick } from './click.ts';
import { machineLine, tableOf } from './report.ts';
import { benchStart } from './start.ts';
import { surround } from './surroundings.ts';
import { benchWebhook } from './webhook.ts';

/* `npm run bench -- [--rounds <number>] [--only ack|click|webhook|start]`: prints Markdown. */

const BENCHES = { ack: benchAck, click: benchClick, webhook: benchWebhook, start: benchStart };

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '5' }, only: { type: 'string' } },
});
const rounds = Number(values.rounds);
if (!Number.isInteger(rounds) || rounds < 1) throw new Error('--rounds needs a whole number above 0');
const chosen = Object.entries(BENCHES).filter(([name]) => values.only === undefined || values.only === name);
if (chosen.length === 0) throw new Error(`--only needs one of ${Object.keys(BENCHES).join(', ')}`);

const around = await surround(rounds);
try {
  process.stdout.write(`${machineLine(rounds)}\n`);
  for (const [, bench] of chosen) process.stdout.write(`\n${tableOf(await bench(around))}\n`);
} finally {
  await around.close();
}

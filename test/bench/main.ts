import { parseArgs } from 'node:util';
import { benchAck } from './ack.ts';
import { benchBacklog } from './backlog.ts';
import { benchClick } from './click.ts';
import { benchLive } from './live.ts';
import { machineLine, tableOf } from './report.ts';
import { benchStart } from './start.ts';
import { surround } from './surroundings.ts';
import type { Surroundings } from './surroundings.ts';
import { benchWebhook } from './webhook.ts';

/* `npm run bench -- [--rounds <number>] [--only ack|click|webhook|backlog|start|live]`: prints Markdown. */

/** The backlog is measured once, against Slack's own pace: it takes as long as Slack does; the live view for ten seconds. */
const BENCHES: Readonly<Record<string, (around: Surroundings) => Promise<string>>> = {
  ack: async (around) => tableOf(await benchAck(around)),
  click: async (around) => tableOf(await benchClick(around)),
  webhook: async (around) => tableOf(await benchWebhook(around)),
  backlog: benchBacklog,
  start: async (around) => tableOf(await benchStart(around)),
  live: benchLive,
};

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
  for (const [, bench] of chosen) process.stdout.write(`\n${await bench(around)}\n`);
} finally {
  await around.close();
}

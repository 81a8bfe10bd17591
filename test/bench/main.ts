import { parseArgs } from 'node:util';
import { benchAck } from './ack.ts';
import { benchBacklog } from './backlog.ts';
import { benchClick } from './click.ts';
import { benchDigest } from './digest.ts';
import { benchGrowth } from './growth.ts';
import { benchLive } from './live.ts';
import { machineLine } from './report.ts';
import { benchStart } from './start.ts';
import { benchStatements } from './statements.ts';
import { benchSubscriptions } from './subscriptions.ts';
import { surround } from './surroundings.ts';
import type { Surroundings } from './surroundings.ts';
import { benchWaiting } from './waiting.ts';
import { benchWebhook } from './webhook.ts';

/*
 * `npm run bench -- [--rounds <number>] [--only <part>] [--backlog <summaries>]`: prints the tables of
 * docs/benchmarks.md.
 */

/** The backlog is measured once, against Slack's own pace: it takes as long as Slack does; statements are counted once. */
const BENCHES: Readonly<Record<string, (around: Surroundings) => Promise<string>>> = {
  growth: benchGrowth,
  subscriptions: benchSubscriptions,
  webhook: benchWebhook,
  statements: benchStatements,
  click: benchClick,
  waiting: benchWaiting,
  digest: benchDigest,
  start: benchStart,
  ack: benchAck,
  backlog: benchBacklog,
  live: benchLive,
};

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    backlog: { type: 'string', default: '4000' },
    only: { type: 'string' },
  },
});

function above0(name: 'rounds' | 'backlog'): number {
  const number = Number(values[name]);
  if (!Number.isInteger(number) || number < 1) throw new Error(`--${name} needs a whole number above 0`);
  return number;
}

const chosen = Object.entries(BENCHES).filter(([name]) => values.only === undefined || values.only === name);
if (chosen.length === 0) throw new Error(`--only needs one of ${Object.keys(BENCHES).join(', ')}`);

const rounds = above0('rounds');
const around = await surround(rounds, above0('backlog'));
try {
  process.stdout.write(`${machineLine(rounds)}\n`);
  for (const [, bench] of chosen) process.stdout.write(`\n${await bench(around)}\n`);
} finally {
  await around.close();
}

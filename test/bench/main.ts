import { benchAck } from './ack.ts';
import { benchBacklog } from './backlog.ts';
import { benchClick } from './click.ts';
import { benchDigest } from './digest.ts';
import { benchGrowth } from './growth.ts';
import { benchLive } from './live.ts';
import { machineLine } from './report.ts';
import { benchMemory } from './memory.ts';
import { benchPostgres } from './postgres.ts';
import { benchPressAcross, benchPressAndPage } from './press-and-page.ts';
import { benchRetention } from './retention.ts';
import { benchSlackCalls } from './slack-calls.ts';
import { benchStart } from './start.ts';
import { benchStatements } from './statements.ts';
import { benchSubscriptions } from './subscriptions.ts';
import { surround, type Surroundings } from './surroundings.ts';
import { benchThreeProcesses } from './three-processes.ts';
import { benchWaiting } from './waiting.ts';
import { benchWebhook } from './webhook.ts';
import { benchWorkspaces } from './workspaces.ts';
import { refuse, runProgram, wholeNumber } from '../support/program.ts';

/** The backlog is measured once, against Slack's own pace: it takes as long as Slack does; statements are counted once. */
const BENCHES: Readonly<Record<string, (around: Surroundings) => Promise<string>>> = {
  growth: benchGrowth,
  subscriptions: benchSubscriptions,
  webhook: benchWebhook,
  statements: benchStatements,
  postgres: benchPostgres,
  click: benchClick,
  'press-and-page': benchPressAndPage,
  'press-across': benchPressAcross,
  'three-processes': benchThreeProcesses,
  waiting: benchWaiting,
  digest: benchDigest,
  start: benchStart,
  memory: benchMemory,
  workspaces: benchWorkspaces,
  ack: benchAck,
  'slack-calls': benchSlackCalls,
  retention: benchRetention,
  backlog: benchBacklog,
  live: benchLive,
};

const USAGE = `npm run bench -- [--rounds N] [--only <part>] [--backlog M]

Measures the hot paths, and prints the tables of docs/benchmarks.md.

  --rounds N      how often each is measured (default: 3)
  --only <part>   one of ${Object.keys(BENCHES).join(', ')}
  --backlog M     how many summaries wait in the backlog (default: 4000)`;

const options = {
  rounds: { type: 'string', default: '3' },
  backlog: { type: 'string', default: '4000' },
  only: { type: 'string' },
} as const;

await runProgram(USAGE, options, async ({ only, ...values }) => {
  const chosen = Object.entries(BENCHES).filter(([name]) => only === undefined || only === name);
  if (chosen.length === 0) refuse(`--only needs one of ${Object.keys(BENCHES).join(', ')}`);
  const rounds = wholeNumber('rounds', values.rounds);
  const around = await surround(rounds, wholeNumber('backlog', values.backlog));
  try {
    process.stdout.write(`${machineLine(rounds)}\n`);
    for (const [, bench] of chosen) process.stdout.write(`\n${await bench(around)}\n`);
  } finally {
    await around.close();
  }
});

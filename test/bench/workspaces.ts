import { setTimeout as wait } from 'node:timers/promises';
import { openDatabase } from '../../src/database/open.ts';
import { createDataKeys } from '../../src/workspaces/data-keys.ts';
import { createInstalls } from '../../src/workspaces/installs.ts';
import { anInstall } from '../workspaces/an-install.ts';
import { sectionOf } from './report.ts';
import { each, inTurns } from './rounds.ts';
import { APP, SECRET_KEY } from './surroundings.ts';
import type { Surroundings } from './surroundings.ts';

const MANY = 10_000;
const SIDES = ['one', 'many'] as const;
const IDLE_MS = 5_000;
const OAUTH = { SLACK_BOT_TOKEN: '', SLACK_CLIENT_ID: '1.2', SLACK_CLIENT_SECRET: 'bench' };

async function installIn(url: string, count: number): Promise<void> {
  const database = await openDatabase(url);
  const installs = createInstalls({ database, dataKeys: createDataKeys([SECRET_KEY]), now: Date.now });
  const ids = Array.from({ length: count }, (_, index) => `T${String(index).padStart(9, '0')}`);
  for (let from = 0; from < count; from += 500)
    await Promise.all(ids.slice(from, from + 500).map((id) => installs.record(anInstall(id))));
  await database.close();
}

/** Workspaces that have installed the app, and are idle. */
export async function benchWorkspaces({ rounds, measuring }: Surroundings): Promise<string> {
  const samples = await inTurns(SIDES, rounds, (side) =>
    measuring(
      APP,
      async (measured) => {
        const before = await measured.usage();
        await wait(IDLE_MS);
        const { rssKib, cpuUs } = await measured.usage();
        return { startMs: measured.startMs, rssMib: rssKib / 1_024, idleUs: cpuUs - before.cpuUs };
      },
      {
        fill: (url) => installIn(url, side === 'one' ? 1 : MANY),
        settings: { ...OAUTH, ALLOWED_WORKSPACES: 'T000000000' },
      },
    ),
  );
  return sectionOf({
    title: 'G12. Many workspaces',
    sides: [
      ['one', 'one workspace'],
      ['many', `${MANY.toLocaleString('en-US')} workspaces`],
    ],
    figures: [
      {
        what: 'start to listening',
        unit: 'ms',
        samples: each(samples, ({ startMs }) => startMs),
        times: { one: { atMost: 1.2 } },
      },
      {
        what: 'memory, idle',
        unit: 'MiB',
        samples: each(samples, ({ rssMib }) => rssMib),
        times: { one: { atMost: 1.8 } },
      },
      {
        what: 'CPU, idle',
        unit: 'us',
        samples: each(samples, ({ idleUs }) => idleUs),
        times: { one: { atMost: 2 } },
      },
    ],
    how: `All installed, none active, for ${IDLE_MS / 1_000} seconds after it listens.`,
  });
}

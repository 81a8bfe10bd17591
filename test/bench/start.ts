import { setTimeout as wait } from 'node:timers/promises';
import { startMeasured } from './child.ts';
import { sectionOf } from './report.ts';
import { each, inTurns } from './rounds.ts';
import { APP, inFolder, settingsFor, variant } from './surroundings.ts';
import type { Surroundings } from './surroundings.ts';
import { SIDES } from './tickets.ts';
import type { Side } from './tickets.ts';

const PROGRAMS = { raw: variant('raw-hello.js'), reference: variant('bolt-hello.js'), ours: APP };
const IDLE_MS = 1_000;

interface Start {
  readonly startMs: number;
  readonly idleMib: number;
}

/** Starts and stops once. @param folder where compiled code of an earlier start may be */
async function startOnce({ upstream }: Surroundings, side: Side, folder: string): Promise<Start> {
  const measured = await startMeasured(PROGRAMS[side], settingsFor(upstream, folder));
  try {
    await wait(IDLE_MS);
    const { rssKib } = await measured.usage();
    return { startMs: measured.startMs, idleMib: rssKib / 1_024 };
  } finally {
    await measured.stop();
  }
}

/** From the start of the process to listening, and the memory a second later. */
export async function benchStart(around: Surroundings): Promise<string> {
  const warm = await inFolder(async (folder) => {
    await startOnce(around, 'ours', folder);
    return inTurns(SIDES, around.rounds, (side) => startOnce(around, side, folder));
  });
  const cold = await inTurns(SIDES, around.rounds, (side) =>
    inFolder((folder) => startOnce(around, side, folder)),
  );
  return sectionOf({
    title: 'G8. The start',
    sides: [
      ['raw', 'raw'],
      ['reference', 'Bolt'],
      ['ours', 'ours'],
    ],
    figures: [
      {
        what: 'start to listening',
        unit: 'ms',
        samples: each(warm, ({ startMs }) => startMs),
        times: { reference: { atMost: 1 } },
      },
      {
        what: 'the very first start, no compiled code kept',
        unit: 'ms',
        samples: each(cold, ({ startMs }) => startMs),
      },
      {
        what: 'memory, idle',
        unit: 'MiB',
        samples: each(warm, ({ idleMib }) => idleMib),
        times: { reference: { atMost: 1.2 } },
      },
    ],
    how: 'Bolt is its hello world. Ours is TypeScript and keeps its compiled code from start to start; the others are JavaScript.',
  });
}

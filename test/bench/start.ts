import { setTimeout as wait } from 'node:timers/promises';
import { startMeasured } from './child.ts';
import { each } from './report.ts';
import type { Findings } from './report.ts';
import { inTurns } from './rounds.ts';
import type { Side } from './rounds.ts';
import { APP, inFolder, settingsFor, variant } from './surroundings.ts';
import type { Surroundings } from './surroundings.ts';

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
export async function benchStart(around: Surroundings): Promise<Findings> {
  const warm = await inFolder(async (folder) => {
    await startOnce(around, 'ours', folder);
    return inTurns(around.rounds, (side) => startOnce(around, side, folder));
  });
  const cold = await inTurns(around.rounds, (side) => inFolder((folder) => startOnce(around, side, folder)));
  return {
    reference: 'Bolt hello world',
    figures: [
      {
        number: 'P5',
        what: 'start to listening',
        unit: 'ms',
        samples: each(warm, ({ startMs }) => startMs),
        ofReference: { atMost: 0.8 },
      },
      {
        number: '',
        what: 'the very first start, no compiled code kept',
        unit: 'ms',
        samples: each(cold, ({ startMs }) => startMs),
      },
      {
        number: 'P5',
        what: 'memory, idle',
        unit: 'MiB',
        samples: each(warm, ({ idleMib }) => idleMib),
        ofReference: { atMost: 1.1 },
      },
    ],
    notes: ['Ours is TypeScript and keeps its compiled code from start to start; the others are JavaScript.'],
  };
}

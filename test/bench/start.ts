import { setTimeout as wait } from 'node:timers/promises';
import { startMeasured } from './child.ts';
import { sectionOf } from './report.ts';
import { each, inTurns, type Samples } from './rounds.ts';
import { APP, inBuilt, inFolder, settingsFor, variant, type Surroundings } from './surroundings.ts';

const SIDES = ['raw', 'reference', 'source', 'ours'] as const;
type Side = (typeof SIDES)[number];
const IDLE_MS = 1_000;

interface Start {
  readonly startMs: number;
  readonly idleMib: number;
}

/** Starts and stops once. @param folder where compiled code of an earlier start may be */
async function startOnce({ upstream }: Surroundings, program: URL, folder: string): Promise<Start> {
  const measured = await startMeasured(program, settingsFor(upstream, folder));
  try {
    await wait(IDLE_MS);
    const { rssKib } = await measured.usage();
    return { startMs: measured.startMs, idleMib: rssKib / 1_024 };
  } finally {
    await measured.stop();
  }
}

/** From the start of the process to listening, and the memory a second later. */
export const benchStart = (around: Surroundings): Promise<string> =>
  inBuilt(async (ours) => {
    const programs: Readonly<Record<Side, URL>> = {
      raw: variant('raw-hello.js'),
      reference: variant('bolt-hello.js'),
      source: APP,
      ours,
    };
    const warm = await inFolder(async (folder) => {
      await startOnce(around, programs.source, folder);
      await startOnce(around, programs.ours, folder);
      return inTurns(SIDES, around.rounds, (side) => startOnce(around, programs[side], folder));
    });
    const cold = await inTurns(SIDES, around.rounds, (side) =>
      inFolder((folder) => startOnce(around, programs[side], folder)),
    );
    return report(warm, cold);
  });

function report(warm: Samples<Side, Start>, cold: Samples<Side, Start>): string {
  return sectionOf({
    title: 'G8. The start',
    sides: [
      ['raw', 'raw'],
      ['reference', 'Bolt'],
      ['source', 'from source'],
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
        times: { reference: { atMost: 1.5 } },
      },
      {
        what: 'memory, idle',
        unit: 'MiB',
        samples: each(warm, ({ idleMib }) => idleMib),
        times: { reference: { atMost: 1.15 } },
      },
    ],
    how: 'Bolt is its hello world. Ours is what `npm run build` makes, and keeps its compiled code from start to start, as from source; the other two don’t.',
  });
}

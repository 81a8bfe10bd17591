import { setTimeout as wait } from 'node:timers/promises';
import { request } from 'undici';
import type { LoadRequest } from './load-job.ts';
import type { Findings } from './report.ts';
import { inTurns } from './rounds.ts';
import { signedCommands, signedPresses } from './slack-requests.ts';
import { APP, variant } from './surroundings.ts';
import type { Surroundings } from './surroundings.ts';

const AT_ONCE = 16;

interface Job {
  readonly requests: () => LoadRequest[];
  readonly total: number;
  readonly ours: URL;
  readonly answered: boolean;
}

/** Resolves when the address for answers has got so many since `before`. */
async function answersAfter(origin: string, before: number, count: number): Promise<void> {
  while ((await answersSoFar(origin)) < before + count) await wait(5);
}

async function answersSoFar(origin: string): Promise<number> {
  const { body } = await request(`${origin}/count`);
  return Number(await body.text());
}

/** Processor time of one request, for each side and round. */
function cpuOf({ rounds, loader, upstream, measuring }: Surroundings, job: Job) {
  const programs = { raw: variant('raw-ack.ts'), reference: variant('bolt-hello.js'), ours: job.ours };
  return inTurns(rounds, (side) =>
    measuring(programs[side], async (measured) => {
      async function put(total: number): Promise<number> {
        const before = await answersSoFar(upstream.origin);
        const settled = () =>
          job.answered ? answersAfter(upstream.origin, before, total) : Promise.resolve();
        const load = { requests: job.requests(), total, atOnce: AT_ONCE, status: 200 };
        return (await loader.put(load, measured, settled)).cpuUs;
      }
      await put(Math.ceil(job.total / 2));
      return put(job.total);
    }),
  );
}

/** Signed commands and presses, beside a bare server that does the least that is right, and Bolt's hello world. */
export async function benchAck(around: Surroundings): Promise<Findings> {
  const responseUrl = `${around.upstream.origin}/respond`;
  const command = (text: string) => () => signedCommands(text, responseUrl);
  const acknowledged = await cpuOf(around, {
    requests: command(''),
    total: 6_000,
    ours: variant('ours-acknowledging.ts'),
    answered: false,
  });
  const pressed = await cpuOf(around, { requests: signedPresses, total: 2_000, ours: APP, answered: false });
  const answered = await cpuOf(around, {
    requests: command('help'),
    total: 1_000,
    ours: APP,
    answered: true,
  });
  return {
    reference: 'Bolt hello world',
    figures: [
      {
        number: 'P1',
        what: 'signed command acknowledged, CPU',
        unit: 'us',
        samples: acknowledged,
        ofRaw: { atMost: 1.5 },
        ofReference: { atMost: 0.36 },
      },
      {
        number: 'P1',
        what: '31 KB press acknowledged, CPU',
        unit: 'us',
        samples: pressed,
        ofRaw: { atMost: 1.15 },
        ofReference: { atMost: 0.45 },
      },
      {
        number: '',
        what: 'signed command acknowledged and answered with help, CPU',
        unit: 'us',
        samples: answered,
      },
    ],
    notes: [
      'The first line is our edge with all its listeners, its answers not worked out, since neither other side has any; the press is the whole app, which owes it no words. The third line is the whole app, the other sides sending a ready text.',
    ],
  };
}

import { ANSWERS, MEMBERS, awaitAsked } from './asked.ts';
import type { LoadRequest } from './load-job.ts';
import { sectionOf } from './report.ts';
import { inTurns } from './rounds.ts';
import { signedCommands, signedLargePresses } from './slack-requests.ts';
import { APP, variant, type Surroundings } from './surroundings.ts';
import { SIDES, watchGrants } from './tickets.ts';

const AT_ONCE = 16;

interface Job {
  readonly requests: () => LoadRequest[];
  readonly total: number;
  readonly ours: URL;
  /** What each request makes ours ask the upstream for in the end, and the other sides where `byAll`. */
  readonly ends?: { readonly asks: string; readonly byAll: boolean };
}

/** Processor time of one request, for each side and round. */
function cpuOf({ rounds, loader, upstream, measuring }: Surroundings, job: Job) {
  const programs = { raw: variant('raw-ack.ts'), reference: variant('bolt-hello.js'), ours: job.ours };
  return inTurns(SIDES, rounds, (side) =>
    measuring(programs[side], async (measured) => {
      async function put(total: number): Promise<number> {
        const { ends } = job;
        const isAsked = ends !== undefined && (side === 'ours' || ends.byAll);
        const settled = isAsked ? await awaitAsked(upstream, ends.asks, total) : undefined;
        const load = { requests: job.requests(), total, atOnce: AT_ONCE, status: 200 };
        return (await loader.put(load, measured, settled)).cpuUs;
      }
      await put(Math.ceil(job.total / 2));
      return put(job.total);
    }),
  );
}

/** Signed commands and presses, beside a bare server that does the least that is right, and Bolt's hello world. */
export async function benchAck(around: Surroundings): Promise<string> {
  const responseUrl = around.upstream.origin + ANSWERS;
  const command = (text: string) => () => signedCommands(text, responseUrl);
  const acknowledged = await cpuOf(around, {
    requests: command(''),
    total: 3_000,
    ours: variant('ours-acknowledging.ts'),
  });
  const pressed = await cpuOf(around, {
    requests: () => signedLargePresses(watchGrants('press', 10)),
    total: 1_000,
    ours: variant('ours-acknowledging.ts'),
  });
  const judged = await cpuOf(around, {
    requests: () => signedLargePresses(watchGrants('judged', 1_000)),
    total: 1_000,
    ours: APP,
    ends: { asks: MEMBERS, byAll: false },
  });
  const answered = await cpuOf(around, {
    requests: command('help'),
    total: 1_000,
    ours: APP,
    ends: { asks: ANSWERS, byAll: true },
  });
  const us = { unit: 'us' } as const;
  return sectionOf({
    title: 'G10. A command acknowledged',
    sides: [
      ['raw', 'raw'],
      ['reference', 'Bolt'],
      ['ours', 'ours'],
    ],
    figures: [
      {
        ...us,
        what: 'signed command acknowledged, CPU',
        samples: acknowledged,
        times: { raw: { atMost: 1.5 }, reference: { atMost: 0.48 } },
      },
      {
        ...us,
        what: '31 KB press acknowledged, CPU',
        samples: pressed,
        times: { raw: { atMost: 1.2 }, reference: { atMost: 0.5 } },
      },
      { ...us, what: 'signed command acknowledged and answered with help, CPU', samples: answered },
      { ...us, what: '31 KB press of Watch, judged and kept, CPU', samples: judged },
    ],
    how: 'Bolt is its hello world. The first two lines are our edge with all its listeners, its answers not worked out, since neither other side has any. The third is the whole app, the other sides sending a ready text; the fourth, too, where ours asks Slack who presses and whether they are in the channel, and keeps the press, and the other sides do nothing.',
  });
}

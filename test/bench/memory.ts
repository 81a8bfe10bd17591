import { setTimeout as wait } from 'node:timers/promises';
import { sectionOf } from './report.ts';
import { each, inTurns } from './rounds.ts';
import { APP, inBuilt, type Surroundings } from './surroundings.ts';
import { linksFor } from './tickets.ts';
import { webhookOf } from './webhook-request.ts';

const SIDES = ['source', 'ours', 'limited'] as const;
const EVENTS = 3_000;
const LATER_MS = 3_000;
/** A third of what V8 lets them grow to by itself. */
const LIMIT = '--max-semi-space-size=16';

/** Memory when many webhooks were taken in at once, and a little later, while their summaries are posted. */
export const benchMemory = ({ rounds, loader, measuring }: Surroundings): Promise<string> =>
  inBuilt(async (built) => {
    const samples = await inTurns(SIDES, rounds, (side) =>
      measuring(
        side === 'source' ? APP : built,
        async (measured) => {
          const requests = linksFor('ours', EVENTS).map(webhookOf);
          const { cpuUs } = await loader.put({ requests, total: EVENTS, atOnce: 32, status: 200 }, measured);
          const taken = await measured.usage();
          await wait(LATER_MS);
          const later = await measured.usage();
          return { cpuUs, takenMib: taken.rssKib / 1_024, laterMib: later.rssKib / 1_024 };
        },
        side === 'limited' ? { settings: { NODE_OPTIONS: LIMIT } } : {},
      ),
    );
    return sectionOf({
      title: 'G8. Memory when webhooks come',
      sides: [
        ['source', 'from source'],
        ['ours', 'ours'],
        ['limited', 'limited'],
      ],
      figures: [
        {
          what: `memory when ${EVENTS.toLocaleString('en-US')} were taken in`,
          unit: 'MiB',
          samples: each(samples, ({ takenMib }) => takenMib),
          itself: { atMost: 220 },
        },
        {
          what: `memory ${LATER_MS / 1_000} s later`,
          unit: 'MiB',
          samples: each(samples, ({ laterMib }) => laterMib),
          itself: { atMost: 220 },
        },
        {
          what: 'a webhook, CPU',
          unit: 'us',
          samples: each(samples, ({ cpuUs }) => cpuUs),
          times: { ours: { atMost: 1.05 } },
        },
      ],
      how: `32 at once; meanwhile their summaries are posted. Ours is what \`npm run build\` makes, limited the same with \`NODE_OPTIONS=${LIMIT}\`.`,
    });
  });

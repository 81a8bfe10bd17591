import { fsyncMs } from './disk.ts';
import type { LoadRequest } from './load-job.ts';
import { each } from './report.ts';
import type { Findings } from './report.ts';
import { inTurns } from './rounds.ts';
import type { Side } from './rounds.ts';
import { APP, inFolder, variant } from './surroundings.ts';
import type { Surroundings } from './surroundings.ts';
import { linksFor } from './tickets.ts';
import { webhookOf } from './webhook-request.ts';

const PROGRAMS = { raw: variant('raw-webhook.ts'), reference: variant('commit-webhook.ts'), ours: APP };
const AT_ONCE = 32;
const WARM_UP = 2_000;
const EVENTS = 6_000;
/** A disk as slow as the one that the goal for single commits is set for. */
const SLOW_FSYNC_MS = 2;

/** Those to warm up with, and those that count: a session of its own link each. */
function webhooks(side: Side): { readonly first: LoadRequest[]; readonly counted: LoadRequest[] } {
  const all = linksFor(side, WARM_UP + EVENTS).map(webhookOf);
  return { first: all.slice(0, WARM_UP), counted: all.slice(WARM_UP) };
}

/** Webhooks until they are durable, 32 at once. */
export async function benchWebhook({ rounds, loader, measuring }: Surroundings): Promise<Findings> {
  const waitMs = await inFolder(async (folder) => fsyncMs(folder));
  const samples = await inTurns(rounds, (side) =>
    measuring(PROGRAMS[side], async (measured) => {
      const { first, counted } = webhooks(side);
      const load = { atOnce: AT_ONCE, status: 200 };
      await loader.put({ ...load, requests: first, total: WARM_UP }, measured);
      return loader.put({ ...load, requests: counted, total: EVENTS, from: WARM_UP }, measured);
    }),
  );
  return {
    reference: 'one commit an event',
    figures: [
      {
        number: 'P3',
        what: 'webhooks made durable, 32 at once',
        unit: '/s',
        samples: each(samples, ({ wallMs }) => (EVENTS / wallMs) * 1_000),
        ofRaw: { atLeast: 0.7 },
        ...(waitMs < SLOW_FSYNC_MS ? {} : { ofReference: { atLeast: 14 } }),
      },
      { number: '', what: 'the same, CPU', unit: 'us', samples: each(samples, ({ cpuUs }) => cpuUs) },
    ],
    notes: [
      `Raw has no store. The disk of the temporary folder takes ${waitMs.toFixed(2)} ms to make 4 KiB durable; the goal of 14 times one commit an event is for a disk that takes 2 ms or more.`,
      'Stock Keyv with its SQLite adapter is left out: the package is not installed.',
    ],
  };
}

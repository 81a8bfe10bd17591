import { fsyncMs } from './disk.ts';
import type { LoadRequest } from './load-job.ts';
import { sectionOf } from './report.ts';
import { each, inTurns } from './rounds.ts';
import { APP, inFolder, variant, type Surroundings } from './surroundings.ts';
import { SIDES, linksFor, type Side } from './tickets.ts';
import { webhookOf } from './webhook-request.ts';

const PROGRAMS = { raw: variant('raw-webhook.ts'), reference: variant('commit-webhook.ts'), ours: APP };
const AT_ONCE = 32;
const WARM_UP = 1_000;
const EVENTS = 3_000;

/** Those to warm up with, and those that count: a session of its own link each. */
function webhooks(side: Side): { readonly first: LoadRequest[]; readonly counted: LoadRequest[] } {
  const all = linksFor(side, WARM_UP + EVENTS).map(webhookOf);
  return { first: all.slice(0, WARM_UP), counted: all.slice(WARM_UP) };
}

/** Webhooks until they are durable, 32 at once. */
export async function benchWebhook({ rounds, loader, measuring }: Surroundings): Promise<string> {
  const waitMs = await inFolder(async (folder) => fsyncMs(folder));
  const samples = await inTurns(SIDES, rounds, (side) =>
    measuring(PROGRAMS[side], async (measured) => {
      const { first, counted } = webhooks(side);
      const load = { atOnce: AT_ONCE, status: 200 };
      await loader.put({ ...load, requests: first, total: WARM_UP }, measured);
      return loader.put({ ...load, requests: counted, total: EVENTS, from: WARM_UP }, measured);
    }),
  );
  return sectionOf({
    title: 'G3. Webhooks made durable',
    sides: [
      ['raw', 'raw'],
      ['reference', 'a commit each'],
      ['ours', 'ours'],
    ],
    figures: [
      {
        what: `webhooks made durable, ${AT_ONCE} at once`,
        unit: '/s',
        samples: each(samples, ({ wallMs }) => (EVENTS / wallMs) * 1_000),
        times: { raw: { atLeast: 0.5 }, reference: { atLeast: 2 } },
      },
      { what: 'the same, CPU', unit: 'us', samples: each(samples, ({ cpuUs }) => cpuUs) },
    ],
    how: `Raw has no store; the other keeps the session in a table by a commit an event. Ours already posts summaries meanwhile. The disk of the temporary folder takes ${waitMs.toFixed(2)} ms to make 4 KiB durable.`,
  });
}

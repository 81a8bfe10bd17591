import { startOwnPostgres } from '../support/own-postgres.ts';
import { POSTS, awaitAsked } from './asked.ts';
import type { Measured } from './child.ts';
import { createClicks } from './click.ts';
import { startCounting, type Counted } from './counting-way.ts';
import { judged, section, table } from './report.ts';
import { APP, type Surroundings } from './surroundings.ts';
import { linksIn } from './tickets.ts';
import { webhookOf } from './webhook-request.ts';

const TIMES = 20;
/** Enough that the server's processor time, which comes in hundredths of a second, is known to a twentieth. */
const FOR_CPU = 200;

interface Cost extends Counted {
  readonly appUs: number;
  readonly serverUs: number;
}

const line = (
  what: string,
  cost: Cost,
  most?: { readonly roundTrips: number; readonly notifies: number },
) => [
  what,
  judged(cost.roundTrips.toFixed(1), cost.roundTrips, most && { atMost: most.roundTrips }),
  cost.statements.toFixed(1),
  judged(cost.notifies.toFixed(1), cost.notifies, most && { atMost: most.notifies }),
  `${cost.appUs.toFixed(0)} us`,
  `${cost.serverUs.toFixed(0)} us`,
];

/** What one act makes of a PostgreSQL server, with what follows from it. */
export async function benchPostgres(around: Surroundings): Promise<string> {
  const { loader, measuring, upstream } = around;
  const server = await startOwnPostgres();
  const way = await startCounting(new URL(server.url));
  try {
    const [click, webhook] = await measuring(
      APP,
      async (measured: Measured) => {
        async function costOf(times: number, act: (from: number) => Promise<unknown>): Promise<Cost> {
          const before = {
            ...way.counted(),
            serverUs: server.cpuUs(),
            appUs: (await measured.usage()).cpuUs,
          };
          for (let number = 0; number < times; number += 1) {
            const isPosted = await awaitAsked(upstream, POSTS, 1);
            await act(number);
            await isPosted();
          }
          const after = { ...way.counted(), serverUs: server.cpuUs(), appUs: (await measured.usage()).cpuUs };
          const each = (of: keyof Cost) => (after[of] - before[of]) / times;
          return {
            roundTrips: each('roundTrips'),
            statements: each('statements'),
            notifies: each('notifies'),
            appUs: each('appUs'),
            serverUs: each('serverUs'),
          };
        }
        const clicks = createClicks(around, 'ours', measured);
        const clickOnce = async () => loader.put(await clicks(0, 1, 1), measured);
        const channels = Array.from({ length: FOR_CPU }, (_, number) => `C0TOLD${number}`);
        const webhooks = linksIn(channels, 2 * FOR_CPU).map(webhookOf);
        const send = (from: number) => (number: number) =>
          loader.put(
            {
              requests: webhooks.slice(from + number),
              total: 1,
              atOnce: 1,
              status: 200,
              from: from + number,
            },
            measured,
          );
        // By the second time people and channels are known.
        await costOf(TIMES, clickOnce);
        const ofClick = await costOf(TIMES, clickOnce);
        await costOf(TIMES, send(0));
        return [ofClick, await costOf(FOR_CPU, send(TIMES))];
      },
      { settings: { STORE_URL: way.url } },
    );
    return section(
      'G15. On PostgreSQL',
      table(
        ['', 'round trips', 'statements', 'NOTIFY', 'CPU of the app', 'CPU of the server'],
        [
          line('a click with its press and its card', click, { roundTrips: 10, notifies: 1 }),
          line('a webhook with its summary', webhook),
        ],
      ),
      `Counted between the app and a server of its own: a round trip begins where the app speaks after an answer. One after the other, ${TIMES} clicks and ${FOR_CPU} webhooks, each with its post and what the worker looks up meanwhile.`,
    );
  } finally {
    way.close();
    await server.close();
  }
}

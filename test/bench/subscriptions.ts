import { fillWith } from './history.ts';
import { sectionOf } from './report.ts';
import { each, inTurns } from './rounds.ts';
import { APP, type Surroundings } from './surroundings.ts';
import { WORKSPACE, linksFor } from './tickets.ts';
import { webhookOf } from './webhook-request.ts';

const SUBSCRIPTIONS = 100;
const AT_ONCE = 32;
const WARM_UP = 1_000;
const EVENTS = 3_000;
const SIDES = ['none', 'many'] as const;

/** All but one want sessions of somebody else; that one wants all that last longer than these do. */
const subscriptions = Array.from({ length: SUBSCRIPTIONS }, (_, number) => ({
  workspaceId: WORKSPACE,
  channelId: `C0WANTS${String(number).padStart(4, '0')}`,
  filters: {
    agents: number === 0 ? [] : [`U0OTHER${number}`],
    groups: [],
    tags: number % 10 === 0 ? ['vip'] : [],
    ...(number === 0 ? { minSeconds: 3_600 } : {}),
  },
  form: 'full' as const,
  setUpBy: 'U0BENCH0001',
  setUpAt: 0,
}));

/** What webhooks cost where many channels have subscriptions that want other sessions. */
export async function benchSubscriptions({ rounds, loader, measuring }: Surroundings): Promise<string> {
  const samples = await inTurns(SIDES, rounds, (side) =>
    measuring(
      APP,
      async (measured) => {
        const requests = linksFor('ours', WARM_UP + EVENTS).map(webhookOf);
        const load = { atOnce: AT_ONCE, status: 200 };
        await loader.put({ ...load, requests: requests.slice(0, WARM_UP), total: WARM_UP }, measured);
        const counted = requests.slice(WARM_UP);
        return loader.put({ ...load, requests: counted, total: EVENTS, from: WARM_UP }, measured);
      },
      side === 'none'
        ? {}
        : {
            fill: (url) =>
              fillWith(
                url,
                undefined,
                subscriptions.map((one) => [one]),
              ),
          },
    ),
  );
  return sectionOf({
    title: 'G2. Webhooks beside subscriptions',
    sides: [
      ['none', 'no subscription'],
      ['many', `${SUBSCRIPTIONS} subscriptions`],
    ],
    figures: [
      {
        what: `webhooks made durable, ${AT_ONCE} at once`,
        unit: '/s',
        samples: each(samples, ({ wallMs }) => (EVENTS / wallMs) * 1_000),
        times: { none: { atLeast: 0.8 } },
      },
      { what: 'the same, CPU', unit: 'us', samples: each(samples, ({ cpuUs }) => cpuUs) },
    ],
    how: 'Each subscription is that of another channel and wants other sessions: by other people, with other tags, longer ones.',
  });
}

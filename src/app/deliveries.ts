import { reportBlind, reportDelivery, reportDoubles, reportLateness } from './report-deliveries.ts';
import type { Gate } from '../session-end/attempt.ts';
import type { Cards } from '../session-end/cards.ts';
import type { Compose } from '../session-end/compose.ts';
import { createCourier } from '../session-end/courier.ts';
import type { Courier } from '../session-end/courier.ts';
import { createDoubles } from '../session-end/doubles.ts';
import type { Tell } from '../session-end/endings.ts';
import { createFollowingFind } from '../session-end/following.ts';
import type { NowCalled } from '../grants/moved-channels.ts';
import { createLatenessWatch, secondsSince } from '../session-end/lateness.ts';
import { createLedger } from '../session-end/ledger.ts';
import type { Ledger } from '../session-end/ledger.ts';
import type { FindPosts, Post, Unpost } from '../session-end/post.ts';
import type { Ground } from './ground.ts';
import { joinLedgerRecords } from './outbox.ts';

interface DeliveriesParts {
  readonly ground: Ground;
  /** Each knows a channel by the id that it has now, and by no other. */
  readonly slackSide: { readonly post: Post; readonly find: FindPosts; readonly unpost: Unpost };
  readonly nowCalled: NowCalled;
  readonly cards: Cards;
  readonly compose: Compose;
  readonly gate: Gate;
  readonly tell: Tell;
  /** Rest between two posts in one channel, milliseconds; Slack's where not given. */
  readonly paceMs: number | undefined;
}

/** What brings summaries to their channels, and the ledger of those that are not there. */
export function joinDeliveries(parts: DeliveriesParts): {
  readonly courier: Courier;
  readonly ledger: Ledger;
} {
  const { ground, slackSide, nowCalled, cards, compose, gate, tell, paceMs } = parts;
  const { post, find, unpost } = slackSide;
  const { storage, outbox, log, metrics, now } = ground;
  const records = joinLedgerRecords({ storage });
  const doubles = createDoubles({
    store: storage.store('summary-doubles'),
    find: createFollowingFind(find, nowCalled),
    unpost,
    ...reportDoubles(log, metrics),
    now,
  });
  const courier = createCourier({
    outbox,
    records,
    shortened: storage.store('summaries-shortened'),
    post,
    find,
    doubles,
    compose,
    cards,
    gate,
    tell,
    nowCalled,
    report: reportDelivery(log, metrics),
    blind: reportBlind(log),
    now,
    ...(paceMs === undefined ? {} : { paceMs }),
  });
  const ledger = createLedger({
    outbox,
    records,
    setOut: (id, delivery) => courier.hurry(id, delivery),
    isUnderWay: (id) => courier.isUnderWay(id),
    now,
  });
  const lateness = createLatenessWatch({
    oldest: () => courier.oldest(),
    report: reportLateness(log, () => courier.waiting()),
    now,
  });
  metrics.watchSummaries({
    waiting: () => courier.waiting(),
    oldestSeconds: () => secondsSince(courier.oldest()?.since ?? now(), now()),
    inTrouble: async () => ({ waiting: await records.waits.count(), failed: await records.givenUp.count() }),
  });
  return {
    ledger,
    courier: {
      ...courier,
      async start() {
        await courier.start();
        await doubles.start();
        lateness.start();
      },
      async stop() {
        lateness.stop();
        await courier.stop();
        await doubles.stop();
      },
    },
  };
}

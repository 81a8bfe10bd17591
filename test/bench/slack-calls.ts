import { setTimeout as wait } from 'node:timers/promises';
import { request } from 'undici';
import { z } from 'zod';
import { sql, type Sql } from '../../src/database/database.ts';
import { openDatabase } from '../../src/database/open.ts';
import { createSubscriptionRepository } from '../../src/subscriptions/repository.ts';
import { createPostgres, whyNoPostgres } from '../support/postgres.ts';
import { HOMES, POSTS, STARTS, awaitAsked, pathsAskedSoFar } from './asked.ts';
import type { Measured } from './child.ts';
import type { LoadRequest } from './load-job.ts';
import { judged, section, table } from './report.ts';
import { signedHomeOpenings, signedPickerOpenings, signedPresses } from './slack-requests.ts';
import { variant, type Surroundings } from './surroundings.ts';
import { WORKSPACE, linkOf, watchGrants, watchTicketsFor } from './tickets.ts';
import { webhookOf } from './webhook-request.ts';

const TITLE = 'G13. What Slack is asked';
const TIMES = 10;
const CHANNEL = 'C0SLACKCALLS';
/** Of 5,000 people, in which those who press come last. */
const LARGE_CHANNEL = 'C0LARGE0001';
/** From Slack's answers about a presser until their press is kept, and more. */
const PRESSES_SETTLE_MS = 500;
/** After this, nothing follows from what was done. */
const QUIET_MS = 4_000;
/** What grants something is asked again after five seconds. */
const FORGOTTEN_MS = 6_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** What makes something of what it says, in place of asking. */
const SAYS = /^\/api\/(?:chat|views|files)\./;

const GivenRow = z.object({ visitor_id: z.string(), id: z.string() });

interface Act {
  readonly what: string;
  readonly atMost?: number;
  readonly act: () => Promise<unknown>;
}

/** A session of one of them. */
const endedBefore = (at: number, person: number): Sql =>
  sql`INSERT INTO session_ends (id, workspace_id, session_id, claimant, link_id, user_id, visitor_id, channel_id, access,
      seconds, features, received_at, recovered, fanned_out_at, payload)
    VALUES (${`digest-${person}`}, ${WORKSPACE}, ${`digest-${person}`}, '', ${`digest-${person}`},
      ${`U0NAMED${person}`}, 'visitor', ${CHANNEL}, 'full', 60, '[]', ${at}, 0, ${at}, '{}')`;

async function send({ origin }: Measured, { method, path, headers, body }: LoadRequest, status = 200) {
  const answer = await request(origin + path, { method, headers, body });
  await answer.body.dump();
  if (answer.statusCode !== status) throw new Error(`${path} answered ${answer.statusCode}, not ${status}`);
}

function actsOn({ upstream }: Surroundings, processes: readonly [Measured, Measured], url: string) {
  /** One after the other, in turns. */
  async function inTurn(requests: readonly LoadRequest[], status?: number): Promise<void> {
    for (const [number, one] of requests.entries())
      await send(processes[number % 2 === 0 ? 0 : 1], one, status);
  }

  async function openHomes(): Promise<void> {
    const areDrawn = await awaitAsked(upstream, HOMES, TIMES);
    await inTurn(signedHomeOpenings(TIMES));
    await areDrawn();
  }

  async function watch(people: number, channelId: string) {
    const grants = watchGrants('asked', people, channelId);
    await inTurn(signedPresses(grants));
    await wait(PRESSES_SETTLE_MS);
    const pages = watchTicketsFor('ours', grants).map((ticket) => ({ path: `/watch/${ticket}` }));
    await inTurn(
      pages.map((page) => ({ ...page, method: 'GET', headers: {}, body: null })),
      302,
    );
    return grants;
  }

  /** Their ids by visitor: a summary takes the place of its own link's card. */
  async function linksGiven(channelId: string): Promise<ReadonlyMap<string, string>> {
    const database = await openDatabase(url);
    const given = await database.read(
      sql`SELECT visitor_id, id FROM watch_links WHERE channel_id = ${channelId}`,
      GivenRow,
    );
    await database.close();
    return new Map(given.map(({ visitor_id, id }) => [visitor_id, id]));
  }

  async function openHomesAndHaveSessions(): Promise<void> {
    await openHomes();
    const grants = await watch(TIMES, CHANNEL);
    const given = await linksGiven(CHANNEL);
    const ends = grants.map((grant) => webhookOf(linkOf(grant, given.get(grant.visitorId) ?? '')));
    await inTurn(
      ends.map((end, number) => ({ ...end, body: end.body?.replace('{n}', `of-${number}`) ?? '' })),
    );
  }

  async function postDigests(): Promise<void> {
    const database = await openDatabase(url);
    await database.write(
      ...Array.from({ length: TIMES }, (_, person) => endedBefore(Date.now() - HOUR_MS, person)),
    );
    const repository = createSubscriptionRepository(database);
    const due = new Date(Date.now() - 60_000);
    for (const channelId of ['C0DIGEST001', 'C0DIGEST002', 'C0DIGEST003', 'C0DIGEST004']) {
      const isPosted = await awaitAsked(upstream, POSTS, 1);
      const subscription = {
        workspaceId: WORKSPACE,
        channelId,
        filters: { agents: [], groups: [], tags: [] },
        form: 'full' as const,
        schedule: { hour: due.getUTCHours(), minute: due.getUTCMinutes(), zone: 'Etc/UTC' },
        setUpBy: 'U0BENCH0001',
        setUpAt: 0,
      };
      await repository.add(subscription, 1_000, due.setUTCSeconds(0, 0) - DAY_MS);
      await isPosted();
      await wait(FORGOTTEN_MS);
    }
    await database.close();
  }

  return [
    {
      what: `${TIMES} people open Home, and have a session each, in one channel`,
      atMost: 15,
      act: openHomesAndHaveSessions,
    },
    { what: 'four digests that name the same ten people, one after the other', atMost: 20, act: postDigests },
    {
      what: `${TIMES} openings of a form with user groups`,
      atMost: 2,
      act: () => inTurn(signedPickerOpenings(TIMES)),
    },
    { what: 'one person watches in a channel of 5,000', act: () => watch(1, LARGE_CHANNEL) },
    { what: `${TIMES} people at once watch in a channel of 5,000`, act: () => watch(TIMES, LARGE_CHANNEL) },
  ] satisfies readonly Act[];
}

const total = (counts: ReadonlyMap<string, number>) =>
  [...counts.values()].reduce((sum, count) => sum + count, 0);

/** By method, until nothing more follows. */
async function askedBy(upstream: Measured, { act }: Act): Promise<ReadonlyMap<string, number>> {
  const before = await pathsAskedSoFar(upstream);
  await act();
  let after = await pathsAskedSoFar(upstream);
  for (let last = 0; last !== total(after); after = await pathsAskedSoFar(upstream)) {
    last = total(after);
    await wait(QUIET_MS);
  }
  const asked = [...after].flatMap(([path, count]) => {
    const more = count - (before.get(path) ?? 0);
    return path.startsWith('/api/') && !SAYS.test(path) && more > 0
      ? [[path.slice('/api/'.length), more] as const]
      : [];
  });
  return new Map(asked);
}

/** What is asked of Slack by two processes beside each other, apart from what the app says there. */
export async function benchSlackCalls(around: Surroundings): Promise<string> {
  const why = await whyNoPostgres();
  if (why !== undefined) return section(TITLE, `Not measured: ${why}`, 'It needs PostgreSQL.');
  const made = await createPostgres();
  const program = variant('ours-looking-soon.ts');
  const settings = { STORE_URL: made.url, SLACK_BOT_TOKEN: 'xoxb-members' };
  const lines: string[][] = [];
  try {
    const areStarted = await awaitAsked(around.upstream, STARTS, 2);
    await around.measuring(
      program,
      (one) =>
        around.measuring(
          program,
          async (two) => {
            await areStarted();
            for (const act of actsOn(around, [one, two], made.url)) {
              const asked = await askedBy(around.upstream, act);
              const calls = total(asked);
              const methods = [...asked].map(([method, count]) => `${method} ${count}`).join(', ');
              lines.push([
                act.what,
                judged(String(calls), calls, act.atMost === undefined ? undefined : { atMost: act.atMost }),
                methods,
              ]);
            }
          },
          { settings },
        ),
      { settings },
    );
  } finally {
    await made.drop();
  }
  return section(
    TITLE,
    table(['', 'calls', 'which'], lines),
    'Two processes on one PostgreSQL, in turns, each person at the same one.',
  );
}

import { z } from 'zod';
import { createConcurrentByKey } from '../lifecycle/concurrency.ts';
import { sessionsChart } from '../messages/chart.ts';
import { context, heading, lines, message, type Message } from '../messages/message.ts';
import { bold, count, duration, say, short, type Line, type Maybe } from '../messages/text.ts';
import { featureInWords, notAccepted, outcomeWords } from '../messages/session-words.ts';
import { wakeChannelOf } from '../outbox/channels.ts';
import { insertDelivery, readPayload, type Kind } from '../outbox/delivery.ts';
import type { App } from '../parts.ts';
import { formOf, toldSubscribers, type Subscribers } from '../sessions/subscribers.ts';
import { Digest, MOST_NAMED, countSessions, digestOf } from './digest-numbers.ts';
import { zoneInWords } from './messages.ts';
import { barsOf, latestPeriod, nextDue } from './periods.ts';
import { advanceDigest, type DueDigest, type SubscriptionRepository } from './repository.ts';

/** After this, everything that became known before a period's end is on disk. */
const WRITTEN_AFTER_MS = 5_000;
/** How many are begun per round: nearly all workspaces want theirs at nine. */
const MOST_DIGESTS = 1_000;
/** If none of those under way is done by then, it's looked again whether there's room. */
const LOOK_AGAIN_MS = 1_000;
/** An older digest is no longer news. */
const LATEST_DIGEST_MS = 24 * 60 * 60_000;

type DigestApp = Pick<App, 'database' | 'colleagueOf' | 'now'> & {
  readonly outbox: Pick<App['outbox'], 'newId' | 'wake'>;
};

/** Queues a digest once per number, across processes; of several missed, only the latest. @param until milliseconds since 1970 */
export async function sendDigest(
  { database, colleagueOf, outbox, now }: DigestApp,
  due: DueDigest,
  until: number,
): Promise<void> {
  const { workspaceId, id: subscription, channelId, schedule } = due.subscription;
  if (schedule === undefined) return;
  const latest = latestPeriod(schedule, until);
  const period = { ...latest, starts: barsOf(schedule, latest) };
  const counts = await countSessions(database, workspaceId, period);
  const digest = await digestOf(
    counts,
    { schedule, period },
    async (userId) => (await colleagueOf(workspaceId, userId))?.name,
  );
  const id = outbox.newId();
  await database.writeIf(
    advanceDigest(due, nextDue(schedule, latest.to)),
    insertDelivery({
      id,
      workspaceId,
      key: `digest ${due.number + 1} of ${subscription}`,
      kind: 'digest',
      messageId: `digest_${subscription}_${digest.to}`,
      since: digest.to,
      channelId,
      subscriptions: [subscription],
      acceptedAt: now(),
      notAfter: digest.to + LATEST_DIGEST_MS,
      payload: { digest },
    }),
    wakeChannelOf(id),
  );
  outbox.wake();
}

/** One at a time in a workspace, workspaces side by side. @param report called for each failure; it's retried */
export function createDigests(
  app: DigestApp,
  repository: Pick<SubscriptionRepository, 'due'>,
  report: (error: unknown) => void,
  send = sendDigest,
) {
  const concurrentByKey = createConcurrentByKey();

  async function begin(stopping: AbortSignal | undefined): Promise<void> {
    const until = app.now() - WRITTEN_AFTER_MS;
    const due = await repository.due(until, MOST_DIGESTS, concurrentByKey.busy());
    for (const [workspaceId, own] of Map.groupBy(due, ({ subscription }) => subscription.workspaceId)) {
      while (concurrentByKey.isFull()) await concurrentByKey.oneIsDone(LOOK_AGAIN_MS);
      if (stopping?.aborted === true) return;
      void concurrentByKey.start(workspaceId, async () => {
        for (const one of own) await send(app, one, until).catch(report);
      });
    }
  }

  return {
    /** Begins with what is due, until it's told to stop. Never rejects. */
    round: (stopping?: AbortSignal) => begin(stopping).catch(report),
    /** Resolves when what a round began is done. */
    idle: () => concurrentByKey.idle(),
  };
}

/** In the digest's own time zone: in the reader's, its days would start at another hour. */
const moment = (at: number, timeZone: string): string =>
  new Intl.DateTimeFormat('en-US', {
    timeZone,
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    hour: 'numeric',
    minute: '2-digit',
  }).format(at);

/** "a (2 sessions), b (1 session) and 3 more". */
function list(
  counted: readonly { readonly name: string; readonly sessions: number }[],
  words: (name: string) => string,
): string {
  const named = counted
    .slice(0, MOST_NAMED)
    .map(({ name, sessions }) => `${words(name)} (${count(sessions, 'session')})`);
  const rest = counted.length - named.length;
  return rest > 0 ? `${named.join(', ')} and ${rest} more` : named.join(', ');
}

/** "2 solved, 1 follow up, 4 not set". */
function outcomesLine({ sessions, outcomes }: Digest): Maybe<Line> {
  const named = outcomes.map(
    ({ name, sessions: own }) => `${own.toLocaleString('en-US')} ${outcomeWords(name).toLowerCase()}`,
  );
  const rest = sessions - outcomes.reduce((sum, { sessions: own }) => sum + own, 0);
  if (rest > 0) named.push(`${rest.toLocaleString('en-US')} not set`);
  return outcomes.length > 0 && say`${bold('Outcomes: ')}${named.join(', ')}`;
}

/** The digest of a day or week. All of it is in words; the chart shows the sessions over the time. */
export function digestMessage(digest: Digest): Message {
  const { from, to, zone, isWeekly, sessions, notAccepted: others, seconds, agents, features } = digest;
  const title = heading(`${isWeekly ? 'Weekly' : 'Daily'} co-browsing digest`);
  const span = context(`${moment(from, zone)} to ${moment(to, zone)} ${zoneInWords(zone)}`);
  if (sessions === 0)
    return message(title, span, lines(['No co-browsing sessions ended.'], ...notAccepted(others)));
  const words = message(
    title,
    span,
    lines(
      [bold('Sessions: '), sessions.toLocaleString('en-US')],
      [bold('Time in sessions: '), duration(seconds)],
      [bold('Agents: '), list(agents, (name) => short(name, 60) || 'someone')],
      features.length === 0 ? ['No tools used'] : [bold('Tools used: '), list(features, featureInWords)],
      outcomesLine(digest),
      ...notAccepted(others),
    ),
  );
  const chart = sessionsChart('Sessions', digest.bars);
  return chart === undefined ? words : { ...words, richer: { ...words, blocks: [...words.blocks, chart] } };
}

const Payload = z.object({ digest: Digest });

export const createDigestKind = (subscribers: Pick<Subscribers, 'formNow' | 'onOutcome'>): Kind => ({
  name: 'digest',
  async render(delivery) {
    const wanted = await formOf(subscribers, delivery);
    if (typeof wanted === 'object') return wanted;
    const { digest } = readPayload(Payload, delivery.payload);
    return { message: async () => digestMessage(digest) };
  },
  onOutcome: toldSubscribers(subscribers),
});

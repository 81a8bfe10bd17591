import { z } from 'zod';
import { createAtMost } from '../lifecycle/concurrency.ts';
import { sessionsChart } from '../messages/chart.ts';
import { context, heading, lines, message, type Message } from '../messages/message.ts';
import { bold, count, duration, say, short, type Line, type Maybe } from '../messages/text.ts';
import { featureInWords, notAccepted, outcomeWords } from '../messages/session-words.ts';
import { queued } from '../outbox/channels.ts';
import { readPayload, type Kind } from '../outbox/delivery.ts';
import type { App } from '../parts.ts';
import { formOf, toldSubscribers } from '../sessions/session-deliveries.ts';
import type { Subscribers } from '../sessions/subscribers.ts';
import { barsOf, countSessions, Digest, latestPeriod, MOST_NAMED, nextDue } from './digest-numbers.ts';
import { zoneInWords } from './messages.ts';
import { advanceDigest, type SubscriptionRepository } from './repository.ts';
import type { Schedule, Subscription } from './subscription.ts';

/** After this, everything that became known before a period's end is on disk. */
const WRITTEN_AFTER_MS = 5_000;
/** Nearly all workspaces want theirs at nine. */
const MOST_AT_ONCE = 50;
/** An older digest is no longer news. */
const LATEST_DIGEST_MS = 24 * 60 * 60_000;

type DigestApp = Pick<App, 'database' | 'colleagueOf' | 'now'> & {
  readonly outbox: Pick<App['outbox'], 'newId' | 'wake'>;
};

/** The numbers of the latest period; names are asked only for those who are named. @param until milliseconds since 1970 */
async function digestOf(
  { database, colleagueOf }: DigestApp,
  workspaceId: string,
  schedule: Schedule,
  until: number,
): Promise<Digest> {
  const period = latestPeriod(schedule, until);
  const parts = barsOf(schedule, period);
  const starts = parts.map(({ start }) => start);
  const { users, bars, ...numbers } = await countSessions(database, workspaceId, { ...period, starts });
  const named = users
    .slice(0, MOST_NAMED)
    .map(({ name }) => colleagueOf(workspaceId, name).catch(() => undefined));
  const colleagues = await Promise.all(named);
  return {
    ...period,
    ...numbers,
    zone: schedule.zone,
    isWeekly: schedule.weekday !== undefined,
    agents: users.map(({ name, sessions }, index) => ({ name: colleagues[index]?.name ?? name, sessions })),
    bars: parts.map(({ label }, index) => ({ label, sessions: bars[index] ?? 0 })),
  };
}

/** Queues a digest once per number, across processes; of several missed, only the latest. @param until milliseconds since 1970 */
async function sendDigest(app: DigestApp, due: Subscription, until: number): Promise<void> {
  const { workspaceId, id: subscription, channelId, schedule } = due;
  if (schedule === undefined) return;
  const { database, outbox, now } = app;
  const digest = await digestOf(app, workspaceId, schedule, until);
  await database.writeIf(
    advanceDigest(due, nextDue(schedule, digest.to)),
    ...queued({
      id: outbox.newId(),
      workspaceId,
      key: `digest ${due.digests + 1} of ${subscription}`,
      kind: 'digest',
      messageId: `digest_${subscription}_${digest.to}`,
      since: digest.to,
      channelId,
      subscriptions: [subscription],
      acceptedAt: now(),
      notAfter: digest.to + LATEST_DIGEST_MS,
      payload: { digest },
    }),
  );
  outbox.wake();
}

export function createDigests(
  app: DigestApp,
  repository: Pick<SubscriptionRepository, 'due'>,
  report: (error: unknown) => void,
) {
  const atMost = createAtMost(MOST_AT_ONCE);

  async function sendDue(stopping: AbortSignal | undefined): Promise<void> {
    const until = app.now() - WRITTEN_AFTER_MS;
    const send = async (due: Subscription) => {
      if (stopping?.aborted !== true) await sendDigest(app, due, until).catch(report);
    };
    await Promise.all((await repository.due(until)).map((due) => atMost(() => send(due))));
  }

  /** Sends what is due, until it's told to stop. Never rejects. */
  return { round: (stopping?: AbortSignal) => sendDue(stopping).catch(report) };
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
function list(counted: Digest['agents'], words: (name: string) => string): string {
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

/** All of it is in words; the chart shows the sessions over the time. */
export function digestMessage(digest: Digest): Message {
  const { from, to, zone, isWeekly, sessions, notAccepted: others, seconds, agents, features } = digest;
  const title = heading(`${isWeekly ? 'Weekly' : 'Daily'} co-browsing digest`);
  const span = context(`${moment(from, zone)} to ${moment(to, zone)} ${zoneInWords(zone)}`);
  if (sessions === 0)
    return message(title, span, lines(['No co-browsing sessions ended.'], notAccepted(others)));
  const words = message(
    title,
    span,
    lines(
      [bold('Sessions: '), sessions.toLocaleString('en-US')],
      [bold('Time in sessions: '), duration(seconds)],
      [bold('Agents: '), list(agents, (name) => short(name, 60) || 'someone')],
      features.length === 0 ? ['No tools used'] : [bold('Tools used: '), list(features, featureInWords)],
      outcomesLine(digest),
      notAccepted(others),
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

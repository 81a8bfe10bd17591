import { sql } from '../database/database.ts';
import type { Database, Sql } from '../database/database.ts';
import { DatabaseError } from '../database/errors.ts';
import { endedSessionOf } from '../sessions/fan-out.ts';
import type { SessionEnd, SessionEnds } from '../sessions/session-ends.ts';
import type { Subscribers } from '../sessions/subscribers.ts';
import { GIVE_UP_AFTER_MS, backoff } from './attempt.ts';
import { isDue, wakeChannelOf } from './channels.ts';
import { deliveriesIn, newToken } from './claims.ts';
import { deliveryColumns } from './delivery.ts';
import type { Delivery } from './delivery.ts';
import type { Report } from './report.ts';

const AT_ONCE = 20;
/**
 * Longer than Slack and the service can take to answer for one delivery. If the process dies, the claim expires then.
 */
const ASKING_MS = 2 * 60_000;

interface AskingParts {
  readonly database: Database;
  readonly sessionEnds: Pick<SessionEnds, 'byIds'>;
  readonly subscribers: Pick<Subscribers, 'wants' | 'onOutcome'>;
  readonly report: Report;
  readonly now: () => number;
  readonly firstWaitMs: number;
}

/** The answer for one delivery; `wanted` are the subscriptions from the first one that wants it. */
type Answer =
  | { readonly is: 'wanted'; readonly wanted: readonly string[] }
  | { readonly is: 'skipped' | 'failed'; readonly reason: string }
  | { readonly is: 'later'; readonly reason?: string; readonly error: unknown };

/** Asks Slack and the service which deliveries to subscriptions are wanted, outside any channel's turn. */
export type AskForSome = () => Promise<void>;

export function createAsking(parts: AskingParts): AskForSome {
  const { database, sessionEnds, subscribers, report, now, firstWaitMs } = parts;

  async function claim(token: string): Promise<readonly Delivery[]> {
    const time = now();
    const [written] = await database.write(
      sql`WITH picked AS MATERIALIZED (
          SELECT id FROM deliveries WHERE state = 'asking' AND ${isDue(sql`due_at`, time)}
          ORDER BY due_at LIMIT ${AT_ONCE} ${database.skipLocked})
        UPDATE deliveries SET claim = ${token}, due_at = ${time + ASKING_MS}, attempts = attempts + 1
        WHERE id IN (SELECT id FROM picked) RETURNING ${deliveryColumns}`,
    );
    return deliveriesIn(written);
  }

  async function answerFor(delivery: Delivery, end: SessionEnd | undefined): Promise<Answer> {
    const { subscriptions, failingSince } = delivery;
    if (end === undefined) return { is: 'skipped', reason: 'too_late' };
    try {
      const session = endedSessionOf(end);
      for (const [index, id] of subscriptions.entries())
        if (await subscribers.wants(id, session)) return { is: 'wanted', wanted: subscriptions.slice(index) };
      return { is: 'skipped', reason: 'filtered_out' };
    } catch (error) {
      if (error instanceof DatabaseError) return { is: 'later', error };
      const isOver = failingSince !== undefined && now() - failingSince > GIVE_UP_AFTER_MS;
      return isOver
        ? { is: 'failed', reason: 'filter_unknown' }
        : { is: 'later', reason: 'filter_unknown', error };
    }
  }

  function changesOf({ attempts, failingSince, acceptedAt }: Delivery, answer: Answer): Sql {
    const time = now();
    if (answer.is === 'wanted')
      return sql`state = 'waiting', subscriptions = ${JSON.stringify(answer.wanted)}, due_at = ${acceptedAt},
        attempts = 0, reason = NULL, failing_since = NULL`;
    if (answer.is !== 'later')
      return sql`state = ${answer.is}, reason = ${answer.reason}, settled_at = ${time}`;
    const why =
      answer.reason === undefined
        ? sql``
        : sql`, reason = ${answer.reason}, failing_since = ${Math.min(time, failingSince ?? time)}`;
    return sql`due_at = ${time + backoff(attempts, firstWaitMs)}${why}`;
  }

  async function decide(delivery: Delivery, end: SessionEnd | undefined, token: string): Promise<void> {
    const answer = await answerFor(delivery, end);
    const { id, workspaceId, kind, subscriptions } = delivery;
    const written = await database.writeIf(
      sql`UPDATE deliveries SET ${changesOf(delivery, answer)}, claim = NULL
        WHERE id = ${id} AND claim = ${token} AND state = 'asking'`,
      wakeChannelOf(id),
    );
    if (written === undefined || answer.is === 'wanted') return;
    const about = { id, kind, session: end?.sessionId, subscriptions };
    if (answer.is === 'later') {
      const { reason, error } = answer;
      report(reason === undefined ? 'broken' : 'later', { ...about, ...(reason && { reason }), error });
      return;
    }
    report(answer.is, { ...about, reason: answer.reason });
    const outcome = { outcome: answer.is, reason: answer.reason } as const;
    await subscribers
      .onOutcome(workspaceId, subscriptions, outcome)
      .catch((error: unknown) => report('broken', { ...about, error }));
  }

  return async function askForSome() {
    const token = newToken();
    const claimed = await claim(token);
    if (claimed.length === 0) return;
    const ids = new Set(claimed.flatMap(({ sessionEndId: id }) => (id === undefined ? [] : [id])));
    const ends = new Map((await sessionEnds.byIds([...ids])).map((end) => [end.id, end]));
    await Promise.all(
      claimed.map((delivery) =>
        decide(delivery, ends.get(delivery.sessionEndId ?? ''), token).catch((error: unknown) =>
          // It's asked again once the claim expires.
          report('broken', { id: delivery.id, error }),
        ),
      ),
    );
  };
}

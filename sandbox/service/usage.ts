import type { SessionRecord } from './session.ts';
import { secondsBetween } from './time.ts';
import type { Visitor } from './visitor.ts';

const dayMs = 24 * 3600 * 1000;

/** The usage object of the document, computed from what the stand-in knows. */
export function usageObject(sessions: readonly SessionRecord[], visitors: readonly Visitor[], now: Date) {
  const startedWithin = (days: number) =>
    sessions.filter((session) => now.getTime() - session.startedAt.getTime() <= days * dayMs);
  const today = startedWithin(1);
  const lastThirtyDays = startedWithin(30);
  const isRecent = (visitor: Visitor) => now.getTime() - visitor.lastSeenAt.getTime() <= dayMs;
  return {
    agents: { last_30_days: countAgents(lastThirtyDays), today: countAgents(today) },
    session_counts: {
      last_30_days: lastThirtyDays.length,
      now: sessions.filter((session) => session.endedAt === null).length,
      today: today.length,
    },
    session_seconds: { last_30_days: sumSeconds(lastThirtyDays, now), today: sumSeconds(today, now) },
    visitors: {
      last_24_hrs: visitors.filter((visitor) => visitor.isOnline || isRecent(visitor)).length,
      online_now: visitors.filter((visitor) => visitor.isOnline).length,
    },
  };
}

function countAgents(sessions: readonly SessionRecord[]): number {
  return new Set(sessions.flatMap((session) => session.agents.map((agent) => agent.id))).size;
}

function sumSeconds(sessions: readonly SessionRecord[], now: Date): number {
  return sessions.reduce((sum, { startedAt, endedAt }) => sum + secondsBetween(startedAt, endedAt ?? now), 0);
}

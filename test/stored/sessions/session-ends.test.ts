import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { sql } from '../../../src/database/database.ts';
import type { IssuedLink } from '../../../src/messages/link-request.ts';
import { MOST_SESSIONS, createSessionEnds, sessionEndOf } from '../../../src/sessions/session-ends.ts';
import { sessionOf } from '../../outbox/stage.ts';
import { engines, openUntilTestEnds } from '../../support/engines.ts';
import { alexInSupport } from '../../sessions/ended-session.ts';

let ids = 0;
const NOON = Date.UTC(2026, 2, 1, 12);

function endOf(
  sessionId: string,
  {
    changes = {},
    fields = {},
    at = NOON,
  }: { changes?: Partial<IssuedLink>; fields?: object; at?: number } = {},
) {
  const link = { ...alexInSupport, ...changes };
  const id = `end-${String((ids += 1)).padStart(5, '0')}`;
  return sessionEndOf(id, link, sessionOf(sessionId, { ...fields }), { receivedAt: at, recovered: false });
}

describe.each(engines)('the sessions that ended, in $engine', ({ newUrl }) => {
  async function open() {
    const database = await openUntilTestEnds(await newUrl());
    const sessionEnds = createSessionEnds(database);
    return { database, record: (end: ReturnType<typeof endOf>) => sessionEnds.record(end) };
  }

  it('are stored once, whoever reports them and however often, even fifty times together', async () => {
    const { record } = await open();
    const told = Array.from({ length: 50 }, (_, index) =>
      record(endOf('s1', { changes: { linkId: `link-${index}` } })),
    );
    const outcomes = await Promise.all(told);
    expect(outcomes.toSorted()).toEqual(['accepted', ...Array(49).fill('duplicate')]);
    expect(await record(endOf('s1', { changes: { workspaceId: 'T2' } }))).toBe('accepted');
    for (const other of ['s2', 'S1']) expect(await record(endOf(other))).toBe('accepted');
  });

  it('are limited per link, even if all are reported at the same time, and each can be reported again', async () => {
    const { record } = await open();
    const all = Array.from({ length: MOST_SESSIONS + 10 }, (_, index) => `s${index}`);
    const outcomes = await Promise.all(all.map((id) => record(endOf(id))));
    expect(outcomes.filter((outcome) => outcome === 'accepted')).toHaveLength(MOST_SESSIONS);
    expect(outcomes.filter((outcome) => outcome === 'too-many')).toHaveLength(10);
    const kept = all.filter((_, index) => outcomes[index] === 'accepted');
    for (const id of kept) expect(await record(endOf(id))).toBe('duplicate');
  });

  it.each(['x', '雪', '"'])('take 256 KiB per link at most, however full of %s each is', async (letter) => {
    const { database, record } = await open();
    const long = letter.repeat(2_000);
    const id = letter.repeat(100);
    const fields = {
      agents: Array.from({ length: 50 }, (_, index) => ({
        id: `${id}${index}`,
        name: long,
        agent_nickname: long,
        email: long,
      })),
      features_used: Array.from({ length: 50 }, () => long),
      quality_feedback: Array.from({ length: 50 }, () => ({ rating: long, comment: long })),
      formatted_length: long,
      formatted_call_length: long,
      video_url: `https://recordings.example/${long}`.slice(0, 1_500),
    };
    for (let session = 0; session < MOST_SESSIONS; session += 1)
      await record(
        endOf(`${id}${session}`, {
          fields,
          changes: { ticketUrl: `https://t.example/${long}`.slice(0, 400) },
        }),
      );
    const [stored] = await database.read(
      sql`SELECT CAST(SUM(octet_length(CAST(id AS TEXT)) + octet_length(workspace_id) + octet_length(session_id)
          + octet_length(claimant) + octet_length(link_id) + octet_length(user_id) + octet_length(visitor_id)
          + octet_length(channel_id) + octet_length(features) + octet_length(payload) + octet_length(ticket_url))
          AS BIGINT) AS bytes FROM session_ends`,
      z.object({ bytes: z.number() }),
    );
    expect(stored?.bytes).toBeGreaterThan(64 * 1_024);
    expect(stored?.bytes).toBeLessThan(256 * 1_024);
  });
});

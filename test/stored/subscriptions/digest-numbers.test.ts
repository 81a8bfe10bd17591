import { describe, expect, it } from 'vitest';
import { sql } from '../../../src/database/database.ts';
import { countSessions } from '../../../src/subscriptions/digest-numbers.ts';
import { engines, openUntilTestEnds } from '../../support/engines.ts';

const DAY_MS = 24 * 3_600_000;
const NINE = Date.UTC(2026, 2, 2, 9);
const period = { from: NINE - DAY_MS, to: NINE, starts: [NINE - DAY_MS, NINE - DAY_MS / 2] };

const nobody = { sessions: 0, notAccepted: 0, seconds: 0, bars: [0, 0] };
const nothing = { ...nobody, users: [], features: [], outcomes: [] };
const counted = (name: string, sessions: number) => ({ name, sessions });

interface Ended {
  readonly workspaceId?: string;
  readonly userId?: string;
  readonly seconds?: number | null;
  readonly features?: string;
  readonly accepted?: number | null;
}

const ended = (id: number, at: number, more: Ended = {}) => {
  const { workspaceId = 'T1', userId = 'U1', seconds = 60, features = '[]', accepted = null } = more;
  return sql`INSERT INTO session_ends (id, workspace_id, session_id, claimant, link_id, user_id,
      visitor_id, access, seconds, features, received_at, recovered, accepted, payload)
    VALUES (${`end ${id}`}, ${workspaceId}, ${`session ${id}`}, '', 'link', ${userId}, 'jane', 'full',
      ${seconds}, ${features}, ${at}, 0, ${accepted}, '{}')`;
};

const set = (id: number, outcome: string) =>
  sql`UPDATE session_ends SET outcome = ${outcome} WHERE id = ${`end ${id}`}`;

describe.each(engines)('the numbers of a digest in $engine', ({ newUrl }) => {
  it('count what became known in the period, in this workspace', async () => {
    const database = await openUntilTestEnds(await newUrl());
    await database.write(
      ended(1, NINE - DAY_MS, { features: '["draw","click","draw"]' }),
      ended(2, NINE - DAY_MS / 2 - 1, { userId: 'U2', features: '["click"]' }),
      ended(3, NINE - DAY_MS / 2, { userId: 'U2', seconds: null }),
      ended(4, NINE - 1, { userId: 'U3', seconds: 7, features: '["click"]' }),
      ended(5, NINE),
      ended(6, NINE - DAY_MS - 1),
      ended(7, NINE - 1, { workspaceId: 'T2' }),
    );
    expect(await countSessions(database, 'T1', period)).toEqual({
      ...nothing,
      sessions: 4,
      seconds: 127,
      users: [counted('U2', 2), counted('U1', 1), counted('U3', 1)],
      features: [counted('click', 3), counted('draw', 1)],
      bars: [2, 2],
    });
  });

  it('count apart what was not accepted, and how sessions went as far as somebody said so', async () => {
    const database = await openUntilTestEnds(await newUrl());
    await database.write(
      ended(1, NINE - 1, { accepted: 1 }),
      ended(2, NINE - 2, { accepted: null }),
      ended(3, NINE - 3, { accepted: 0, userId: 'U2', features: '["click"]' }),
      ended(4, NINE - DAY_MS, { accepted: 0 }),
      ...[5, 6, 7].map((id) => ended(id, NINE - id)),
      set(1, 'other'),
      set(3, 'solved'),
      set(5, 'solved'),
      set(6, 'solved'),
      set(7, 'of a later version'),
    );
    expect(await countSessions(database, 'T1', period)).toEqual({
      ...nothing,
      sessions: 5,
      notAccepted: 2,
      seconds: 300,
      users: [counted('U1', 5)],
      outcomes: [counted('solved', 2), counted('other', 1)],
      bars: [0, 5],
    });
  });
});

import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/database/open.ts';
import { createStopRecords } from '../../src/sessions/stops.ts';
import { createWatchLinks } from '../../src/sessions/watch-links.ts';
import { countSessions } from '../../src/subscriptions/digest-numbers.ts';
import { createSubscriptionRepository } from '../../src/subscriptions/repository.ts';
import { createTicketUses } from '../../src/watch/missed-presses.ts';
import { makeOlderTables } from '../database/older-tables.ts';
import { alexInSupport, endedSession } from '../sessions/ended-session.ts';
import { engines } from '../support/engines.ts';
import { DAY_MS, MINUTE_MS, START, sessionOf, startStage, sessionIn } from './stage.ts';

/** What the tables were before sessions were known by their ids in stops, summaries, marks and links. */
const STEPS_BEFORE = 4;

const { workspaceId, userId, channelId, visitorId } = alexInSupport;
const AGO = START - 5 * MINUTE_MS;
const now = () => START;

const textOf = (value: string | number | null) => (typeof value === 'string' ? `'${value}'` : String(value));

function insert(table: string, row: Readonly<Record<string, string | number | null>>): string {
  const values = Object.values(row).map(textOf);
  return `INSERT INTO ${table} (${Object.keys(row).join(', ')}) VALUES (${values.join(', ')})`;
}

const linkNamed = (id: string, row: Readonly<Record<string, string | number | null>>) =>
  insert('watch_links', {
    workspace_id: workspaceId,
    id,
    agent_id: 'agent_alex',
    user_id: userId,
    visitor_id: visitorId,
    channel_id: channelId ?? null,
    access: 'full',
    issued_at: AGO,
    ...row,
  });

const endNamed = (id: string, fannedOutAt: number | null) =>
  insert('session_ends', {
    id,
    workspace_id: workspaceId,
    session_id: `session-of-${id}`,
    claimant: '',
    link_id: `link-of-${id}`,
    user_id: userId,
    visitor_id: visitorId,
    channel_id: channelId ?? null,
    access: 'full',
    seconds: 75,
    features: '[]',
    received_at: AGO,
    recovered: 0,
    fanned_out_at: fannedOutAt,
    payload: JSON.stringify(endedSession(id)),
  });

const deliveryNamed = (id: string, row: Readonly<Record<string, string | number | null>>) =>
  insert('deliveries', {
    id,
    workspace_id: workspaceId,
    channel_id: channelId ?? null,
    due_at: AGO,
    attempts: 1,
    deaths: 0,
    attempted_at: AGO,
    is_short: 0,
    accepted_at: AGO,
    ...row,
  });

/** A link whose card is posted, a summary that was under way when the process was killed, one that nobody made yet. */
const ROWS = [
  linkNamed('open', { state: 'open', looked_for: 1, card_id: 'card', proof_id: 'press' }),
  deliveryNamed('card', {
    kind: 'card',
    dedupe_key: 'card',
    state: 'posted',
    post_ts: '1.5',
    settled_at: AGO,
  }),
  linkNamed('link-of-killed', { state: 'ended', ended_at: AGO, seconds: 75, looked_for: 0 }),
  endNamed('killed', AGO),
  deliveryNamed('killed0', {
    kind: 'summary',
    dedupe_key: 'summary:killed:',
    session_end_id: 'killed',
    state: 'sending',
    claim: 'of the killed',
  }),
  insert('channels', {
    workspace_id: workspaceId,
    channel_id: channelId ?? null,
    next_at: AGO,
    open_at: 0,
    claim: 'of the killed',
    claimed_until: 0,
  }),
  endNamed('left', null),
  insert('stops', {
    workspace_id: workspaceId,
    visitor_id: visitorId,
    at: AGO,
    user_id: userId,
    reason: 'Lunch',
  }),
  insert('ticket_uses', {
    workspace_id: workspaceId,
    ticket_id: createHash('sha256').update('sealed').digest('base64url'),
    failed_openings: 5,
    sent_until: 0,
    expires_at: 0,
  }),
  insert('subscriptions', {
    workspace_id: workspaceId,
    number: 1,
    channel_id: channelId ?? null,
    set_up_by: userId,
    set_up_at: AGO,
    filter: '{"agents":[],"groups":[],"tags":[]}',
    form: 'full',
    digests: 0,
    paused_reason: 'is_archived',
    paused_since: AGO,
    notice_due: 'paused',
    version: 1,
  }),
];

/** Makes tables as they were, with rows, and brings them up to date. */
async function store(url: string): Promise<void> {
  await makeOlderTables(url, STEPS_BEFORE, ROWS);
  const upgraded = await openDatabase(url, { mayBeOneWay: true });
  await upgraded.close();
}

describe.each(engines)('what an earlier version of the app stored, in $engine', ({ newEmptyUrl }) => {
  it('goes on: nothing is posted twice or lost, and a session’s end takes the place of its card', async () => {
    const url = await newEmptyUrl();
    await store(url);
    const stage = await startStage({
      url,
      find: async ({ to }, id) => ({ found: id === 'killed0' ? ['1.7'] : [], channelId: to }),
    });
    await stage.pass(10_000);
    expect(stage.finds).toEqual([`killed0 in ${channelId ?? ''}`]);
    expect(await stage.summaryOf('session-of-killed')).toMatchObject({ state: 'posted', post_ts: '1.7' });
    expect(await stage.summaryOf('session-of-left')).toMatchObject({ state: 'posted' });
    expect(stage.asked.map((asked) => [sessionIn(asked), asked.replaces])).toEqual([['left', undefined]]);
    await stage.tell('new', { linkId: 'open' });
    await stage.pass(10_000);
    expect(stage.asked[1]).toMatchObject({ replaces: '1.5', to: channelId });
    expect(sessionIn(stage.asked[1] ?? { text: '' })).toBe('new');
  });

  it('is read: links and sessions count as before, and a stop that names no session names nobody', async () => {
    const url = await newEmptyUrl();
    await store(url);
    const database = await openDatabase(url);
    try {
      const links = createWatchLinks(database, now);
      expect(await links.usedPerDay(workspaceId, START - DAY_MS, 1)).toEqual([{ used: 2, notAccepted: 0 }]);
      const ended = { endedAt: AGO, lengthSeconds: 75 };
      expect(await links.resultOf({ ...alexInSupport, linkId: 'link-of-killed' })).toEqual(ended);
      const period = { from: START - DAY_MS, to: START, starts: [START - DAY_MS] };
      expect(await countSessions(database, workspaceId, period)).toMatchObject({
        sessions: 2,
        notAccepted: 0,
        seconds: 150,
      });
      const stops = createStopRecords(database, now);
      expect(await stops.stoppedBy(workspaceId, visitorId, sessionOf('killed'))).toBeUndefined();
      const subscriptions = createSubscriptionRepository(database, (error) => expect.fail(String(error)));
      expect(await subscriptions.withNoticeDue(5)).toMatchObject([{ id: '1', noticeDue: 'paused' }]);
      const used = { workspaceId, ticket: 'sealed', expiresAt: START + MINUTE_MS };
      expect(await createTicketUses(database, now).countFailed(used)).toBe('now-blocked');
    } finally {
      await database.close();
    }
  });
});

import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../../src/database/open.ts';
import { createWatchLinks } from '../../../src/sessions/watch-links.ts';
import { countSessions } from '../../../src/subscriptions/digest-numbers.ts';
import { makeOlderTables } from '../../database/older-tables.ts';
import { alexInSupport, endedSession } from '../../sessions/ended-session.ts';
import { engines } from '../../support/engines.ts';
import { DAY_MS, MINUTE_MS, START, sessionIn, startStage } from '../../outbox/stage.ts';
import { resultOf } from '../../sessions/link-result.ts';

/** What the tables were before sessions were known by their ids in summaries, marks and links. */
const STEPS_BEFORE = 4;

const { workspaceId, userId, channelId = '', visitorId } = alexInSupport;
const AGO = START - 5 * MINUTE_MS;

type Row = Readonly<Record<string, string | number | null>>;

/** A row of Alex's in #support. */
function insert(table: string, row: Row): string {
  const all: Row = { workspace_id: workspaceId, channel_id: channelId, ...row };
  const values = Object.values(all).map((value) =>
    typeof value === 'string' ? `'${value}'` : String(value),
  );
  return `INSERT INTO ${table} (${Object.keys(all).join(', ')}) VALUES (${values.join(', ')})`;
}

const watched = { user_id: userId, visitor_id: visitorId, access: 'full' };

const linkNamed = (id: string, row: Row) =>
  insert('watch_links', { ...watched, id, agent_id: 'agent_alex', issued_at: AGO, ...row });

const endNamed = (id: string, fannedOutAt: number | null) =>
  insert('session_ends', {
    ...watched,
    id,
    session_id: `session-of-${id}`,
    claimant: '',
    link_id: `link-of-${id}`,
    seconds: 75,
    features: '[]',
    received_at: AGO,
    recovered: 0,
    fanned_out_at: fannedOutAt,
    payload: JSON.stringify(endedSession(id)),
  });

const attempted = { due_at: AGO, attempts: 1, deaths: 0, attempted_at: AGO, is_short: 0, accepted_at: AGO };
const deliveryNamed = (id: string, row: Row) => insert('deliveries', { ...attempted, id, ...row });

const ofKind = (kind: string, key: string, state: string) => ({ kind, dedupe_key: key, state });

/** A link whose card is posted, a summary that was under way when the process was killed, one that nobody made yet. */
const ROWS = [
  linkNamed('open', { state: 'open', looked_for: 1, card_id: 'card', proof_id: 'press' }),
  deliveryNamed('card', { ...ofKind('card', 'card', 'posted'), post_ts: '1.5', settled_at: AGO }),
  linkNamed('link-of-killed', { state: 'ended', ended_at: AGO, seconds: 75, looked_for: 0 }),
  endNamed('killed', AGO),
  deliveryNamed('killed0', {
    ...ofKind('summary', 'summary:killed:', 'sending'),
    session_end_id: 'killed',
    claim: 'of the killed',
  }),
  insert('channels', { next_at: AGO, open_at: 0, claim: 'of the killed', claimed_until: 0 }),
  endNamed('left', null),
];

describe.each(engines)('what an earlier version of the app stored, in $engine', ({ newEmptyUrl }) => {
  it('counts as before and goes on: nothing is posted twice or lost, and a session’s end takes the place of its card', async () => {
    const url = await newEmptyUrl();
    await makeOlderTables(url, STEPS_BEFORE, ROWS);
    const database = await openDatabase(url, { mayBeOneWay: true });
    const links = createWatchLinks(database, () => START);
    expect(await links.usedPerDay(workspaceId, [START - DAY_MS, START])).toEqual([
      { used: 2, notAccepted: 0 },
    ]);
    const ended = { endedAt: AGO, lengthSeconds: 75 };
    expect(await resultOf(links, { ...alexInSupport, linkId: 'link-of-killed' })).toEqual(ended);
    const period = { from: START - DAY_MS, to: START, starts: [START - DAY_MS] };
    const counted = { sessions: 2, notAccepted: 0, seconds: 150 };
    expect(await countSessions(database, workspaceId, period)).toMatchObject(counted);
    await database.close();

    const stage = await startStage({
      url,
      find: async ({ to }, id) => ({ found: id === 'killed0' ? ['1.7'] : [], channelId: to }),
    });
    await stage.pass(10_000);
    expect(stage.finds).toEqual([`killed0 in ${channelId}`]);
    expect(await stage.summaryOf('session-of-killed')).toMatchObject({ state: 'posted', post_ts: '1.7' });
    expect(await stage.summaryOf('session-of-left')).toMatchObject({ state: 'posted' });
    expect(stage.asked.map((asked) => [sessionIn(asked), asked.replaces])).toEqual([['left', undefined]]);
    await stage.tell('new', { linkId: 'open' });
    await stage.pass(10_000);
    expect(stage.asked[1]).toMatchObject({ replaces: '1.5', to: channelId });
    expect(sessionIn(stage.asked[1] ?? { text: '' })).toBe('new');
  });
});

import { describe, expect, it } from 'vitest';
import { SessionSchema, VisitorSchema, wasAccepted } from '../../src/cobrowse/schemas.ts';
import { visitorNames } from '../../src/cobrowse/wire-names.ts';

const isValid = (sent: unknown) => VisitorSchema.safeParse(sent).success;

describe('a visitor in an answer', () => {
  it('needs a usable id and nothing else', () => {
    expect([{}, null, 'a'].filter(isValid)).toEqual([]);
    // It has to fit a button and an address in every script: those signs are six characters each in JSON.
    const tooLong = ['a'.repeat(256), `a${'\u0001'.repeat(254)}`];
    expect([' ', 1.5, ['a'], ...tooLong].filter((short_id) => isValid({ short_id }))).toEqual([]);
    const good = ['a', 42, '店'.repeat(255)];
    expect(good.filter((short_id) => isValid({ short_id }))).toEqual(good);
  });

  it('loses a field of another type and keeps the rest', () => {
    const sent = {
      short_id: 42,
      lookup_code: 1234,
      mood: { level: 3 },
      email: { address: 'x' },
      is_online: 'yes',
      last_seen_at: 'Jan 1, 2030',
      last_url: null,
      tags: ['vip', 7, null, 'new'],
      identities: 'Jane',
      sessions: [{ id: 's1' }, { length_seconds: 3 }, null],
      location_city: 'Denver',
    };
    const visitor = VisitorSchema.parse(sent);
    expect(visitor).toMatchObject({
      short_id: '42',
      lookup_code: '1234',
      mood: { level: 3 },
      tags: ['vip', 'new'],
      identities: [],
      location_city: 'Denver',
    });
    expect(visitor.sessions.map((session) => session.id)).toEqual(['s1']);
    const lost = [visitor.email, visitor.is_online, visitor.last_seen_at, visitor.last_url];
    expect(lost).toEqual([undefined, undefined, undefined, undefined]);
  });

  it('has a wire name for every field but the documented id, so that its name can be overridden', () => {
    const fields = Object.keys(VisitorSchema.shape).filter((field) => field !== 'short_id');
    expect([...visitorNames.values()], 'VISITOR_FIELDS in src/cobrowse/wire-names.ts').toEqual(fields);
  });
});

describe('a session in an answer', () => {
  const echoed = 'https://cobrowse.example/webhooks/session-end/sealed';
  /** With what its link was requested with, wherever the service may repeat it. */
  const session = SessionSchema.parse({
    id: 815,
    agents: [{ id: 7, name: 'Alex', external_id: 99, watch_url: echoed }, { name: 'nobody' }],
    ended_at: '2030-01-01T01:30:00+01:30',
    features_used: null,
    team: { id: 5, watch_url: echoed },
    visitor_id: 12,
    metadata: { slack_link: 'g1', webhook_url: echoed },
    webhook_url: echoed,
  });

  it('has text for ids and lists for null, and reads the same after it was stored as JSON', () => {
    expect(session).toMatchObject({
      id: '815',
      agents: [{ id: '7', name: 'Alex' }],
      features_used: [],
      visitor_id: '12',
      ended_at: '2030-01-01T01:30:00+01:30',
    });
    expect(SessionSchema.parse(JSON.parse(JSON.stringify(session)))).toEqual(session);
  });

  it('keeps only the link of what the link was requested with, and no unknown fields', () => {
    expect(session.metadata).toEqual({ slack_link: 'g1' });
    expect(JSON.stringify(session)).not.toContain('sealed');
  });

  it.each([-1, Number.MAX_SAFE_INTEGER])('drops an impossible length: %d', (seconds) => {
    expect(SessionSchema.parse({ id: 'a', length_seconds: seconds }).length_seconds).toBeUndefined();
  });
});

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

describe('a list in an answer', () => {
  it('of a visitor’s pageviews or sessions keeps both ends, since either may be the newest', () => {
    const sent = {
      short_id: 'a',
      history: numbers(100_000),
      sessions: numbers(100_000).map((id) => ({ id })),
    };
    const { history, sessions } = VisitorSchema.parse(sent);
    const kept = [...numbers(500), ...numbers(500).map((index) => 99_500 + index)];
    expect(history).toEqual(kept);
    expect(sessions.map(({ id }) => Number(id))).toEqual(kept);
  });
});

describe('whether the customer accepted', () => {
  it.each([
    [{ session_authorized: true, went_live: false }, true],
    [{ session_authorized: false, went_live: true }, true],
    [{ session_authorized: false, went_live: false }, false],
    [{ session_authorized: false }, false],
    [{ went_live: true }, true],
    [{ went_live: false }, false],
    [{}, undefined],
    [{ session_authorized: 'yes', went_live: null }, undefined],
  ])('is, with %j, %j', (sent, accepted) => {
    expect(wasAccepted(SessionSchema.parse({ id: 's1', ...sent }))).toBe(accepted);
  });
});

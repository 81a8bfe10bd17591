import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  AgentSchema,
  SessionSchema,
  UsageSchema,
  VisitorSchema,
  createSessionSchema,
  wasAccepted,
} from '../../src/cobrowse/schemas.ts';
import { visitorNames, wireNameTable } from '../../src/cobrowse/wire-names.ts';

describe('what is nullable in the document, which gives no type', () => {
  it.each(['text', 7, true, { a: ['b'] }, ['c']])('is kept as it comes: %j', (value) => {
    const session = { id: 's', call_name: value, video_status: value };
    expect(SessionSchema.parse(session)).toMatchObject(session);
    expect(VisitorSchema.parse({ short_id: 'v', call_name: value }).call_name).toEqual(value);
    expect(AgentSchema.parse({ id: 'a', timezone: value }).timezone).toEqual(value);
  });

  it('is left out where it is null', () => {
    const { call_name, video_status } = SessionSchema.parse({ id: 's', call_name: null, video_status: null });
    expect([call_name, video_status]).toEqual([undefined, undefined]);
  });
});

describe('a session that carries its link elsewhere', () => {
  it('is read by the first of the paths that has it', () => {
    const schema = createSessionSchema('metadata.slack_link', 'custom.link');
    const linkOf = (fields: object) => schema.parse({ id: 's', ...fields }).metadata?.slack_link;
    expect(linkOf({ metadata: { slack_link: 'g1' } })).toBe('g1');
    expect(linkOf({ metadata: null, custom: { link: 'g2' } })).toBe('g2');
    expect(linkOf({ custom: { link: 7 } })).toBeUndefined();
    expect(createSessionSchema('').parse({ id: 's', metadata: { slack_link: 'g1' } }).metadata).toEqual({});
  });
});

describe('a visitor in an answer', () => {
  it('needs an id and nothing else', () => {
    const visitor = VisitorSchema.parse({ short_id: 'a' });
    expect(visitor).toMatchObject({ short_id: 'a', identities: [], tags: [], sessions: [], history: [] });
    expect(visitor.email).toBeUndefined();
  });

  it.each([
    {},
    { short_id: '' },
    { short_id: ' ' },
    { short_id: null },
    { short_id: 1.5 },
    { short_id: ['a'] },
    null,
    'a',
    [],
  ])('is invalid without a usable id: %j', (sent) => {
    expect(VisitorSchema.safeParse(sent).success).toBe(false);
  });

  it.each([
    ['a'.repeat(255), true],
    ['店'.repeat(255), true],
    ['a'.repeat(256), false],
    // Six characters each in JSON: too long for a button or an address.
    [`a${'\u0001'.repeat(254)}`, false],
  ])('has an id that fits a button and an address in every script', (short_id, isFitting) => {
    expect(VisitorSchema.safeParse({ short_id }).success).toBe(isFitting);
  });

  it('can have a number for an id or a code', () => {
    expect(VisitorSchema.parse({ short_id: 42, lookup_code: 1234 })).toMatchObject({
      short_id: '42',
      lookup_code: '1234',
    });
  });

  it('loses a field of another type and keeps the rest', () => {
    const sent = {
      short_id: 'a',
      email: { address: 'x' },
      is_online: 'yes',
      last_seen_at: 'yesterday',
      last_url: null,
      tags: ['vip', 7, null, 'new'],
      identities: 'Jane',
      sessions: [{ id: 's1' }, { length_seconds: 3 }, null],
      location_city: 'Denver',
    };
    const visitor = VisitorSchema.parse(sent);
    expect(visitor).toMatchObject({ tags: ['vip', 'new'], identities: [], location_city: 'Denver' });
    expect(visitor.sessions.map((session) => session.id)).toEqual(['s1']);
    const lost = [visitor.email, visitor.is_online, visitor.last_seen_at, visitor.last_url];
    expect(lost).toEqual([undefined, undefined, undefined, undefined]);
  });

  it('keeps unknown fields', () => {
    expect(VisitorSchema.parse({ short_id: 'a', mood: { level: 3 } })).toMatchObject({ mood: { level: 3 } });
  });

  it('has a wire name for every field but the documented id, so that its name can be overridden', () => {
    const renamable = Object.keys(visitorNames).map((key) => wireNameTable[key]?.default);
    const fields = Object.keys(VisitorSchema.shape).filter((field) => field !== 'short_id');
    expect(new Set(renamable), 'visitorNames in src/cobrowse/wire-names.ts').toEqual(new Set(fields));
  });

  it('is accepted whatever its other fields hold', () => {
    const fields = fc.dictionary(
      fc.constantFrom(...Object.keys(VisitorSchema.shape), 'other'),
      fc.jsonValue(),
    );
    fc.assert(
      fc.property(fields, (sent) => {
        expect(VisitorSchema.parse({ ...sent, short_id: 'a' }).short_id).toBe('a');
      }),
    );
  });
});

describe('a session in an answer', () => {
  const sent = {
    id: 815,
    agents: [{ id: 7, name: 'Alex', external_id: 99, _type: 'external_agent' }, { name: 'nobody' }],
    ended_at: '2030-01-01T01:30:00+01:30',
    started_at: '2030-01-01T00:00:00.250Z',
    features_used: null,
    length_seconds: 61,
    quality_feedback: [{ anything: 1 }],
    team: { id: 5, domain: 'acme' },
    video_url: null,
    visitor_id: 12,
    went_live: true,
    metadata: { link: 'g1' },
  };

  it('has text for ids and lists for null', () => {
    expect(SessionSchema.parse(sent)).toMatchObject({
      id: '815',
      agents: [{ id: '7', name: 'Alex', external_id: '99' }],
      features_used: [],
      visitor_id: '12',
      team: { id: '5' },
      ended_at: '2030-01-01T01:30:00+01:30',
    });
  });

  it('keeps only the link of what the link was requested with, and no unknown fields', () => {
    const echoed = 'https://cobrowse.example/webhooks/session-end/sealed';
    const session = SessionSchema.parse({
      ...sent,
      webhook_url: echoed,
      metadata: { slack_link: 'g1', webhook_url: echoed },
      agents: [{ id: 7, watch_url: echoed }],
      team: { id: 5, watch_url: echoed },
    });
    expect(session.metadata).toEqual({ slack_link: 'g1' });
    expect(JSON.stringify(session)).not.toContain('sealed');
  });

  it.each([-1, 1e308, Number.MAX_SAFE_INTEGER])('drops an impossible length: %d', (seconds) => {
    expect(SessionSchema.parse({ id: 'a', length_seconds: seconds }).length_seconds).toBeUndefined();
  });

  it('reads the same after it was stored as JSON', () => {
    const once = SessionSchema.parse(sent);
    expect(SessionSchema.parse(JSON.parse(JSON.stringify(once)))).toEqual(once);
  });

  it('has no end while it runs, whether null or missing', () => {
    expect(SessionSchema.parse({ id: 'a', ended_at: null }).ended_at).toBeUndefined();
    expect(SessionSchema.parse({ id: 'a' }).ended_at).toBeUndefined();
  });

  it.each([{ id: '' }, { id: null }, {}, { id: {} }, 'a', null])(
    'is invalid without an id: %j',
    (nonsense) => {
      expect(SessionSchema.safeParse(nonsense).success).toBe(false);
    },
  );
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
    expect(VisitorSchema.parse({ short_id: 'a', history: numbers(1_000) }).history).toEqual(numbers(1_000));
  });

  it('of agents or feedback is cut', () => {
    const agents = numbers(1_000).map((id) => ({ id }));
    const session = SessionSchema.parse({ id: 'a', agents, quality_feedback: numbers(1_000) });
    expect(session.agents).toHaveLength(20);
    expect(session.quality_feedback).toEqual(numbers(50));
  });
});

describe('an agent in an answer', () => {
  it('has a list of sessions, even where null was sent', () => {
    expect(AgentSchema.parse({ id: 3, sessions: null, phone_number: 123, timezone: null })).toMatchObject({
      id: '3',
      sessions: [],
      phone_number: '123',
      timezone: undefined,
    });
  });
});

describe('the usage in an answer', () => {
  it('can lack any number and any group', () => {
    expect(UsageSchema.parse({ agents: { today: 2, last_30_days: 'many' }, visitors: null })).toEqual({
      agents: { today: 2, last_30_days: undefined },
      session_counts: { last_30_days: undefined, now: undefined, today: undefined },
      session_seconds: { last_30_days: undefined, today: undefined },
      visitors: { last_24_hrs: undefined, online_now: undefined },
    });
  });
});

const NOTHING: unknown = undefined;

describe('whether the customer accepted', () => {
  it.each([
    [true, true, true],
    [true, false, true],
    [false, true, true],
    [false, false, false],
    [true, NOTHING, true],
    [NOTHING, true, true],
    [false, NOTHING, false],
    [NOTHING, false, false],
    [NOTHING, NOTHING, undefined],
    [null, null, undefined],
    ['yes', 1, undefined],
    ['no', false, false],
    [{ at: 'noon' }, true, true],
  ])('is, with session_authorized %j and went_live %j, %j', (session_authorized, went_live, accepted) => {
    expect(wasAccepted(SessionSchema.parse({ id: 's1', session_authorized, went_live }))).toBe(accepted);
  });
});

import fc from 'fast-check';
import {
  AgentSchema,
  SessionSchema,
  UsageSchema,
  VisitorSchema,
  type Agent,
  type Session,
  type Usage,
  type Visitor,
} from '../../src/cobrowse/schemas.ts';
import { anyCharacter, longAddress } from '../support/any-text.ts';

/*
 * Everything the service could send, hostile and broken, read by the real schemas. Fields that a view shows are drawn
 * with care; the schemas decide what of it gets through.
 */

/** What has broken chat apps before. */
const hostileText = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '\n',
    '<!channel>',
    '<!here|here>',
    '<@U0SAM000002>',
    '*x* _y_ ~z~ `c` ```p```',
    '<https://evil.example|click>',
    '[click](https://evil.example)',
    '&lt;!channel&gt;',
    '&amp;',
    ':tada:',
    '> quote',
    '\u202Ecod.exe',
    '\u200B',
    '\uFEFF\u2060',
    '\u0000\u0007\u001B[31m',
    '\uD800',
    '\uDC00\uD800',
    '👩‍👩‍👧‍👦'.repeat(40),
    'e' + '\u0301'.repeat(500),
    'x'.repeat(10_000),
    '&'.repeat(5_000),
    '<'.repeat(5_000),
    '__proto__',
  ),
  fc.string({ unit: anyCharacter, maxLength: 400 }),
  fc.string({ unit: 'grapheme', maxLength: 300 }),
);

const text = fc.oneof(hostileText, fc.constantFrom(null, undefined, 5, true, {}, []));
const flag = fc.constantFrom(true, false, null, undefined, 'yes');
const time = fc.oneof(
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  fc.constantFrom(
    '2026-01-02T03:04:05+09:30',
    '9999-12-31T23:59:59Z',
    '0000-01-01',
    'soon',
    '',
    null,
    undefined,
    1e12,
  ),
);
const address = fc.oneof(
  longAddress,
  fc.constantFrom(
    'https://shop.example/a?token=SECRET#SECRET',
    'https://user:SECRET@shop.example/',
    'https://shop.example/%E2%80%AE%00%0A?SECRET',
    'https://shop.example/%',
    `https://shop.example/${'long/'.repeat(3_000)}`,
    'javascript:alert("SECRET")',
    'data:text/html,SECRET',
    '  https://shop.example/a b?SECRET ',
    'https://',
    '//SECRET',
    'shop.example/?SECRET',
  ),
  text,
);
const amount = fc.oneof(fc.double(), fc.integer(), fc.constantFrom(null, undefined, '5', 1e308, 0));
const texts = fc.oneof(fc.array(text, { maxLength: 30 }), fc.constantFrom(null, undefined, 'x'));
const id = fc.oneof(fc.stringMatching(/^[a-z0-9]{1,17}$/), hostileText, fc.integer());

const record = (model: Readonly<Record<string, fc.Arbitrary<unknown>>>) =>
  fc.record(model, { requiredKeys: [] });

/** Only what a schema accepts: the rest never reaches a view. */
function read<Value>(
  sent: fc.Arbitrary<unknown>,
  schema: { safeParse(value: unknown): { success: true; data: Value } | { success: false } },
): fc.Arbitrary<Value> {
  return sent
    .chain((value) => {
      const parsed = schema.safeParse(value);
      return parsed.success ? fc.constant(parsed.data) : fc.constant(undefined);
    })
    .filter((value): value is Value => value !== undefined);
}

const feedback = fc.oneof(
  text,
  fc.double(),
  record({ rating: fc.oneof(fc.integer(), text), comment: text, stars: text, feedback: text }),
);

const sentSession = record({
  agents: fc.array(record({ id, name: text, agent_nickname: text, email: text }), { maxLength: 12 }),
  ended_at: time,
  features_used: texts,
  formatted_length: text,
  length_seconds: amount,
  on_premise: flag,
  public_video_url: address,
  quality_feedback: fc.oneof(fc.array(feedback, { maxLength: 12 }), fc.constantFrom(null, 'x')),
  started_at: time,
  video_url: address,
  visitor_id: fc.oneof(id, text),
});

const withId = (sent: fc.Arbitrary<object>, key: string) =>
  fc.tuple(sent, id).map(([fields, value]) => ({ ...fields, [key]: value }));

const anything = fc.oneof({ weight: 4, arbitrary: text }, time, flag, amount, texts);

/** What the service may send for each field of a visitor: anything, unless a view reads it closely. */
const visitorFields = {
  ...Object.fromEntries(Object.keys(VisitorSchema.shape).map((name) => [name, anything])),
  added_at: time,
  history: fc.oneof(
    fc.array(fc.oneof(address, record({ url: address, page_url: address, at: time, timestamp: amount }))),
    text,
  ),
  identities: texts,
  integration: fc.oneof(text, record({ name: text, id: amount, more: fc.jsonValue() })),
  is_in_session: flag,
  is_online: flag,
  is_supported: flag,
  is_waiting_for_call: flag,
  last_seen_at: time,
  last_url: address,
  sessions: fc.array(withId(sentSession, 'id'), { maxLength: 5 }),
  tags: texts,
};

export const visitors: fc.Arbitrary<Visitor> = read(withId(record(visitorFields), 'short_id'), VisitorSchema);
export const sessions: fc.Arbitrary<Session> = read(withId(sentSession, 'id'), SessionSchema);
export const agents: fc.Arbitrary<Agent> = read(
  withId(
    record({
      agent_nickname: text,
      email: text,
      name: text,
      last_request_at: time,
      sessions: fc.array(withId(sentSession, 'id'), { maxLength: 8 }),
    }),
    'id',
  ),
  AgentSchema,
);
const period = record({
  last_30_days: amount,
  today: amount,
  now: amount,
  last_24_hrs: amount,
  online_now: amount,
});
export const usages: fc.Arbitrary<Usage> = read(
  record({ agents: period, session_counts: period, session_seconds: period, visitors: period }),
  UsageSchema,
);
export const foreignText: fc.Arbitrary<string> = hostileText;

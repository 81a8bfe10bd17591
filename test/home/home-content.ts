import fc from 'fast-check';
import { CobrowseError, type CobrowseErrorKind } from '../../src/cobrowse/errors.ts';
import { AgentSchema, UsageSchema, VisitorSchema } from '../../src/cobrowse/schemas.ts';
import { homeView, type Section, type HomeContent, type HomeTab } from '../../src/home/home-message.ts';
import type { DayEntry, Identity } from '../../src/home/my-day.ts';
import { cobrowseFailureWords } from '../../src/messages/failure-words.ts';
import type { VisitorTools } from '../../src/messages/visitor-pieces.ts';
import { ACCESS_LEVELS, type Access } from '../../src/permissions/permissions.ts';
import { agents, foreignText, sessions, usages, visitors } from '../messages/arbitrary.ts';
import { buttonsIn, readable } from '../support/person.ts';
import { problemsIn } from '../support/shown.ts';

/** Buttons whose addresses are as long as the app's own. */
export const tools: VisitorTools = {
  canStop: true,
  at: new Date('2026-03-04T10:00:00Z'),
  targetsOf(visitorId) {
    const target = (access: Access) => ({
      value: JSON.stringify({ visitorId, access }),
      url: `https://cobrowse.example.com/watch/${'t'.repeat(600)}`,
    });
    return {
      usual: target('full'),
      choices: ACCESS_LEVELS.map((access) => ({ access, target: target(access) })),
    };
  },
};

const date = fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) });

/** As a failure arrives: its code has been cleaned. */
function failed(kind: CobrowseErrorKind, code: string) {
  const error = new CobrowseError(kind, 'failed', { code });
  return { failed: cobrowseFailureWords(error) };
}

function had<T>(value: fc.Arbitrary<T>): fc.Arbitrary<Section<T>> {
  const kind = fc.constantFrom<CobrowseErrorKind>('unreachable', 'refused-key', 'busy', 'not-understood');
  return fc.oneof(
    { weight: 4, arbitrary: value.map((one) => ({ had: one })) },
    { weight: 1, arbitrary: fc.tuple(kind, foreignText).map(([one, code]) => failed(one, code)) },
  );
}

const identities: fc.Arbitrary<Identity> = fc.oneof(
  fc.record({ is: fc.constant('agent'), agent: agents, email: foreignText }),
  fc.record({ is: fc.constant('unknown'), email: foreignText, slackName: foreignText }),
  fc.record({ is: fc.constant('without-email'), slackName: foreignText }),
  fc.record({ is: fc.constant('not-asked'), slackName: foreignText }),
  fc.constant({ is: 'no-profile' }),
);

const times = fc.nat(4e12);
const results = fc.oneof(
  fc.constant(undefined),
  fc.record({ concluded: fc.constantFrom<('unused' | 'unknown')[]>('unused', 'unknown'), at: times }),
  fc.record(
    { endedAt: times, lengthSeconds: fc.oneof(fc.double(), fc.nat()), accepted: fc.boolean() },
    { requiredKeys: ['endedAt'] },
  ),
);
const entries: fc.Arbitrary<DayEntry> = fc.oneof(
  fc.record({ visitor: foreignText, at: date, session: sessions }),
  fc.record({ visitor: foreignText, at: date, result: results }),
);

const days = fc.record({
  name: fc.integer({ min: 1, max: 30 }).map((day) => `Nov ${day}`),
  sessions: fc.nat(),
  notAccepted: fc.nat(),
});

const id = (first: string) => fc.stringMatching(/^[A-Z0-9]{2,20}$/).map((rest) => `${first}${rest}`);

/** Any rule, ids of all kinds. */
export const rules = fc.record({
  members: fc.boolean(),
  ids: fc.array(fc.oneof(id('U'), id('W'), id('S'), id('C'), id('G')), { maxLength: 80 }),
});

export const workspaceSettings = fc.record({
  maxAccess: fc.constantFrom(...ACCESS_LEVELS),
  defaultAccess: fc.constantFrom(...ACCESS_LEVELS),
  ticketPrefixes: fc.array(fc.string(), { maxLength: 20 }),
  recordLinks: fc.array(fc.string(), { maxLength: 5 }),
  namesInFiles: fc.boolean(),
  channelAccess: fc.dictionary(id('C'), fc.constantFrom(...ACCESS_LEVELS), { maxKeys: 60 }),
  rules: fc.record({ watch: rules, stop: rules, delete: rules, usage: rules }),
});

/** Everything a Home may have to show. */
export const homeContents: fc.Arbitrary<HomeContent> = fc.record(
  {
    at: date,
    you: had(identities),
    online: had(
      fc.record({
        busy: fc.array(visitors, { maxLength: 5 }),
        others: fc.array(visitors, { maxLength: 5 }),
        hasMore: fc.boolean(),
        tools: fc.constant(tools),
      }),
    ),
    day: had(
      fc.record({
        latest: fc.array(entries, { maxLength: 8 }),
        earlier: fc.nat(30),
        hasSessions: fc.boolean(),
        reportsEnds: fc.boolean(),
      }),
    ),
    started: had(
      fc.record({
        days: fc.uniqueArray(days, { minLength: 1, maxLength: 14, selector: ({ name }) => name }),
      }),
    ),
    usage: had(usages),
    settings: workspaceSettings,
  },
  { requiredKeys: ['at', 'you', 'online', 'day'] },
);

export const problemsOf = (view: HomeTab) => problemsIn({ surface: 'home', payload: view });
export const words = ({ blocks }: HomeTab) => readable(blocks);
export const labels = ({ blocks }: HomeTab) => buttonsIn(blocks).map(({ text }) => text.text);
export const headings = ({ blocks }: HomeTab) =>
  blocks.flatMap((block) => (block.type === 'header' ? [block.text.text] : []));

export const jane = VisitorSchema.parse({ short_id: 'jane', identities: ['Jane Cooper'], is_online: true });
export const ana = AgentSchema.parse({ id: 'a1', name: 'Ana Lima', email: 'ana@acme.com' });
export const usage = UsageSchema.parse({ session_counts: { now: 2, today: 4, last_30_days: 60 } });

/** Fourteen days, the last with so many sessions and the others with one each or none. */
export const fortnight = (today: number) =>
  Array.from({ length: 14 }, (_nothing, index) => ({
    name: `Mar ${index + 1}`,
    sessions: index === 13 ? today : Math.min(today, 1),
    notAccepted: 0,
  }));

/** Nothing is there yet, and nothing failed. */
const empty: HomeContent = {
  at: new Date('2026-03-04T10:00:00Z'),
  you: { had: { is: 'without-email', slackName: 'Ana' } },
  online: { had: { busy: [], others: [], hasMore: false, tools } },
  day: { had: { latest: [], earlier: 0, hasSessions: true, reportsEnds: true } },
  started: { had: { days: fortnight(0) } },
  usage: { had: UsageSchema.parse({}) },
};
export const full = (changes: Partial<HomeContent>): HomeTab => homeView({ ...empty, ...changes });

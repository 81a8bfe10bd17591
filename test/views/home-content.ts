import fc from 'fast-check';
import { CobrowseError } from '../../src/cobrowse/errors.ts';
import type { CobrowseErrorKind } from '../../src/cobrowse/errors.ts';
import { POWERS } from '../../src/grants/power.ts';
import type { Power } from '../../src/grants/power.ts';
import { cobrowseFailureWords } from '../../src/views/failure-words.ts';
import type { Had, HomeContent } from '../../src/views/home.ts';
import type { GivenLink } from '../../src/views/home-work.ts';
import type { Identity } from '../../src/views/home-you.ts';
import type { VisitorTools } from '../../src/views/visitor-buttons.ts';
import { agents, foreignText, sessions, usages, visitors } from './arbitrary.ts';

/** Buttons whose addresses are as long as the app's own. */
export const tools: VisitorTools = {
  canStop: true,
  targetsOf(visitorId) {
    const target = (power: Power) => ({
      value: JSON.stringify({ visitorId, power }),
      url: `https://cobrowse.example.com/watch/${'t'.repeat(600)}`,
    });
    return { usual: target('full'), choices: POWERS.map((power) => ({ power, target: target(power) })) };
  },
};

const date = fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) });

/** As a failure arrives: its code has been cleaned. */
function failed(kind: CobrowseErrorKind, code: string) {
  const error = new CobrowseError(kind, 'failed', { code });
  return { failed: cobrowseFailureWords(error.kind, error.code) };
}

function had<T>(value: fc.Arbitrary<T>): fc.Arbitrary<Had<T>> {
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

const links: fc.Arbitrary<GivenLink> = fc.record(
  {
    visitor: foreignText,
    power: fc.constantFrom(...POWERS),
    at: date,
    concluded: fc.constantFrom('unused', 'unknown'),
    end: fc.record({ at: date, lengthSeconds: fc.oneof(fc.double(), fc.nat()) }, { requiredKeys: ['at'] }),
  },
  { requiredKeys: ['visitor', 'power', 'at'] },
);

const id = (first: string) => fc.stringMatching(/^[A-Z0-9]{2,20}$/).map((rest) => `${first}${rest}`);

/** Any rule, ids of all kinds. */
export const rules = fc.record({
  members: fc.boolean(),
  ids: fc.array(fc.oneof(id('U'), id('W'), id('S'), id('C'), id('G')), { maxLength: 80 }),
});

export const workspaceSettings = fc.record({
  mostPower: fc.constantFrom(...POWERS),
  usualPower: fc.constantFrom(...POWERS),
  channelPower: fc.dictionary(id('C'), fc.constantFrom(...POWERS), { maxKeys: 60 }),
  rules: fc.record({ watch: rules, stop: rules, delete: rules, usage: rules }),
});

const picture = fc.option(
  fc.record({
    url: fc.constant(`https://cobrowse.example.com/charts/${'t'.repeat(200)}`),
    altText: fc.string({ minLength: 1, maxLength: 3_000 }).map((text) => `Bar chart. ${text}`),
  }),
  { nil: undefined },
);

/** Everything a Home may have to show. */
export const homeContents: fc.Arbitrary<HomeContent> = fc.record(
  {
    at: date,
    you: had(identities),
    online: had(
      fc.record({
        visitors: fc.array(visitors, { maxLength: 10 }),
        hasMore: fc.boolean(),
        tools: fc.constant(tools),
      }),
    ),
    sessions: had(
      fc
        .record({ latest: fc.array(sessions, { maxLength: 5 }), more: fc.nat(3) })
        .map(({ latest, more }) => ({ latest, total: latest.length === 0 ? 0 : latest.length + more })),
    ),
    links: had(fc.record({ latest: fc.array(links, { maxLength: 5 }), tellsEnds: fc.boolean() })),
    usage: had(fc.record({ usage: usages, picture })),
    settings: workspaceSettings,
  },
  { requiredKeys: ['at', 'you', 'online', 'links'] },
);

import { expect, it } from 'vitest';
import type { Rule, Verdict } from '../../src/permissions/acts.ts';
import { createAuthorizer } from '../../src/watch/authorize.ts';
import type { OrderFacts } from '../../src/watch/order-facts.ts';
import { order } from './app-between.ts';
import { FACTS } from './facts.ts';

const nobody: Rule = { members: false, ids: [] };
const changed: OrderFacts = { ...FACTS, rule: nobody, maxAccess: 'view' };
const judgedBy = async ({ members }: Rule): Promise<Verdict> =>
  members ? { allowed: true } : { allowed: false, why: 'not-named' };

/** The tables change while Slack is asked for the first time, which takes this long. */
function judging(tookMs: number, after: OrderFacts) {
  const clock = { time: 0 };
  const read = [FACTS, after];
  const authorize = createAuthorizer({
    readFacts: async () => read.shift() ?? after,
    async checkRule(rule) {
      clock.time += tookMs;
      return judgedBy(rule);
    },
    audit: { record: async () => undefined },
    elapsed: () => clock.time,
    report: () => undefined,
  });
  return authorize.watch(order);
}

it.each([
  ['in time', 1_999, changed, { refused: undefined, facts: FACTS }],
  ['after two seconds: the rule', 2_000, changed, { refused: 'not-named', facts: changed }],
  [
    'after two seconds: the access',
    2_000,
    { ...FACTS, maxAccess: 'view' } as const,
    { refused: undefined, facts: { ...FACTS, maxAccess: 'view' } },
  ],
])('goes by what the tables say, where Slack answers %s', async (_, tookMs, after, judged) => {
  expect(await judging(tookMs, after)).toEqual(judged);
});

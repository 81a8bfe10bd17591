import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ACTS } from '../../src/permissions/acts.ts';
import { ruleSaved, ruleTitle } from '../../src/admin/rule-list.ts';
import { ruleForm } from '../../src/admin/rule-form.ts';
import { formModal, messageModal } from '../../src/messages/modal.ts';
import { problemsIn } from '../support/shown.ts';
import { foreignText } from '../messages/arbitrary.ts';
import { rules } from '../home/home-content.ts';

/** What Slack lists, or that it does not. */
const groups = fc.option(
  fc.uniqueArray(
    fc.record({ id: fc.stringMatching(/^S[A-Z0-9]{8}$/), name: foreignText, handle: foreignText }),
    {
      selector: ({ id }) => id,
      maxLength: 250,
    },
  ),
  { nil: undefined },
);

describe('the form of who may do something', () => {
  it('is sound with any rule, and so is what is said after it', () => {
    fc.assert(
      fc.property(rules, fc.constantFrom(...ACTS), groups, (rule, act, listed) => {
        const frame = { title: ruleTitle(act), context: '{}' };
        const shown = [
          formModal(frame, 'home_rule_form', ruleForm(rule, listed)),
          messageModal(frame, ruleSaved(act, rule)),
        ];
        expect(shown.flatMap((payload) => problemsIn({ surface: 'modal', payload }))).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });

  it('has a title that is not cut', () => {
    for (const act of ACTS) expect(ruleTitle(act).length).toBeLessThanOrEqual(24);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRuleForm, ruleFields, ruleSaved } from '../../src/admin/setting-forms.ts';
import { RULE_TITLES } from '../../src/admin/settings-list.ts';
import { formModal, messageModal } from '../../src/messages/modal.ts';
import { ACTS } from '../../src/permissions/permissions.ts';
import { rules as anyRule } from '../home/home-content.ts';
import { foreignText } from '../messages/arbitrary.ts';
import { keepSettings } from '../support/settings-values.ts';
import { problemsIn } from '../support/shown.ts';
import { ada, openSettings, wordsOf, wrongIn } from './settings-stage.ts';

/** What Slack lists, or that it does not. */
const anyGroups = fc.option(
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
      fc.property(anyRule, fc.constantFrom(...ACTS), anyGroups, (rule, act, listed) => {
        const frame = { title: RULE_TITLES[act], context: '{}' };
        const shown = [
          formModal(frame, 'home_rule_form', { submit: 'Save', blocks: ruleFields(rule, listed) }),
          messageModal(frame, ruleSaved(act, rule)),
        ];
        expect(shown.flatMap((payload) => problemsIn({ surface: 'modal', payload }))).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });
});

const members = { members: true, ids: [] };

const LEADS = [
  { id: 'S0LEADS', name: 'Support leads', handle: 'support-leads' },
  { id: 'S0MORE', name: 'More', handle: 'more' },
];

async function stage(
  start: object = {},
  groups: { readonly listed: typeof LEADS | undefined } = { listed: LEADS },
) {
  const opened = await openSettings(start);
  const groupsOf = async () => groups.listed;
  return { ...opened, rules: createRuleForm(opened.settings, groupsOf) };
}

/** A form as it is filled in for members alone, but for the changes. */
const filled = (changes: Readonly<Record<string, readonly string[]>> = {}) => ({
  who: ['members'],
  users: [],
  groups: [],
  channels: [],
  ...changes,
});

describe('the form of who may do something, opened', () => {
  it.each([
    [
      'who may now',
      ['U0SAM', 'S0LEADS', 'C0SALES'],
      LEADS,
      [
        /"initial_users":\["U0SAM"\]/,
        /"text":"@support-leads \(Support leads\)"/,
        /"initial_options":\[\{[^}]+\},"value":"S0LEADS"\}\]/,
        /"initial_conversations":\["C0SALES"\]/,
        /"initial_option":\{[^}]+\},"value":"admins"\}/,
      ],
    ],
    [
      'a group that Slack does not list any more, to be taken out',
      ['S0GONE'],
      LEADS,
      [/"initial_options":\[\{"text":\{[^}]+"text":"S0GONE \(not found\)"[^}]+\},"value":"S0GONE"\}\]/],
    ],
    ['the ids of groups where Slack lists none', ['S0LEADS'], undefined, [/"initial_value":"S0LEADS"/]],
    [
      'the ids of groups where there are more than a menu takes',
      ['S0LEADS'],
      Array.from({ length: 101 }, (_nothing, index) => ({
        id: `S0${index}`,
        name: 'Leads',
        handle: 'leads',
      })),
      [/"initial_value":"S0LEADS"/],
    ],
  ])('has %s', async (_what, ids, listed, expected) => {
    const { rules } = await stage({ rules: { stop: { members: false, ids } } }, { listed });
    const answer = await rules.open(ada, 'stop');
    expect(answer).toMatchObject({ title: 'Who can stop sessions' });
    for (const part of expected) expect(JSON.stringify(answer)).toMatch(part);
  });

  it('asks for no groups where the workspace has none', async () => {
    const { rules } = await stage({}, { listed: [] });
    expect(JSON.stringify(await rules.open(ada, 'stop'))).not.toContain('groups');
  });
});

describe('saving who may do something', () => {
  it('keeps people, groups and channels, and records who changed what, in ids', async () => {
    const { rules, recorded, stored } = await stage({ maxAccess: 'view' });
    const form = filled({
      who: ['admins'],
      users: ['U0SAM', 'U0KIM'],
      groups: [' s0leads0001,S0MORE;S0MORE '],
      channels: ['C0SALES'],
    });
    const answer = await rules.save(ada, form, 'watch');
    expect(answer).toHaveProperty('saved');
    const text = wordsOf(answer);
    const to = { members: false, ids: ['U0SAM', 'U0KIM', 'S0LEADS0001', 'S0MORE', 'C0SALES'] };
    expect(await stored()).toMatchObject({ maxAccess: 'view', rules: { watch: to } });
    expect(recorded).toEqual([{ by: 'U0ADA', outcome: 'done', setting: 'may-watch', from: members, to }]);
    expect(text).toContain('Applies immediately');
    expect(text).toContain('Who can watch: admins, <@U0SAM>');
  });

  it('leaves the other acts alone, and records nothing where nothing was changed', async () => {
    const { rules, recorded, stored } = await stage({ rules: { stop: { members: false, ids: ['U0SAM'] } } });
    await rules.save(ada, filled(), 'watch');
    expect((await stored()).rules).toEqual({ stop: { members: false, ids: ['U0SAM'] }, watch: members });
    expect(recorded).toEqual([]);
  });

  it('says who changed it meanwhile, and leaves that as it is', async () => {
    const { rules, database, recorded, stored } = await stage();
    const opened = await rules.open(ada, 'watch');
    await keepSettings(database, 'T1', { rules: { watch: { members: false, ids: ['U0KIM'] } } });
    const seen = 'seen' in opened ? opened.seen : '';
    const answer = await rules.save(ada, filled({ users: ['U0SAM'] }), 'watch', seen);
    expect(answer).not.toHaveProperty('saved');
    const text = wordsOf(answer);
    expect((await stored()).rules.watch).toEqual({ members: false, ids: ['U0KIM'] });
    expect(text).toContain('<@U0EARLIER> changed this while your form was open');
    expect(text).toContain('Who can watch: admins, <@U0KIM>');
    expect(recorded).toEqual([]);
    await rules.save(ada, filled({ users: ['U0SAM'] }), 'watch', '1');
    expect((await stored()).rules.watch).toEqual({ members: true, ids: ['U0SAM'] });
  });
});

const many = (count: number) => Array.from({ length: count }, (_nothing, index) => `C${index}`);
const complaintsOf = async (changes: Readonly<Record<string, readonly string[]>>) =>
  wrongIn((await stage()).rules.complaints?.(filled(changes)) ?? {});

describe('what is wrong with a filled-in form of who may', () => {
  it.each([
    ['no group', { groups: ['@leads S0OK'] }, 'groups', '“@LEADS” isn’t a user group ID'],
    ['a user', { groups: ['U0SAM000002'] }, 'groups', '“U0SAM000002” isn’t a user group ID'],
    ['too many places', { groups: ['S0ONE'], channels: many(10) }, 'groups', 'At most 10'],
  ])('is said beside the field: %s', async (_what, changes, block, words) => {
    const complaints = await complaintsOf(changes);
    expect(Object.keys(complaints)).toEqual([block]);
    expect(complaints[block]).toContain(words);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createRecordForm,
  createRuleForm,
  createTicketForm,
  ruleFields,
  ruleSaved,
} from '../../src/admin/setting-forms.ts';
import { RULE_TITLES } from '../../src/admin/settings-list.ts';
import { formModal, messageModal } from '../../src/messages/modal.ts';
import { ACTS } from '../../src/permissions/permissions.ts';
import { rules as anyRule } from '../home/home-content.ts';
import { foreignText } from '../messages/arbitrary.ts';
import { keepSettings } from '../support/settings-values.ts';
import { problemsIn } from '../support/shown.ts';
import { ada, openSettings, wordsOf, wrongIn } from './settings-stage.ts';

const DESK = 'https://acme.zendesk.com/agent/tickets/';
const CRM = 'Acme CRM https://crm.acme.com/contacts/{unique_id}';

const group = (id: string, name: string, handle: string) => ({ id, name, handle });
const LEADS = [group('S0LEADS', 'Support leads', 'support-leads'), group('S0MORE', 'More', 'more')];

async function stage(start: object = {}) {
  const opened = await openSettings(start);
  const { settings } = opened;
  return {
    ...opened,
    rules: createRuleForm(settings, async () => LEADS),
    tickets: createTicketForm(settings),
    records: createRecordForm(settings),
  };
}

const changed = (setting: string, from: unknown, to: unknown) => ({
  by: 'U0ADA',
  outcome: 'done',
  setting,
  from,
  to,
});

/** A form of who may do something as it is filled in for members alone, but for the changes. */
const who = (changes: Readonly<Record<string, readonly string[]>> = {}) => ({
  who: ['members'],
  users: [],
  groups: [],
  channels: [],
  ...changes,
});
const lines = (...text: readonly string[]) => ({ addresses: text });

const members = { members: true, ids: [] };
const named = (...ids: string[]) => ({ members: false, ids });

describe('the form of who may do something', () => {
  /** What Slack lists, or that it does not. */
  const anyGroups = fc.option(
    fc.uniqueArray(
      fc.record({ id: fc.stringMatching(/^S[A-Z0-9]{8}$/), name: foreignText, handle: foreignText }),
      { selector: ({ id }) => id, maxLength: 250 },
    ),
    { nil: undefined },
  );

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
      Array.from({ length: 101 }, (_nothing, index) => group(`S0${index}`, 'Leads', 'leads')),
      [/"initial_value":"S0LEADS"/],
    ],
    ['no groups where the workspace has none', [], [], [/^(?!.*groups)/]],
  ])('opens with %s', async (_what, ids, listed, expected) => {
    const { settings } = await openSettings({ rules: { stop: named(...ids) } });
    const answer = await createRuleForm(settings, async () => listed).open(ada, 'stop');
    expect(answer).toMatchObject({ title: 'Who can stop sessions' });
    for (const part of expected) expect(JSON.stringify(answer)).toMatch(part);
  });

  it('keeps people, groups and channels, and records who changed what, in ids', async () => {
    const { rules, recorded, stored } = await stage({ maxAccess: 'view', rules: { stop: named('U0SAM') } });
    // Nothing is recorded where nothing was changed.
    await rules.save(ada, who(), 'watch');
    const form = who({
      who: ['admins'],
      users: ['U0SAM', 'U0KIM'],
      groups: [' s0leads0001,S0MORE;S0MORE '],
      channels: ['C0SALES'],
    });
    const text = wordsOf(await rules.save(ada, form, 'watch'));
    const watch = named('U0SAM', 'U0KIM', 'S0LEADS0001', 'S0MORE', 'C0SALES');
    expect(await stored()).toMatchObject({ maxAccess: 'view', rules: { stop: named('U0SAM'), watch } });
    expect(recorded).toEqual([changed('may-watch', members, watch)]);
    expect(text).toContain('Applies immediately');
    expect(text).toContain('Who can watch: admins, <@U0SAM>');
  });

  it.each([
    ['no group', { groups: ['@leads S0OK'] }, '“@LEADS” isn’t a user group ID'],
    ['a user', { groups: ['U0SAM000002'] }, '“U0SAM000002” isn’t a user group ID'],
    [
      'too many places',
      { groups: ['S0ONE'], channels: Array.from({ length: 10 }, (_nothing, index) => `C${index}`) },
      'At most 10',
    ],
  ])('says beside the groups what is wrong: %s', async (_what, changes, words) => {
    const { rules } = await stage();
    expect(wrongIn(rules.complaints?.(who(changes)) ?? {})).toEqual({
      groups: expect.stringContaining(words),
    });
  });
});

describe('the form of', () => {
  it.each([
    [
      'ticket addresses as browsers spell them, each once',
      'tickets',
      `\n HTTPS://Acme.zendesk.com/agent/tickets \n${DESK}\n\nhttps://b.example\n`,
      'ticketPrefixes',
      [DESK, 'https://b.example/'],
      `Ticket addresses: ${DESK}, https://b.example/`,
    ],
    [
      'customers’ records by their templates',
      'records',
      CRM.replace(' https', ' → https'),
      'recordLinks',
      [CRM],
      `Customer records: ${CRM}`,
    ],
  ] as const)(
    'keeps %s, opens with them and records each change',
    async (_what, form, typed, name, to, said) => {
      const { recorded, stored, ...forms } = await stage();
      expect(wordsOf(await forms[form].save(ada, lines(typed), ''))).toContain(said);
      expect((await stored())[name]).toEqual(to);
      expect(JSON.stringify(await forms[form].open(ada, ''))).toContain(
        `"initial_value":"${to.join(String.raw`\n`)}"`,
      );
      // The second time nothing is changed.
      for (const text of ['', '']) await forms[form].save(ada, lines(text), '');
      expect((await stored())[name]).toEqual([]);
      expect(recorded).toEqual([changed(name, [], to), changed(name, to, [])]);
    },
  );

  /** As many as there can be, with hosts that browsers spell otherwise. */
  const twenty = Array.from({ length: 20 }, (_line, index) => `https://bücher${index}.example/`).join('\n');
  it.each([
    ['tickets', twenty, `${DESK}\nacme.com/tickets`, '“acme.com/tickets” can’t be used.'],
    ['tickets', twenty, `${twenty}\nhttps://a.example`, 'At most 20'],
    ['records', CRM, `${CRM}\nCRM http://crm.acme.com/{id}`, '“CRM http://crm.acme.com/{id}” can’t'],
    ['records', CRM, Array.from({ length: 6 }, (_, index) => `${index} ${CRM}`).join('\n'), 'At most 5'],
  ] as const)('%s says what is wrong, and of that alone', async (form, good, bad, words) => {
    const forms = await stage();
    const complaint = (text: string) => forms[form].complaints?.(lines(text))['addresses'];
    expect(complaint(bad)).toContain(words);
    expect(complaint(good)).toBeUndefined();
  });

  it.each([
    ['tickets', 'https://live.example/t'],
    ['records', 'Live https://live.example/{id}'],
  ] as const)('%s takes nothing that watch links begin with', async (form, typed) => {
    const { stored, ...forms } = await stage();
    expect(wordsOf(await forms[form].save(ada, lines(typed), ''))).toContain('Watch links look like');
    expect(await stored()).toMatchObject({ ticketPrefixes: [], recordLinks: [] });
  });

  it.each([
    [
      'rules',
      who({ users: ['U0SAM'] }),
      { rules: { watch: named('U0KIM') } },
      'Who can watch: admins, <@U0KIM>',
    ],
    [
      'tickets',
      lines(DESK),
      { ticketPrefixes: ['https://b.example/'] },
      'Ticket addresses: https://b.example/',
    ],
    ['records', lines(), { recordLinks: [CRM] }, `Customer records: ${CRM}`],
  ] as const)(
    '%s says who changed it meanwhile, and leaves that as it is',
    async (form, filled, theirs, now) => {
      const { database, recorded, stored, ...forms } = await stage();
      const opened = await forms[form].open(ada, 'watch');
      const seen = 'seen' in opened ? opened.seen : '';
      await keepSettings(database, 'T1', structuredClone<object>(theirs));
      const answer = await forms[form].save(ada, filled, 'watch', seen);
      expect(answer).not.toHaveProperty('saved');
      expect(wordsOf(answer)).toContain('<@U0EARLIER> changed this while your form was open');
      expect(wordsOf(answer)).toContain(now);
      expect(await stored()).toMatchObject(theirs);
      expect(recorded).toEqual([]);
      // With what there is now before one's eyes it's saved.
      expect(await forms[form].save(ada, filled, 'watch', '1')).toHaveProperty('saved');
    },
  );
});

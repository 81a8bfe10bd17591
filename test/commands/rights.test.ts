import { beforeEach, describe, expect, it } from 'vitest';
import { pressOf, sendInteraction } from '../slack/send-payload.ts';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { ALEX, KIM, SUPPORT, askedSince, buttonsIn, personIn, readable } from '../support/person.ts';
import { TYPED } from './typed.ts';

const ADA = 'U0ADA000005';
const GIL = 'U0GUEST0004';
const ERIN = 'U0ERIN00006';
const SHARED = 'C0SHARED004';

const nameIn = (text: string) => text.split(' ', 1)[0] ?? '';
const NEEDED = TYPED.filter(({ right }) => right !== undefined);
/** What shows or changes something of customers; the others are for admins, or about channels. */
const OF_CUSTOMERS = new Set<string | undefined>([
  'watch',
  'search',
  'agent',
  'sessions',
  'follow-ups',
  'stop',
  'delete',
  'usage',
]);

const { sandbox, logLines } = checkedSandbox();
const refusals = () =>
  logLines
    .map((line): unknown => JSON.parse(line))
    .filter((line) => JSON.stringify(line).includes('"action":"refusal"'));
const fromElsewhere = () =>
  logLines
    .filter((line) => line.includes('asked in a workspace where the app is not installed'))
    .map((line): unknown => JSON.parse(line).workspaceId);
let asked = 0;
beforeEach(() => {
  asked = sandbox().service.requests.length;
});
const ofCustomers = () => askedSince(sandbox(), asked);

/** A press as an old page might still send it, with the message gone: in a channel, or else in the Home tab. */
const pressed = (user: string, actionId: string, value: string, channel?: string, more: object = {}) =>
  sendInteraction(
    sandbox(),
    pressOf(actionId, value, {
      user: { id: user, team_id: 'T0ACME00000' },
      ...(channel === undefined ? {} : { channel: { id: channel } }),
      response_url: 'http://127.0.0.1:9/gone',
      ...more,
    }),
  );

const guest = {
  user: GIL,
  outcome: 'guest',
  words: /^You’re a guest in this workspace\..*\nAsk a workspace admin/,
};
const unchecked = {
  user: ADA,
  outcome: 'unchecked',
  words: /The app couldn’t check your permission with Slack/,
};

describe('a command of somebody who has no right to it, or where Slack cannot be asked', () => {
  it.each([
    ...NEEDED.filter(({ right }) => OF_CUSTOMERS.has(right)).map((typed) => ({ ...typed, ...guest })),
    ...NEEDED.map((typed) => ({ ...typed, ...unchecked })),
  ])('tells nothing of customers, and is on record: $outcome, /cobrowse $text', async (typed) => {
    const { text, right: act, user, outcome, words } = typed;
    const before = refusals().length;
    if (user === ADA) sandbox().slack.fail('users.info', 'internal_error', 5);
    const answer = await personIn(sandbox(), user).type(`/cobrowse ${text}`);
    sandbox().slack.fail('users.info', 'internal_error', 0);
    expect(answer.text).toMatch(words);
    expect(buttonsIn(answer.blocks)).toEqual([]);
    expect(ofCustomers()).toEqual([]);
    expect(refusals()).toHaveLength(before + 1);
    const record = { action: 'refusal', outcome, userId: user, channelId: SUPPORT, detail: { act } };
    expect(refusals().at(-1)).toMatchObject({ audit: record });
  });

  it('is answered all the same where it is for everybody', async () => {
    expect((await personIn(sandbox(), GIL).type('/cobrowse help')).text).toContain('/cobrowse find');
  });
});

describe('a person of another organization', () => {
  it('stops nobody by the card in a shared channel, and is told so', async () => {
    const alex = personIn(sandbox(), ALEX, SHARED);
    const offer = await alex.type('/cobrowse watch jane4821');
    await alex.watch(offer);
    const erin = personIn(sandbox(), ERIN, SHARED);
    const card = await erin.message(({ text }) => text.includes('’s screen · '));
    asked = sandbox().service.requests.length;
    await erin.press(card, /^Stop/);
    await erin.modal(({ blocks }) => readable(blocks).includes('you’re from another organization'));
    expect(ofCustomers()).toEqual([]);
    expect(refusals().at(-1)).toMatchObject({ audit: { outcome: 'external', userId: ERIN } });
  });
});

describe('a payload that names another workspace', () => {
  const home = 'T0GLOBEX000';
  it.each([
    ['nothing of customers', { id: home }, home],
    ['nothing where it names none but the home of who pressed, which counts for none', null, ''],
  ])('is answered %s', async (_what, team, workspaceId) => {
    await pressed(ERIN, 'visitor', 'jane4821', SHARED, { team, user: { id: ERIN, team_id: home } });
    await expect.poll(() => fromElsewhere().at(-1)).toBe(workspaceId);
    expect(ofCustomers()).toEqual([]);
  });
});

describe('a person who left the channel since the button was drawn', () => {
  it('stops nobody', async () => {
    sandbox().slack.leave({ channel: SUPPORT, user: KIM });
    await pressed(KIM, 'stop', 'jane4821', SUPPORT);
    const audit = { outcome: 'left-channel', userId: KIM };
    await expect.poll(() => refusals().at(-1)).toMatchObject({ audit });
    sandbox().slack.join({ channel: SUPPORT, user: KIM });
    expect(ofCustomers()).toEqual([]);
  });
});

describe('a press whose link comes in the answer', () => {
  it.each([
    ['watch_here', JSON.stringify(['nobody99', 'full', KIM])],
    ['watch_asked', 'nobody99'],
  ])(
    'is refused, and that written down, before the service is asked about the visitor: %s',
    async (...press) => {
      sandbox().slack.changePerson(KIM, { guest: true });
      const before = refusals().length;
      await pressed(KIM, ...press, SUPPORT);
      await expect.poll(() => refusals().length).toBe(before + 1);
      sandbox().slack.changePerson(KIM, { guest: false });
      expect(refusals().at(-1)).toMatchObject({ audit: { outcome: 'guest', userId: KIM } });
      expect(ofCustomers()).toEqual([]);
    },
  );
});

describe('the list of subcommands by the right they need', () => {
  it('has each of them', () => {
    const listed = new Set<string>(TYPED.map(({ text }) => nameIn(text)));
    const names = sandbox().app.catalog.commands.map(({ name }) => name);
    expect(
      names.filter((name) => !listed.has(name)),
      'Add it to test/commands/typed.ts',
    ).toEqual([]);
  });
});

/** What the Home tab has for admins: the button, its value, and its name in the audit. */
const FOR_ADMINS = [
  ['home_settings', '', { act: 'settings' }],
  ['home_edit_settings', '', { act: 'settings' }],
  ['home_choose_view', 'view', { act: 'settings' }],
  ['home_change_rule', 'stop', { act: 'may-stop' }],
  ['home_retry_delivery', 'T1:a', { act: 'retry', delivery: 'T1:a' }],
  ['home_drop_delivery', 'T1:a', { act: 'drop', delivery: 'T1:a' }],
] as const;

describe('what the Home tab has for admins', () => {
  it.each([
    ...FOR_ADMINS.map((button) => [ALEX, 'not-admin', ...button] as const),
    ...FOR_ADMINS.map((button) => [ADA, 'unchecked', ...button] as const),
  ])('is for nobody else, nor where Slack cannot be asked: %s, %s, %s', async (user, outcome, ...button) => {
    const [actionId, value, detail] = button;
    const before = refusals().length;
    // As long as it takes: the tab of the one before may still be drawn.
    if (user === ADA) sandbox().slack.fail('users.info', 'internal_error', Infinity);
    await pressed(user, actionId, value);
    const audit = expect.objectContaining({ outcome, userId: user, detail });
    // The tab is drawn again, which asks for rights of its own.
    await expect.poll(() => refusals().slice(before)).toContainEqual(expect.objectContaining({ audit }));
    sandbox().slack.fail('users.info', 'internal_error', 0);
  });

  it('is not saved by a form of somebody who is no admin', async () => {
    const before = refusals().length;
    const values = {
      who: {
        value: { type: 'radio_buttons', selected_option: { value: 'members' } },
      },
    };
    await sendInteraction(sandbox(), {
      type: 'view_submission',
      team: { id: 'T0ACME00000' },
      user: { id: ALEX },
      view: {
        id: 'none',
        callback_id: 'home_rule_form',
        private_metadata: JSON.stringify({ about: 'delete' }),
        state: { values },
      },
    });
    const audit = expect.objectContaining({
      outcome: 'not-admin',
      userId: ALEX,
      detail: { act: 'may-delete' },
    });
    // A tab that an earlier test had drawn again may still be refused.
    await expect.poll(() => refusals().slice(before)).toContainEqual(expect.objectContaining({ audit }));
  });
});

import { beforeEach, describe, expect, it } from 'vitest';
import { pressOf, sendInteraction } from '../slack/send-payload.ts';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { ALEX, KIM, SAM, SUPPORT, askedSince, buttonsIn, personIn, readable } from '../support/person.ts';
import { startAs } from '../watch/opening.ts';
import { TYPED } from './typed.ts';

const ADA = 'U0ADA000005';
const GIL = 'U0GUEST0004';
const ERIN = 'U0ERIN00006';
const SHARED = 'C0SHARED004';
const RANDOM = 'C0RANDOM003';

const nameIn = (text: string) => text.split(' ', 1)[0] ?? '';
const NEEDED = TYPED.filter(({ right }) => right !== undefined);
/** For admins, or about channels; the others show or change something of customers. */
const OF_ELSE = new Set<string | undefined>(['audit', 'subscribe', 'subscriptions', 'doctor']);

const { sandbox, logLines } = checkedSandbox();
const linesWith = (words: string) =>
  logLines.filter((line) => line.includes(words)).map((line): unknown => JSON.parse(line));
const refusals = () => linesWith('"action":"refusal"');
/** The refusals since a test began, among them those of a tab that an earlier test had drawn again. */
const newRefusals = () => refusals().slice(before);
const refusalWith = (audit: object) => expect.objectContaining({ audit: expect.objectContaining(audit) });
const fromElsewhere = () => linesWith('asked in a workspace where the app is not installed').at(-1);
let [asked, before] = [0, 0];
beforeEach(() => {
  asked = sandbox().service.requests.length;
  before = refusals().length;
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
    ...NEEDED.filter(({ right }) => !OF_ELSE.has(right)).map((typed) => ({ ...typed, ...guest })),
    ...NEEDED.map((typed) => ({ ...typed, ...unchecked })),
  ])('tells nothing of customers, and is on record: $outcome, /cobrowse $text', async (typed) => {
    const { text, right: act, user, outcome, words } = typed;
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
    await expect.poll(fromElsewhere).toMatchObject({ workspaceId });
    expect(ofCustomers()).toEqual([]);
  });
});

describe('a press of somebody who lost the right to it since the button was drawn', () => {
  const leaves = { user: KIM, channel: SUPPORT };
  it.each([
    ['left-channel', 'stop', 'jane4821'],
    // The link would come in the answer.
    ['guest', 'watch_here', JSON.stringify(['nobody99', 'full', KIM])],
    ['guest', 'watch_asked', 'nobody99'],
  ])('is refused, and that written down, before the service is asked: %s, %s', async (outcome, ...press) => {
    const { slack } = sandbox();
    if (outcome === 'guest') slack.changePerson(KIM, { guest: true });
    else slack.leave(leaves);
    await pressed(KIM, ...press, SUPPORT);
    await expect.poll(newRefusals).toContainEqual(refusalWith({ outcome, userId: KIM }));
    slack.changePerson(KIM, { guest: false });
    slack.join(leaves);
    expect(ofCustomers()).toEqual([]);
  });
});

/** For a summary in #random. */
const startForRandom = () => startAs(sandbox(), SAM, { visitor: 'jane4821', channel: RANDOM });

describe('the shortcut Start co-browsing', () => {
  it.each([
    ['a guest', GIL, 0, 'You’re a guest'],
    ['somebody of whom Slack cannot be asked', SAM, 1, 'couldn’t check your permission'],
  ])('shows %s words in place of the form, and no customer', async (_who, as, failures, words) => {
    sandbox().slack.fail('users.info', 'internal_error', failures, as);
    await sandbox().slack.globalShortcut({ as, callback_id: 'start_cobrowsing' });
    const modal = await personIn(sandbox(), as).modal(({ blocks }) => readable(blocks).includes(words));
    expect(modal.submit).toBeUndefined();
    expect(ofCustomers()).toEqual([]);
  });

  it('gives no Watch button for a channel that the person is not in', async () => {
    sandbox().slack.leave({ channel: RANDOM, user: SAM });
    const refused = await startForRandom();
    sandbox().slack.join({ channel: RANDOM, user: SAM });
    expect(readable(refused.blocks)).toContain('You aren’t in the channel');
    expect(buttonsIn(refused.blocks)).toEqual([]);
  });

  it('gives no link once the person has left that channel', async () => {
    const offer = await startForRandom();
    sandbox().slack.leave({ channel: RANDOM, user: SAM });
    asked = sandbox().service.requests.length;
    const page = await personIn(sandbox(), SAM).watch(offer);
    sandbox().slack.join({ channel: RANDOM, user: SAM });
    expect(await page.text()).toContain('You aren’t in the channel');
    expect(ofCustomers()).toEqual([]);
  });
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
    // As long as it takes: the tab of the one before may still be drawn.
    if (user === ADA) sandbox().slack.fail('users.info', 'internal_error', Infinity);
    await pressed(user, actionId, value);
    await expect.poll(newRefusals).toContainEqual(refusalWith({ outcome, userId: user, detail }));
    sandbox().slack.fail('users.info', 'internal_error', 0);
  });

  it('is not saved by a form of somebody who is no admin', async () => {
    const who = { value: { type: 'radio_buttons', selected_option: { value: 'members' } } };
    await sendInteraction(sandbox(), {
      type: 'view_submission',
      team: { id: 'T0ACME00000' },
      user: { id: ALEX },
      view: {
        id: 'none',
        callback_id: 'home_rule_form',
        private_metadata: JSON.stringify({ about: 'delete' }),
        state: { values: { who } },
      },
    });
    const refused = refusalWith({ outcome: 'not-admin', userId: ALEX, detail: { act: 'may-delete' } });
    await expect.poll(newRefusals).toContainEqual(refused);
  });
});

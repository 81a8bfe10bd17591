import { beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../../src/database/database.ts';
import { removeOldFollowUps } from '../../../src/team/follow-ups.ts';
import type { PageMessage, PageView } from '../../../sandbox/slack/page-api.ts';
import { atHome, ADA } from '../../home/at-home.ts';
import { engines } from '../../support/engines.ts';
import { ALEX, KIM, SALES, SAM, SUPPORT, buttonsIn, personIn, readable } from '../../support/person.ts';
import { teamStage } from '../../team/stage.ts';
import { summaryOf } from '../../team/summary-of.ts';

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;
/** Ten in the morning in Amsterdam, or eleven in summer: the time of day at which each test begins. */
function toMorning(clock: { aheadMs: number }): void {
  const now = Date.now() + clock.aheadMs;
  clock.aheadMs += Math.ceil(now / DAY_MS) * DAY_MS + 9 * HOUR_MS - now;
}

/** A line with markup, a mention and what reverses the reading direction. */
const HOSTILE = 'Ask *Jane* <!channel> & SECRET-LINE \u202Eback\u202C';

const labels = (shown: Pick<PageView, 'blocks'>) =>
  buttonsIn(shown.blocks).map(({ accessibility_label: label }) => label);

/** By Slack's clock: nothing that's looked for too soon is missed. Milliseconds since 1970. */
const postedAt = ({ ts }: PageMessage) => Number(ts) * 1_000;

const when = (value: string) => ({ type: 'radio_buttons', selected_option: { value } });
const day = (date: string) => ({ type: 'datepicker', selected_date: date });
const chosen = (id: string) => ({ type: 'users_select', selected_user: id });

describe.each(engines)('a follow-up, in $engine', (engine) => {
  const stage = teamStage(engine, toMorning);
  const { clock, now, sandbox, logLines, person, direct, directs, letWatch, rowsOf } = stage;
  beforeEach(() => toMorning(clock));

  const audited = async (words = 'follow-ups') => (await person(ADA).type(`/cobrowse audit ${words}`)).text;

  /** Lets time pass until then; whatever is queued next makes the app look at the clock. */
  async function passTo(at: number): Promise<void> {
    clock.aheadMs += at - now();
    await person(ADA).watch(await person(ADA).type('/cobrowse watch noah'));
  }

  /** A summary, once it says that there is something to follow up. */
  const followedUp = (summary: PageMessage) =>
    person(SAM).message(({ ts, text }) => ts === summary.ts && text.includes('Outcome: Follow up'));

  async function set(visitorId: string, filled: Readonly<Record<string, string>>) {
    const summary = await summaryOf(sandbox(), visitorId);
    const form = await person(ALEX).chooseFollowUp(summary);
    const said = await person(ALEX).fillFollowUp(form, filled);
    return { summary: await followedUp(summary), said: readable(said.blocks) };
  }

  /** What is wrong with a form of Alex's that is filled in so. */
  async function errorsOf({ id }: PageView, filled: Readonly<Record<string, { type: string }>>) {
    const state = Object.fromEntries(Object.entries(filled).map(([block, value]) => [block, { value }]));
    await sandbox().slack.submit({ as: ALEX, view_id: id, state });
    return JSON.stringify(
      person(ALEX)
        .views()
        .find((view) => view.id === id)?.errors,
    );
  }

  /** Presses a button of a follow-up, and gives the form that it opens. */
  async function opened(userId: string, shown: PageMessage, button: RegExp): Promise<PageView> {
    const before = new Set(
      person(userId)
        .views()
        .map(({ id }) => id),
    );
    await person(userId).press(shown, button);
    return person(userId).modal(({ id, submit }) => !before.has(id) && submit !== undefined);
  }

  it('is set with a time and a line, and said once by direct message when it’s time', async () => {
    const before = now();
    const { said, summary } = await set('jane4821', { when: 'hour', line: HOSTILE });
    expect(said).toContain('I’ll remind you with a direct message.');
    await passTo(now() + HOUR_MS / 2);
    await passTo(now() + HOUR_MS / 2 + 60_000);
    const told = await direct(ALEX, 'Time to follow up with Jane Cooper.');
    expect(JSON.stringify(told.blocks)).toContain(`/archives/${SUPPORT}/p${summary.ts.replace('.', '')}`);
    expect(postedAt(told)).toBeGreaterThanOrEqual(before + HOUR_MS);
    expect(told.text).toContain('“Ask *Jane* &lt;!channel&gt; &amp; SECRET-LINE back”');
    expect(told.text).toMatch(/Online|In session/);
    const own = ['Done', 'Later', 'Hand to…'].map((label) => `${label}: follow-up with Jane Cooper`);
    expect(labels(told)).toEqual([...own, 'Watch the screen of Jane Cooper', 'Details of Jane Cooper']);
    await passTo(now() + HOUR_MS);
    expect(directs(ALEX, 'Time to follow up')).toHaveLength(1);
    expect(await audited()).toContain('set a follow-up with jane4821, and said what to do');
    await expect.poll(() => audited()).toContain('was reminded of a follow-up with jane4821');
  });

  it('keeps what was written in its row alone, and as long as that', async () => {
    const lines = () => rowsOf(sql`SELECT line FROM follow_ups`);
    expect(JSON.stringify(await lines())).toContain('SECRET-LINE');
    const elsewhere = await rowsOf(
      sql`SELECT payload AS text FROM deliveries UNION ALL SELECT detail FROM audit`,
    );
    expect(elsewhere.length).toBeGreaterThan(5);
    expect(JSON.stringify(elsewhere)).not.toContain('SECRET-LINE');
    expect(logLines.join('')).not.toContain('SECRET-LINE');
    const told = await direct(ALEX, 'Time to follow up with Jane Cooper.');
    const there = personIn(sandbox(), ALEX, told.channel);
    expect((await there.pressFor(told, /^Done/)).text).toBe('Follow-up done.');
    expect(await lines()).toEqual([]);
    expect(await audited()).toContain('finished a follow-up with jane4821');
    expect((await there.pressFor(told, /^Done/)).text).toContain('This follow-up is no longer open');
  });

  it('is refused beside its field where it can’t be, and where it holds a watch link', async () => {
    const alex = person(ALEX);
    const form = await alex.chooseFollowUp(await summaryOf(sandbox(), 'priya55'));
    const submit = (filled: Parameters<typeof errorsOf>[1]) => errorsOf(form, filled);
    expect(await submit({ when: when('day') })).toContain('Choose the day.');
    const yesterday = day(new Date(now() - DAY_MS).toISOString().slice(0, 10));
    expect(await submit({ when: when('day'), day: yesterday })).toContain(
      'Choose a time that’s still to come',
    );
    expect(await submit({ when: when('tomorrow'), day: yesterday })).toContain('or clear the day');
    const link = { type: 'plain_text_input', value: `${sandbox().publicUrl}/watch/secret` };
    expect(await submit({ when: when('tomorrow'), line: link })).toContain('looks like a watch link');
    clock.aheadMs += 9 * HOUR_MS;
    expect(await submit({ when: when('today') })).toContain('too late for today');
    await sandbox().slack.closeView({ as: ALEX, view_id: form.id });
    const evening = await alex.chooseFollowUp(await summaryOf(sandbox(), 'priya55'));
    expect(JSON.stringify(evening.blocks)).not.toContain('This afternoon');
    await sandbox().slack.closeView({ as: ALEX, view_id: evening.id });
  });

  it('is one a session: a second person is told whose it is, and another outcome removes it', async () => {
    const { summary } = await set('priya55', { when: 'hour' });
    const second = await person(SAM).chooseFollowUp(summary);
    expect(readable(second.blocks)).toContain(`<@${ALEX}> already has this follow-up.`);
    expect(buttonsIn(second.blocks)).toEqual([]);
    await person(SAM).chooseOutcome(summary, /Solved/);
    expect((await person(ALEX).type('/cobrowse followups')).text).toContain('No follow-ups.');
    await passTo(now() + 25 * HOUR_MS);
    expect(directs(ALEX, 'Time to follow up with Priya')).toEqual([]);
  });

  it('isn’t set where the outcome was changed while its form was open', async () => {
    const summary = await summaryOf(sandbox(), 'priya55');
    const form = await person(ALEX).chooseFollowUp(summary);
    await person(SAM).chooseOutcome(await followedUp(summary), /Other/);
    const said = await person(ALEX).fillFollowUp(form, { when: 'hour' });
    expect(readable(said.blocks)).toContain('The outcome isn’t “Follow up” any more');
    expect((await person(ALEX).type('/cobrowse followups')).text).toContain('No follow-ups.');
  });

  it('comes later, once each time', async () => {
    await set('amara7', { when: 'hour', line: 'Call back' });
    await passTo(now() + 23 * HOUR_MS);
    const first = await direct(ALEX, 'Time to follow up with Amara');
    const form = await opened(ALEX, first, /^Later/);
    expect(form.title).toBe('Follow up later');
    expect(JSON.stringify(form.blocks)).toContain('"initial_value":"Call back"');
    const inTwoDays = new Date(now() + 2 * DAY_MS).toISOString().slice(0, 10);
    await person(ALEX).fillFollowUp(form, { when: 'day', day: inTwoDays, line: 'Call again' });
    await passTo(now() + DAY_MS);
    await passTo(now() + DAY_MS);
    const again = await direct(ALEX, 'Call again');
    expect(postedAt(again)).toBeGreaterThan(Date.parse(inTwoDays));
    expect(directs(ALEX, 'Time to follow up with Amara')).toHaveLength(2);
    await personIn(sandbox(), ALEX, again.channel).pressFor(again, /^Done/);
  });

  it('is said again where it’s set again once it was done', async () => {
    const { summary } = await set('lm3', { when: 'hour' });
    for (const times of [1, 2]) {
      await passTo(now() + 25 * HOUR_MS);
      await expect.poll(() => directs(ALEX, 'Time to follow up with Liam').length).toBe(times);
      const told = directs(ALEX, 'Time to follow up with Liam').at(-1) ?? summary;
      expect((await personIn(sandbox(), ALEX, told.channel).pressFor(told, /^Done/)).text).toBe(
        'Follow-up done.',
      );
      const form = await person(ALEX).chooseFollowUp(summary);
      const said = await person(ALEX).fillFollowUp(form, { when: 'hour' });
      expect(readable(said.blocks)).toContain('I’ll remind you');
    }
    await person(ALEX).chooseOutcome(summary, /Solved/);
  });

  it('is handed to somebody who can watch, who is told, and then stays whatever the outcome', async () => {
    const { summary } = await set('amara7', { when: 'hour', line: 'Send the invoice' });
    const list = await person(ALEX).type('/cobrowse followups');
    await letWatch([ALEX, SAM]);
    const form = await opened(ALEX, list, /^Hand to/);
    expect(form.title).toBe('Hand over follow-up');
    for (const id of [KIM, 'U0GUEST0004', 'U0HELPDESK', 'U0ERIN00006']) {
      expect(await errorsOf(form, { person: chosen(id) })).toContain('can’t take it');
    }
    await person(ALEX).fillFollowUp(form, { person: SAM });
    const handed = await direct(SAM, `<@${ALEX}> handed you a follow-up with Amara`);
    expect(handed.text).toContain('Send the invoice');
    expect(handed.text).toContain('Due: ');
    // Its time goes by; in the meantime Alex can't change it, and a new outcome doesn't remove it.
    const tooLate = await person(ALEX).pressFor(list, /^Done/);
    expect(tooLate.text).toContain('Only they and admins can change it.');
    await person(ALEX).chooseOutcome(summary, /Solved/);
    await letWatch([ALEX]);
    await passTo(now() + 25 * HOUR_MS);
    // Sam can't watch any more: neither the customer nor the line, which may name them.
    const told = await direct(SAM, 'A follow-up of yours is due.');
    expect(JSON.stringify(told)).not.toMatch(/Amara|amara7|invoice/);
    expect(labels(told).every((label) => label?.endsWith('with a customer'))).toBe(true);
    const later = await opened(SAM, told, /^Later/);
    expect(JSON.stringify(later)).not.toMatch(/Amara|amara7|invoice/);
    await person(SAM).fillFollowUp(later, { when: 'hour' });
    await passTo(now() + 4 * HOUR_MS);
    await letWatch();
    expect(await audited()).toContain('handed on a follow-up with amara7 to');
  });

  it('is listed for whoever may see it, in Home too', async () => {
    const alex = person(ALEX);
    await set('jane4821', { when: 'hour', line: HOSTILE });
    const sam = await person(SAM).type('/cobrowse followups');
    expect(sam.text).toContain('Overdue');
    expect((await alex.type('/cobrowse followups @sam')).text).toContain('Only admins can see');
    expect((await person(ADA).type('/cobrowse followups @sam')).text).toContain('Send the invoice');
    const channel = await person(KIM).type('/cobrowse followups #support');
    expect(channel.text).toContain('Jane Cooper');
    expect(channel.text).toContain('Send the invoice');
    expect(buttonsIn(channel.blocks)).toEqual([]);
    sandbox().slack.leave({ channel: SUPPORT, user: KIM });
    clock.aheadMs += 10_000;
    const outside = personIn(sandbox(), KIM, SALES);
    expect((await outside.type('/cobrowse followups #support')).text).toContain('only people in a channel');
    sandbox().slack.join({ channel: SUPPORT, user: KIM });
    clock.aheadMs += 10_000;
    expect((await alex.type('/cobrowse followups someone')).text).toContain('Name a person or a channel');
    const home = atHome(sandbox(), ALEX);
    expect(readable(await home.open())).toContain('SECRET-LINE');
    const all = await home.pressFor(/^All follow-ups/, /Your follow-ups/);
    expect(readable(all.blocks)).toContain('Jane Cooper');
    expect(await audited('refusals')).toContain('tried to see follow-ups');
  });

  it('says what brings up more than twenty: to finish them for who can, and one’s own for others', async () => {
    const more = Array.from(
      { length: 21 },
      (
        _,
        index,
      ) => sql`INSERT INTO follow_ups (workspace_id, session_end_id, visitor_id, channel_id, user_id, due_at,
          told_at, changed_at, version)
        SELECT workspace_id, CAST(${`more-${index}`} AS TEXT), '', channel_id, user_id, due_at, 1, 1, 1
        FROM follow_ups WHERE visitor_id = 'jane4821'`,
    );
    await stage.inDatabase((database) => database.write(...more));
    const own = await person(ALEX).type('/cobrowse followups');
    const [admins, others] = await Promise.all(
      [ADA, KIM].map((userId) => person(userId).type('/cobrowse followups #support')),
    );
    const finish = 'The next 20 are shown. Finish these or hand them on to see more.';
    expect([own, admins, others].map((list) => list?.text.split('\n').at(-1))).toEqual([
      finish,
      finish,
      'The next 20 are shown. Type /cobrowse followups for yours.',
    ]);
    await stage.inDatabase((database) =>
      database.write(sql`DELETE FROM follow_ups WHERE session_end_id LIKE 'more-%'`),
    );
  });

  it('is shown to admins in Home where its person left, and goes on from there', async () => {
    sandbox().slack.changePerson(SAM, { deactivated: true });
    clock.aheadMs += 10_000;
    const home = atHome(sandbox(), ADA);
    expect(readable(await home.open())).toMatch(/Follow-ups of people who left.*Amara Okafor/s);
    await home.press(/^Hand to…: follow-up with Amara/);
    const form = await person(ADA).modal(
      ({ title, submit }) => title === 'Hand over follow-up' && submit !== undefined,
    );
    await person(ADA).fillFollowUp(form, { person: KIM });
    await direct(KIM, `<@${ADA}> handed you a follow-up with Amara`);
    sandbox().slack.changePerson(SAM, { deactivated: false });
  });

  it('is removed 30 days after it was due, if nobody came back to it', async () => {
    const latest = now() + DAY_MS;
    const removed = await stage.inDatabase((database) =>
      database.write(removeOldFollowUps(latest, 100), removeOldFollowUps(latest + 30 * DAY_MS, 100)),
    );
    expect(removed.map(({ changed }) => changed)).toEqual([0, 2]);
  });
});

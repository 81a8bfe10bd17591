import { describe, expect, it } from 'vitest';
import type { PageView } from '../../sandbox/slack/page-api.ts';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { ALEX, KIM, SAM, SUPPORT, buttonsIn, personIn, readable } from '../support/person.ts';
import { GUEST, RANDOM, postsIn } from './stage.ts';

const option = (value: string) => ({ type: 'static_select', selected_option: { value } });
const typed = (value: string) => ({ type: 'plain_text_input', value });
const people = (...users: readonly string[]) => ({ type: 'multi_users_select', selected_users: users });
const channel = (id: string) => ({ type: 'conversations_select', selected_conversation: id });
const time = (at: string) => ({ type: 'timepicker', selected_time: at });

const isForm = ({ submit }: PageView) => submit !== undefined;

const blocksIn = (view: PageView) => view.blocks.map(({ block_id: block }) => block);

describe('the form of a subscription', () => {
  const { sandbox, logLines } = checkedSandbox();
  const person = (userId: string = ALEX) => personIn(sandbox(), userId);
  const listed = async () => (await person().type('/cobrowse subscriptions')).text;
  const posts = (id: string) => postsIn(sandbox(), id).map(({ text }) => text);

  async function openNew(what = /^Set up summaries/, userId: string = ALEX): Promise<PageView> {
    const offer = await person(userId).type('/cobrowse subscribe');
    await person(userId).press(offer, what);
    return person(userId).modal(isForm);
  }

  async function openEdit(id: string, userId: string = ALEX): Promise<PageView> {
    const list = await person(userId).type('/cobrowse subscriptions');
    await person(userId).press(list, new RegExp(`^Edit subscription ${id}`));
    return person(userId).modal((view) => isForm(view) && view.title === 'Edit subscription');
  }

  const submit = (view: PageView, filled: Readonly<Record<string, object>>, userId: string = ALEX) => {
    const values = Object.entries(filled).map(([block, value]) => [block, { value: value }]);
    return sandbox().slack.submit({ as: userId, view_id: view.id, state: Object.fromEntries(values) });
  };

  /** What the form says once it was submitted, where it stays: for another channel, or on a busy machine. */
  async function answerTo(...asked: Parameters<typeof submit>): Promise<string | undefined> {
    expect(await submit(...asked)).toMatchObject({ ok: true });
    const [{ id }, , userId = ALEX] = asked;
    const { words } = await sandbox().slack.until(userId, ({ views }) => {
      const view = views.find((one) => one.id === id);
      if (view === undefined) return { words: undefined };
      const said = readable(view.blocks);
      return view.submit === undefined && !said.includes('Saving…') ? { words: said } : undefined;
    });
    if (words !== undefined) await sandbox().slack.closeView({ as: userId, view_id: id });
    return words;
  }

  /** Submits a form that closes by itself, or says that it's saved where that took long. */
  const save = async (...asked: Parameters<typeof submit>) =>
    expect((await answerTo(...asked)) ?? 'Saved.').toMatch(/Saved\.|now gets/);

  it('opens from the command with the channel chosen, and asks for the time of a digest alone', async () => {
    const summaries = await openNew();
    await sandbox().slack.closeView({ as: ALEX, view_id: summaries.id });
    const digest = await openNew(/^Set up a digest/);
    await sandbox().slack.closeView({ as: ALEX, view_id: digest.id });
    expect([summaries.title, digest.title]).toEqual(['Set up summaries', 'Set up a digest']);
    expect(JSON.stringify(summaries.blocks)).toContain(`"initial_conversation":"${SUPPORT}"`);
    expect(blocksIn(summaries)).not.toContain('time');
    expect(blocksIn(summaries)).toContain('tags');
    expect(blocksIn(digest)).toEqual(['channel', 'content', 'time']);
  });

  it('sets up what was chosen, closes, and leaves the word to the post in the channel', async () => {
    await save(await openNew(), {
      channel: channel(SUPPORT),
      content: option('short'),
      people: people(SAM),
      groups: { type: 'multi_static_select', selected_options: [{ value: 'S0LEADS0001' }] },
      tags: typed('vip, #gold, VIP'),
      length: typed('90s'),
    });
    const words = `summaries of co-browsing sessions by <@${SAM}> or @support-leads, with customers tagged VIP or gold, lasting 1 minute 30 seconds or more, in short`;
    expect(posts(SUPPORT).at(-1)).toContain(`<@${ALEX}> set up a subscription for this channel: ${words}.`);
    expect(await listed()).toContain(`1. <#${SUPPORT}>: ${words}`);
  });

  it('sets up a digest by the clocks of the person, and confirms what another channel gets', async () => {
    const answer = await answerTo(await openNew(/^Set up a digest/), {
      channel: channel(RANDOM),
      content: option('weekly 5'),
      time: time('16:30'),
    });
    expect(posts(RANDOM).at(-1)).toMatch(
      /a digest of all co-browsing sessions on Fridays at 4:30 PM \w+ time/,
    );
    expect(answer).toContain('This is subscription 2.');
  });

  it('says beside the inputs what is wrong with them', async () => {
    const form = await openNew();
    const wrongIn = async (filled: Parameters<typeof submit>[1]) => {
      await submit(form, { channel: channel(SUPPORT), ...filled });
      return person()
        .views()
        .find(({ id }) => id === form.id)?.errors;
    };
    expect(
      await wrongIn({
        content: option('full'),
        tags: typed('x'.repeat(61)),
        length: typed('soon'),
      }),
    ).toEqual({
      tags: 'A tag has 1 to 60 characters.',
      length: 'Type a length such as 5m, 90s or 1h.',
    });
    expect(
      await wrongIn({
        content: option('daily'),
        time: { type: 'timepicker', selected_time: null },
      }),
    ).toEqual({ time: 'Choose when the digest comes.' });
    await sandbox().slack.closeView({ as: ALEX, view_id: form.id });
  });

  it('opens filled in from the list, changes what was changed, and closes', async () => {
    const form = await openEdit('1');
    const shown = JSON.stringify(form.blocks);
    expect(shown).toContain(`"initial_users":["${SAM}"]`);
    expect(shown).toContain('"initial_value":"VIP, gold"');
    expect(shown).toContain('"initial_value":"90s"');
    await save(form, {
      channel: channel(SUPPORT),
      content: option('full'),
      people: people(),
      groups: { type: 'multi_static_select', selected_options: [] },
      tags: typed('gold'),
      length: { type: 'plain_text_input', value: null },
    });
    const words = 'summaries of co-browsing sessions with customers tagged gold, in full';
    expect(posts(SUPPORT).at(-1)).toContain(`changed a subscription of this channel: now ${words}.`);
    expect(await listed()).toContain(words);
    expect(logLines.some((line) => line.includes('"outcome":"edited"'))).toBe(true);
  });

  it('moves it to another channel and tells both', async () => {
    await answerTo(await openEdit('1'), {
      channel: channel(RANDOM),
      tags: { type: 'plain_text_input', value: null },
    });
    expect(posts(RANDOM).at(-1)).toContain('set up a subscription for this channel: summaries of all');
    expect(posts(SUPPORT).at(-1)).toContain('turned off summaries of sessions with customers tagged gold');
  });

  it('saves nothing where someone else changed it while it was open', async () => {
    const form = await openEdit('1');
    const theirs = await openEdit('1', SAM);
    const filled = { channel: channel(RANDOM), content: option('short') };
    expect(await answerTo(theirs, filled, SAM)).toContain('Saved.');
    const late = { ...filled, content: option('thread') };
    expect(await answerTo(form, late)).toContain('Someone changed this subscription');
  });

  it('refuses who left the channel since the list was drawn, and guests', async () => {
    const list = await person(KIM).type('/cobrowse subscriptions');
    sandbox().slack.leave({ channel: RANDOM, user: KIM });
    await person(KIM).press(list, /^Edit subscription 1/);
    const answer = await person(KIM).modal(({ blocks }) => readable(blocks).includes('I can’t find'));
    expect(answer.submit).toBeUndefined();
    const refused = await person(GUEST).type('/cobrowse subscribe');
    expect(refused.text).toContain('guests can’t set up summaries');
    expect(buttonsIn(refused.blocks)).toEqual([]);
  });
});

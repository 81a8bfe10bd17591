import { describe, expect, it } from 'vitest';
import type { PageView } from '../../sandbox/slack/page-api.ts';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { ALEX, SAM, SUPPORT, anotherLink, personIn, readable } from '../support/person.ts';
import { choicesIn, isForm, shows, suggestionIn } from './forms.ts';

describe('the shortcut Find visitor', () => {
  const { sandbox } = checkedSandbox();
  const alex = () => personIn(sandbox());
  const open = async (text: string) => alex().shortcut(await alex().say(text), 'find_visitor', isForm);

  /** What is found by the form, in its place. */
  async function found(form: PageView, typed: string, name: string, chosen?: string): Promise<PageView> {
    await alex().submit(form, typed, chosen);
    return alex().modal(({ id, blocks }) => id === form.id && readable(blocks).includes(name));
  }

  /** What is posted about a session that was begun there and has ended. */
  async function summaryOf(view: PageView, name: string) {
    const watched = await alex().watch(view);
    const session = await sandbox().service.openWatchLink(watched.headers.get('location') ?? '');
    await sandbox().service.endSession(session.id);
    return alex().message(({ text }) => text.includes(`Visitor: ${name}`));
  }

  it('shows the one thing it found, to edit', async () => {
    const form = await open('on https://shop.acme.example/cart?token=secret');
    expect(form.title).toBe('Find visitor');
    expect(choicesIn(form)).toEqual([]);
    expect(suggestionIn(form)).toBe('shop.acme.example/cart');
    expect(readable(form.blocks)).toContain('Edit if needed.');
  });

  it('searches at once where the message holds one email', async () => {
    const message = await alex().say('jane@acme.com, code 9034, on https://shop.acme.example/cart');
    const results = await alex().shortcut(message, 'find_visitor', shows('Lookup code: 4821'));
    expect(results.title).toBe('Find visitor');
    expect(readable(results.blocks)).toContain('The session notes will start with a link to this message.');
    await anotherLink(await alex().watch(results));
    const asked = sandbox().service.requests.findLast(({ path }) => path.endsWith('/watch_url'));
    expect(asked?.body).toMatchObject({ initial_notes: message.permalink });
  });

  it('offers a choice if it found several, and searches for it', async () => {
    const form = await open('jane@acme.com or amara@umbrella.example, code 9034');
    expect(choicesIn(form)).toEqual(['jane@acme.com', 'amara@umbrella.example', '9034']);
    const results = await found(form, '', 'Amara', 'amara@umbrella.example');
    expect(readable(results.blocks)).not.toContain('Jane');
  });

  it('shows Details on top, and Stop on top of that', async () => {
    const results = await found(await open('hello'), 'jane', 'Jane Cooper');
    const redirect = await anotherLink(await alex().watch(results));
    await sandbox().service.openWatchLink(redirect.headers.get('location') ?? '');
    await alex().pickInView(results, /^Jane Cooper/);
    const details = await alex().modal(shows('Lookup code: 4821'));
    const answer = await alex().stop(() => alex().pressInModal(details, /^Stop/));
    expect(readable(answer.blocks)).toContain('The session with Jane Cooper was stopped');
    const shown = alex().views();
    expect(shown.map(({ id }) => id)).toEqual([results.id, details.id, expect.any(String)]);
    await sandbox().slack.closeView({ as: ALEX, view_id: shown.at(-1)?.id ?? '' });
    expect(alex().views().at(-1)).toEqual(details);
  });

  it('remembers through Details where the session belongs: its summary threads under the message', async () => {
    const question = await alex().say('please help tag:wholesale');
    const form = await alex().shortcut(question, 'find_visitor', isForm);
    await alex().pickInView(await found(form, 'tag:wholesale', 'Sofía'), /^Sofía/);
    const summary = await summaryOf(await alex().modal(shows('Lookup code: 9034')), 'Sofía Martínez');
    expect(summary).toMatchObject({ channel: SUPPORT, thread_ts: question.ts, ephemeral: false });
  });

  it('threads under the first message of a thread, not under the reply it was used on', async () => {
    const root = alex().existing(/stuck at checkout/);
    await sandbox().slack.message({ as: SAM, channel: SUPPORT, text: 'priya55 it is', thread_ts: root.ts });
    const reply = await alex().message(({ text }) => text === 'priya55 it is');
    const form = await alex().shortcut(reply, 'find_visitor', isForm);
    const summary = await summaryOf(await found(form, 'priya', 'Priya'), 'Priya Natarajan');
    expect(summary.thread_ts).toBe(root.ts);
  });
});

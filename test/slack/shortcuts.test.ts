import { describe, expect, it } from 'vitest';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { ALEX, SAM, SUPPORT, anotherLink, personIn, readable } from '../support/person.ts';
import { choicesIn, isForm, shows, suggestionIn } from './forms.ts';

describe('the shortcut Find visitor', () => {
  const { sandbox } = checkedSandbox();
  const open = async (text: string) => {
    const alex = personIn(sandbox());
    return alex.shortcut(await alex.say(text), 'find_visitor', isForm);
  };

  it.each([
    ['stuck, says id:customer-1001', 'id:customer-1001'],
    ['lookup code 4821', '4821'],
    ['on https://shop.acme.example/cart?token=secret', 'shop.acme.example/cart'],
    ['see https://dashboard.example/visitors/Xq9Z?x=1', 'Xq9Z'],
  ])('shows the one thing it found in %j, to edit', async (text, clue) => {
    const form = await open(text);
    expect(form.title).toBe('Find visitor');
    expect(choicesIn(form)).toEqual([]);
    expect(suggestionIn(form)).toBe(clue);
    expect(readable(form.blocks)).toContain('Edit if needed.');
  });

  it.each(['stuck, says jane@acme.com', 'jane@acme.com, code 9034, on https://shop.acme.example/cart'])(
    'searches at once where the message holds one email: %s',
    async (text) => {
      const alex = personIn(sandbox());
      const message = await alex.say(text);
      const results = await alex.shortcut(message, 'find_visitor', shows('Lookup code: 4821'));
      expect(results.title).toBe('Find visitor');
      expect(readable(results.blocks)).toContain('The session notes will start with a link to this message.');
      await anotherLink(await alex.watch(results));
      const asked = sandbox().service.requests.findLast(({ path }) => path.endsWith('/watch_url'));
      expect(asked?.body).toMatchObject({ initial_notes: message.permalink });
    },
  );

  it('offers a choice if it found several, and searches for it', async () => {
    const alex = personIn(sandbox());
    const form = await open('jane@acme.com or amara@umbrella.example, code 9034');
    expect(choicesIn(form)).toEqual(['jane@acme.com', 'amara@umbrella.example', '9034']);
    await alex.submit(form, '', 'amara@umbrella.example');
    const results = await alex.modal(
      ({ id, blocks }) => id === form.id && readable(blocks).includes('Amara'),
    );
    expect(readable(results.blocks)).not.toContain('Jane');
  });

  it('shows Details on top, and Stop on top of that', async () => {
    const alex = personIn(sandbox());
    const form = await open('hello');
    await alex.submit(form, 'jane');
    const results = await alex.modal(
      ({ id, blocks }) => id === form.id && readable(blocks).includes('Jane Cooper'),
    );
    const redirect = await anotherLink(await alex.watch(results));
    await sandbox().service.openWatchLink(redirect.headers.get('location') ?? '');
    await alex.pickInView(results, /^Jane Cooper/);
    const details = await alex.modal(({ blocks }) => readable(blocks).includes('Lookup code: 4821'));
    const answer = await alex.stop(() => alex.pressInModal(details, /^Stop/));
    expect(readable(answer.blocks)).toContain('The session with Jane Cooper was stopped');
    expect(
      alex
        .views()
        .map(({ id }) => id)
        .slice(0, 2),
    ).toEqual([results.id, details.id]);
    expect(alex.views()).toHaveLength(3);
    await sandbox().slack.closeView({ as: ALEX, view_id: alex.views()[2]?.id ?? '' });
    expect(alex.views().at(-1)).toEqual(details);
  });

  it('remembers through Details where the session belongs: its summary threads under the message', async () => {
    const alex = personIn(sandbox());
    const question = await alex.say('please help tag:wholesale');
    const form = await alex.shortcut(question, 'find_visitor', isForm);
    await alex.submit(form, 'tag:wholesale');
    const results = await alex.modal(
      ({ id, blocks }) => id === form.id && readable(blocks).includes('Sofía'),
    );
    await alex.pickInView(results, /^Sofía/);
    const details = await alex.modal(({ blocks }) => readable(blocks).includes('Lookup code: 9034'));
    const watched = await alex.watch(details);
    const session = await sandbox().service.openWatchLink(watched.headers.get('location') ?? '');
    await sandbox().service.endSession(session.id);
    const summary = await alex.message(({ text }) => text.includes('Visitor: Sofía Martínez'));
    expect(summary).toMatchObject({ channel: SUPPORT, thread_ts: question.ts, ephemeral: false });
  });

  it('threads under the first message of a thread, not under the reply it was used on', async () => {
    const alex = personIn(sandbox());
    const root = alex.existing(/stuck at checkout/);
    await sandbox().slack.message({ as: SAM, channel: SUPPORT, text: 'priya55 it is', thread_ts: root.ts });
    const reply = await alex.message(({ text }) => text === 'priya55 it is');
    const form = await alex.shortcut(reply, 'find_visitor', isForm);
    await alex.submit(form, 'priya');
    const results = await alex.modal(
      ({ id, blocks }) => id === form.id && readable(blocks).includes('Priya'),
    );
    const watched = await alex.watch(results);
    const session = await sandbox().service.openWatchLink(watched.headers.get('location') ?? '');
    await sandbox().service.endSession(session.id);
    const summary = await alex.message(({ text }) => text.includes('Visitor: Priya Natarajan'));
    expect(summary.thread_ts).toBe(root.ts);
  });
});

import { describe, expect, it } from 'vitest';
import { acme } from '../../sandbox/slack/seed.ts';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { ALEX, SAM, SUPPORT, buttonsIn, anotherLink, personIn, readable } from '../support/person.ts';
import { choicesIn, isForm, shows, suggestionIn } from './forms.ts';

/** A helpdesk's message with text only in its blocks. */
const inBlocks = {
  channel: SUPPORT,
  user: 'U0HELPDESK',
  text: 'New conversation',
  minutesAgo: 5,
  blocks: [
    {
      type: 'rich_text',
      elements: [
        {
          type: 'rich_text_section',
          elements: [
            { type: 'text', text: 'From ' },
            { type: 'link', url: 'mailto:amara@umbrella.example', text: 'amara@umbrella.example' },
          ],
        },
      ],
    },
  ],
};

describe('the shortcut Find visitor', () => {
  const seed = { ...acme, messages: [...acme.messages, inBlocks] };
  const { sandbox } = checkedSandbox({ slack: { seed } });
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

  it('asks if it found nothing', async () => {
    const form = await open('hello there');
    expect(suggestionIn(form)).toBe('');
    expect(readable(form.blocks)).toContain('I found nothing to search for in this message.');
  });

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

  it('searches for what was typed instead of the choice', async () => {
    const alex = personIn(sandbox());
    const form = await open('jane@acme.com or amara@umbrella.example');
    await alex.submit(form, 'priya', 'jane@acme.com');
    const results = await alex.modal(shows('Priya Natarajan'));
    expect(readable(results.blocks)).not.toContain('Jane Cooper');
  });

  it('finds what is in the blocks of a bot’s message', async () => {
    const alex = personIn(sandbox());
    const message = alex.existing(/New conversation/);
    const results = await alex.shortcut(message, 'find_visitor', shows('1 customer matching amara'));
    expect(readable(results.blocks)).toContain('amara@umbrella.example');
  });

  it('opens a loading view first, then the form instead', async () => {
    const before = sandbox().slack.calls.length;
    await open('hello');
    const calls = sandbox()
      .slack.calls.slice(before)
      .map(({ method }) => method);
    expect(calls.filter((method) => method.startsWith('views.'))).toEqual(['views.open', 'views.update']);
  });

  it('says in the modal that nobody matches', async () => {
    const alex = personIn(sandbox());
    const message = await alex.say('nobody@nowhere.example');
    const answer = await alex.shortcut(
      message,
      'find_visitor',
      shows('No customer matches nobody@nowhere.example.'),
    );
    expect(answer.title).toBe('Find visitor');
    expect(readable(answer.blocks)).not.toContain('notes');
  });

  it('says beside the field that the text is too long', async () => {
    const alex = personIn(sandbox());
    const form = await open('hello');
    await alex.submit(form, 'x'.repeat(201));
    const kept = await alex.modal(({ id, errors }) => id === form.id && Object.keys(errors).length > 0);
    expect(kept.errors).toEqual({ text: 'Search is limited to 200 characters.' });
    expect(kept.submit).toBe('Continue');
  });

  it('goes to the next page inside the modal', async () => {
    const alex = personIn(sandbox());
    const form = await open('hello');
    await alex.submit(form, 'online');
    for (const code of ['a', 'b', 'c', 'd', 'e', 'f']) {
      sandbox().service.addVisitor({ short_id: `more-${code}`, is_online: true, lastSeenMinutesAgo: 500 });
    }
    await alex.submit(await open('hello'), 'online');
    const first = await alex.modal(({ blocks }) =>
      buttonsIn(blocks).some(({ text }) => text.text === 'Next'),
    );
    await alex.pressInModal(first, /^Next/);
    const next = await alex.modal(({ blocks }) => readable(blocks).includes('Customers 7 to '));
    expect(next.id).toBe(first.id);
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

import { describe, expect, it } from 'vitest';
import type { PageView } from '../../sandbox/slack/page-api.ts';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { ALEX, SAM, SUPPORT, anotherLink, buttonsIn, personIn, readable } from '../support/person.ts';
import { choicesIn, isForm, shows, suggestionIn } from './forms.ts';

const { sandbox } = checkedSandbox({ service: { sessionLimit: 10 } });
const alex = () => personIn(sandbox());
/** Opens the live view that a press of Watch led to. */
const begin = async (watched: Response) =>
  sandbox().service.openWatchLink((await anotherLink(watched)).headers.get('location') ?? '');

const open = async (text: string) => alex().shortcut(await alex().say(text), 'find_visitor', isForm);

/** What is found by the form, in its place. */
async function found(form: PageView, typed: string, name: string, chosen?: string): Promise<PageView> {
  await alex().submit(form, typed, chosen);
  return alex().modal(({ id, blocks }) => id === form.id && readable(blocks).includes(name));
}

/** What is posted about a session that was begun there and has ended. */
async function summaryOf(view: PageView, name: string) {
  await sandbox().service.endSession((await begin(await alex().watch(view))).id);
  return alex().message(
    ({ text }) => text.includes(`${name} `) && /session ended|asked to see the screen/.test(text),
  );
}

const stops = () =>
  sandbox().service.requests.flatMap(({ method, path }) => (method === 'DELETE' ? [path] : []));
const isQuestion = ({ blocks }: PageView) => buttonsIn(blocks).length === 1;
const startSessionWith = async (visitorId: string) =>
  begin(await alex().watch(await alex().type(`/cobrowse watch ${visitorId}`)));

describe('the shortcut Find visitor', () => {
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
    await begin(await alex().watch(results));
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

describe('a message with an email that has an apostrophe', () => {
  // As Slack sends it: it takes the second half for the address.
  const LETTER = "pat.o'brien@example.test has a question";

  it.each(['find_visitor', 'stop_session'])('never leads to who has a part of it: %s', async (shortcut) => {
    sandbox().service.addVisitor({ short_id: 'brien', identities: ['Brien'], email: 'brien@example.test' });
    const answer = await alex().shortcut(await alex().say(LETTER), shortcut, shows('No customer matches'));
    expect(readable(answer.blocks)).toContain("pat.o'brien@example.test");
    expect(readable(answer.blocks)).not.toContain('Brien ·');
  });
});

describe('the shortcut Look up agent', () => {
  it('shows the author immediately if the message has no email', async () => {
    const message = await alex().say('I can take this one.');
    const words = shows('Alex Rivera · alex@acme.com');
    const answer = await personIn(sandbox(), SAM).shortcut(message, 'look_up_agent', words);
    expect(answer.title).toBe('Look up agent');
  });

  it('asks whether the author or the email is meant, and says beside the field what isn’t an email', async () => {
    const form = await alex().shortcut(await alex().say('ask robin@acme.com'), 'look_up_agent', isForm);
    expect(choicesIn(form)).toEqual([`<@${ALEX}>`, 'robin@acme.com']);
    expect(readable(form.blocks)).toContain('The author of the message');
    await alex().submit(form, 'Robin');
    const kept = await alex().modal(({ errors }) => Object.keys(errors).length > 0);
    expect(kept.errors).toEqual({ text: 'That isn’t an email address, an @mention or external:<id>.' });
    await alex().submit(kept, '', 'robin@acme.com');
    await alex().modal(shows('Robin Marsh'));
  });
});

describe('the shortcut Stop session', () => {
  it('asks in the modal, at once if one visitor is named, or when its form is sent, and stops on the press', async () => {
    await startSessionWith('jane4821');
    await startSessionWith('Xq9Z');
    const before = stops();
    const named = await alex().say('please stop with jane@acme.com');
    const atOnce = await alex().shortcut(named, 'stop_session', isQuestion);
    expect(readable(atOnce.blocks)).toContain('Jane Cooper');
    const several = await alex().say('jane@acme.com or code 9034');
    const form = await alex().shortcut(several, 'stop_session', isForm);
    await alex().submit(form, '', '9034');
    const asked = await alex().modal((view) => view.id === form.id && isQuestion(view));
    expect(readable(asked.blocks)).toContain('Sofía Martínez');
    expect(stops()).toEqual(before);
    const answer = await alex().stop(() => alex().pressInModal(asked, /^Stop/));
    expect(readable(answer.blocks)).toContain('The session with Sofía Martínez was stopped');
    expect(stops()).toEqual([...before, '/v1.3/visitors/Xq9Z/session']);
  });
});

import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { PageMessage, PageView } from '../../sandbox/slack/page-api.ts';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { ALEX, SALES, anotherLink, personIn, readable } from '../support/person.ts';

const { sandbox } = checkedSandbox();
const Body = z.object({ initial_notes: z.string().optional() });
const isForm = (view: PageView) => view.submit !== undefined;
const hasNotes = (view: PageView) => view.blocks.some((block) => block.block_id === 'notes');

/** The form of "Find visitor" on this message, sent with the box checked or not; gives the results. */
async function find(message: PageMessage, { search = 'jane', checked = true } = {}) {
  const alex = personIn(sandbox());
  const form = await alex.shortcut(message, 'find_visitor', isForm);
  expect(hasNotes(form)).toBe(true);
  const text = { value: { type: 'plain_text_input', value: search } };
  const notes = { value: { type: 'checkboxes', selected_options: checked ? [{ value: 'yes' }] : [] } };
  const outcome = await sandbox().slack.submit({ as: ALEX, view_id: form.id, state: { text, notes } });
  if (!outcome.ok) throw new Error(outcome.error);
  return alex.modal(
    (view) => view.id === form.id && /customers? matching|Customers \d/.test(readable(view.blocks)),
  );
}

/** Presses Watch and gives the notes that the service was asked to begin with. */
async function notesAtWatch(view: PageView, label = /^Watch/): Promise<string | undefined> {
  await anotherLink(await personIn(sandbox()).watch(view, label));
  const asked = sandbox().service.requests.findLast(({ path }) => path.endsWith('/watch_url'));
  return Body.parse(asked?.body).initial_notes;
}

describe('the notes of a session that starts from a message', () => {
  it('begin with the address of the message where the box is checked, and are else left alone', async () => {
    const message = personIn(sandbox()).existing(/lookup code 9034/);
    expect(message.permalink).toMatch(/^http/);
    expect(await notesAtWatch(await find(message))).toBe(message.permalink);
    expect(await notesAtWatch(await find(message, { checked: false }))).toBeUndefined();
  });

  it('stay through pages and Details', async () => {
    const alex = personIn(sandbox());
    const message = alex.existing(/lookup code 9034/);
    const results = await find(message, { search: 'e' });
    const first = readable(results.blocks);
    await alex.pressInModal(results, /^Next customers/);
    const more = await alex.modal((view) => view.id === results.id && readable(view.blocks) !== first);
    const before = new Set(alex.views().map(({ id }) => id));
    await alex.pickInView(more, /^Jane Cooper/);
    const details = await alex.modal((view) => !before.has(view.id) && /Id: /.test(readable(view.blocks)));
    expect(await notesAtWatch(details)).toBe(message.permalink);
  });

  it('do not keep the search from going on where the app is not in the channel', async () => {
    const message = await personIn(sandbox(), ALEX, SALES).say('Jane asks');
    const results = await find(message);
    expect(readable(results.blocks)).toContain('The notes won’t start with a link to the message');
    expect(await notesAtWatch(results)).toBeUndefined();
  });
});

const onPremise = checkedSandbox({ deployment: 'on-premise' });

it('the form of Find visitor offers no notes on-premise, where the service would not take them', async () => {
  const alex = personIn(onPremise.sandbox());
  const form = await alex.shortcut(alex.existing(/lookup code 9034/), 'find_visitor', isForm);
  expect(hasNotes(form)).toBe(false);
});

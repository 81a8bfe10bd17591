import { describe, expect, it } from 'vitest';
import { alex, input, json, modal, plain, sam, section, startBoth, type Respond } from './tiny-app.ts';

const form = modal({
  submit: plain('Search'),
  blocks: [input('who', { type: 'plain_text_input', initial_value: 'jane' })],
});
const typed = (value: string) => ({ who: { it: { type: 'plain_text_input', value } } });
const tooLong = modal({ title: plain('x'.repeat(25)) });
const two = modal({ title: plain('Two') });
const trouble = { '': 'We had some trouble connecting. Try again?' };

describe('a trigger_id', () => {
  it('opens one modal, for one person', async () => {
    const { slack, trigger, mismatches } = await startBoth();
    const trigger_id = await trigger();
    expect(
      await mismatches(
        ['views.open', { trigger_id: await trigger(), view: tooLong }, 'invalid_arguments'],
        ['views.open', { trigger_id, view: modal() }, { ok: true }],
        ['views.open', { trigger_id, view: modal() }, 'exchanged_trigger_id'],
        ['views.open', { trigger_id: 'x', view: modal() }, 'invalid_trigger_id'],
      ),
    ).toEqual([]);
    expect(slack.snapshot(alex).views).toMatchObject([{ title: 'A modal', blocks: [section('inside')] }]);
    expect(slack.snapshot(sam).views).toEqual([]);
  });

  it('lives three seconds', async () => {
    let nowMs = 1_700_000_000_000;
    const { trigger, mismatches } = await startBoth({ now: () => nowMs });
    const [early, late] = [await trigger(), await trigger()];
    nowMs += 3000;
    const opening = (trigger_id: unknown, wanted: string | object) =>
      mismatches(['views.open', { trigger_id, view: modal() }, wanted]);
    expect(await opening(early, { ok: true })).toEqual([]);
    nowMs += 1;
    expect(await opening(late, 'expired_trigger_id')).toEqual([]);
  });
});

describe('views.push and views.update', () => {
  it('pile up three modals and no more', async () => {
    const { slack, open, trigger, mismatches } = await startBoth();
    const id = await open(modal());
    const push = async (wanted: string | object) =>
      expect(
        await mismatches(['views.push', { trigger_id: await trigger(), view: modal() }, wanted]),
      ).toEqual([]);
    await push({ ok: true, view: { root_view_id: id, previous_view_id: id } });
    await push({ ok: true });
    await push('push_limit_reached');
    expect(slack.snapshot(alex).views).toHaveLength(3);
  });

  it('update a modal while it is open', async () => {
    const { slack, open, mismatches } = await startBoth();
    const view_id = await open(modal());
    await slack.closeView({ as: alex, view_id });
    expect(await mismatches(['views.update', { view_id, view: modal() }, 'not_found'])).toEqual([]);
  });
});

describe('a submitted modal', () => {
  it('stays with Slack while a required input is empty', async () => {
    const { slack, app, open } = await startBoth();
    const view_id = await open(form);
    await slack.submit({ as: alex, view_id, state: typed('') });
    const errors = { who: 'Please complete this required field.' };
    expect(slack.snapshot(alex).views).toMatchObject([{ errors }]);
    expect(app.received).toHaveLength(1);
  });

  const errors = { who: 'Nobody.' };
  it.each<[string, Respond, readonly object[]]>([
    ['shows errors', json({ response_action: 'errors', errors }), [{ title: 'A modal', errors }]],
    ['changes', json({ response_action: 'update', view: two }), [{ title: 'Two', errors: {} }]],
    ['shows trouble for an unknown action', json({ response_action: 'dance' }), [{ errors: trouble }]],
    ['shows trouble for a bad view', json({ response_action: 'update', view: {} }), [{ errors: trouble }]],
    ['shows trouble for none', (response) => response.writeHead(500).end(), [{ errors: trouble }]],
  ])('%s as the acknowledgement says', async (_name, answer, views) => {
    const { slack, app, open } = await startBoth();
    const view_id = await open(form);
    app.acknowledgeWith(answer);
    await slack.submit({ as: alex, view_id, state: {} });
    expect(slack.snapshot(alex).views).toMatchObject(views);
    expect(slack.snapshot(alex).views).toHaveLength(views.length);
  });
});

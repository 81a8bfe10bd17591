import { describe, expect, it } from 'vitest';

import { startWithModal, startWithTrigger } from './open-modal.ts';
import { alex, modal, sam, section } from './tiny-app.ts';

const plain = (text: string) => ({ type: 'plain_text', text });

describe('a trigger_id', () => {
  it('opens one modal', async () => {
    await using both = await startWithTrigger();
    const trigger_id = await both.trigger();
    expect(await both.call('views.open', { trigger_id, view: modal() })).toMatchObject({ ok: true });
    expect(both.slack.snapshot(alex).views).toMatchObject([
      { title: 'A modal', blocks: [section('inside')] },
    ]);
    expect(both.slack.snapshot(sam).views).toEqual([]);
    expect(await both.call('views.open', { trigger_id, view: modal() })).toMatchObject({
      error: 'exchanged_trigger_id',
    });
    expect(await both.call('views.open', { trigger_id: 'x', view: modal() })).toMatchObject({
      error: 'invalid_trigger_id',
    });
  });

  it('lives three seconds', async () => {
    let nowMs = 1_700_000_000_000;
    await using both = await startWithTrigger({ now: () => nowMs });
    const [early, late] = [await both.trigger(), await both.trigger()];
    nowMs += 3000;
    expect(await both.call('views.open', { trigger_id: early, view: modal() })).toMatchObject({ ok: true });
    nowMs += 1;
    expect(await both.call('views.open', { trigger_id: late, view: modal() })).toMatchObject({
      error: 'expired_trigger_id',
    });
  });
});

describe('views.open, views.push and views.update', () => {
  it('refuse a bad view and say where', async () => {
    await using both = await startWithTrigger();
    const view = modal({ title: plain('x'.repeat(25)) });
    expect(await both.call('views.open', { trigger_id: await both.trigger(), view })).toMatchObject({
      error: 'invalid_arguments',
      response_metadata: { messages: ['[ERROR] must be less than 25 characters [json-pointer:/title/text]'] },
    });
  });

  it('pile up three modals and no more', async () => {
    await using both = await startWithModal(modal());
    const push = async () => both.call('views.push', { trigger_id: await both.trigger(), view: modal() });
    expect(await push()).toMatchObject({
      ok: true,
      view: { root_view_id: both.view_id, previous_view_id: both.view_id },
    });
    expect(await push()).toMatchObject({ ok: true });
    expect(await push()).toMatchObject({ error: 'push_limit_reached' });
    expect(both.slack.snapshot(alex).views).toHaveLength(3);
  });

  it('update a modal that is still open, by its id or the app’s own', async () => {
    await using both = await startWithModal(modal({ external_id: 'mine' }));
    const { view_id, hash } = both;
    const view = modal({ external_id: 'mine', title: plain('Found') });
    expect(await both.call('views.update', { view_id, view, hash })).toMatchObject({ ok: true });
    expect(both.slack.snapshot(alex).views).toMatchObject([{ title: 'Found' }]);
    expect(await both.call('views.update', { view_id, view, hash })).toMatchObject({
      error: 'hash_conflict',
    });
    expect(await both.call('views.update', { external_id: 'mine', view: modal() })).toMatchObject({
      ok: true,
    });
    await both.slack.closeView({ as: alex, view_id });
    expect(await both.call('views.update', { view_id, view })).toMatchObject({ error: 'not_found' });
  });
});

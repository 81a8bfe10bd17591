import { describe, expect, it } from 'vitest';

import { fullManifest } from './full-manifest.ts';
import { startWithModal } from './open-modal.ts';
import { alex, json, modal, sam, startBoth, support } from './tiny-app.ts';
import type { SlackOptions } from '../../../sandbox/slack/slack.ts';

const plain = (text: string) => ({ type: 'plain_text', text });
const option = (value: string) => ({ text: plain(value), value });
const options = (count: number) => Array.from({ length: count }, (_, index) => option(`visitor ${index}`));
const select = (rest: object = {}) => ({ type: 'external_select', action_id: 'visitor', ...rest });
const row = (rest: object = {}) => ({ type: 'actions', block_id: 'who', elements: [select(rest)] });

/** A message with a type-ahead over visitors, and an app that answers it with what it is given. */
const startWithSelect = async (answer: unknown, more: object = {}, settings: Partial<SlackOptions> = {}) => {
  const both = await startBoth({ manifest: fullManifest, ...settings });
  const blocks = [row(more)];
  const { ts } = await both.call('chat.postMessage', { channel: support, text: 'Who?', blocks });
  both.app.acknowledgeWith(json(answer));
  const source = { type: 'message', channel: support, ts } as const;
  return { ...both, place: { as: alex, source, block_id: 'who', action_id: 'visitor' } };
};

describe('an external select', () => {
  it('asks the app what may be chosen, and says where it stands', async () => {
    await using both = await startWithSelect({ options: options(2) });
    expect(await both.slack.suggest({ ...both.place, value: 'jane' })).toEqual({
      ok: true,
      options: options(2),
    });
    expect(both.app.last().payload).toMatchObject({
      type: 'block_suggestion',
      value: 'jane',
      block_id: 'who',
      action_id: 'visitor',
      user: { id: alex },
      team: { id: 'T0ACME00000' },
      container: { type: 'message', channel_id: support, message_ts: both.place.source.ts },
      channel: { id: support, name: 'support' },
      message: { text: 'Who?' },
    });
    expect(both.app.last().payload).not.toHaveProperty('trigger_id');
    expect(both.app.last().payload).not.toHaveProperty('response_url');
  });

  it.each([
    ['as a rule three', {}, 'ja', 'jan', 3],
    ['as told', { min_query_length: 1 }, '', 'j', 1],
  ])('asks for no fewer characters: %s', async (_name, more, short, enough, least) => {
    await using both = await startWithSelect({ options: [] }, more);
    expect(await both.slack.suggest({ ...both.place, value: short })).toEqual({
      ok: false,
      error: `Type at least ${least} characters.`,
    });
    expect(both.app.received).toEqual([]);
    expect(await both.slack.suggest({ ...both.place, value: enough })).toEqual({ ok: true, options: [] });
  });

  it.each([
    ['more than 100 options', { options: options(101) }, 'no more than 100 items allowed'],
    ['too long a text', { options: [option('x'.repeat(76))] }, 'must be less than 76 characters'],
    [
      'a url in an option',
      { options: [{ ...option('a'), url: 'https://a.b' }] },
      'invalid additional property',
    ],
    ['an option without value', { options: [{ text: plain('a') }] }, 'missing required field: value'],
    ['a bad group', { option_groups: [{ options: [] }] }, 'missing required field: label'],
    ['nothing', {}, 'missing required field: options'],
  ])('shows a failure for %s', async (_name, answer, problem) => {
    await using both = await startWithSelect(answer);
    expect(await both.slack.suggest({ ...both.place, value: 'jane' })).toEqual({
      ok: false,
      error: 'The options could not be loaded.',
    });
    expect(both.slack.calls.at(-1)).toMatchObject({ method: 'block_suggestion', args: answer });
    expect(both.slack.calls.at(-1)?.error).toContain(problem);
  });

  it('lets a person choose what they were offered, now or before, and nothing else', async () => {
    await using both = await startWithSelect({ options: [option('jane')] });
    const choose = (value: string, as = alex) =>
      both.slack.press({ ...both.place, as, selected_option: option(value) });
    expect(await choose('jane')).toMatchObject({ ok: false });
    await both.slack.suggest({ ...both.place, value: 'jane' });
    both.app.acknowledgeWith(json({ options: [option('omar')] }));
    await both.slack.suggest({ ...both.place, value: 'omar' });
    expect(await choose('jane')).toEqual({ ok: true });
    expect(both.app.last().payload).toMatchObject({
      type: 'block_actions',
      actions: [{ type: 'external_select', selected_option: option('jane') }],
    });
    expect(await choose('priya')).toMatchObject({ ok: false });
    expect(await choose('jane', sam)).toMatchObject({ ok: false });
  });

  it('brings the view from a modal, and its choice on submit', async () => {
    const input = { type: 'input', block_id: 'who', label: plain('Visitor'), element: select() };
    const view = modal({ submit: plain('Start'), private_metadata: 'kept', blocks: [input] });
    await using both = await startWithModal(view, { manifest: fullManifest });
    both.app.acknowledgeWith(json({ options: options(1) }));
    const source = { type: 'view', view_id: both.view_id } as const;
    const place = { as: alex, source, block_id: 'who', action_id: 'visitor' };
    expect(await both.slack.suggest({ ...place, value: 'vis' })).toMatchObject({ ok: true });
    expect(both.app.last().payload).toMatchObject({
      type: 'block_suggestion',
      container: { type: 'view', view_id: both.view_id },
      view: { private_metadata: 'kept', callback_id: 'the_modal' },
    });
    expect(both.app.last().payload).not.toHaveProperty('channel');
    both.app.acknowledgeWith((response) => response.end());
    const state = { who: { visitor: { type: 'external_select', selected_option: option('visitor 0') } } };
    await both.slack.submit({ as: alex, view_id: both.view_id, state });
    expect(both.app.last().payload).toMatchObject({
      type: 'view_submission',
      view: { state: { values: state } },
    });
  });
});

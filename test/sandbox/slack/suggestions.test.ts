import { describe, expect, it } from 'vitest';
import { alex, json, option, options, row, sam, startBoth, support } from './tiny-app.ts';

const select = (rest: object = {}) => ({ type: 'external_select', action_id: 'it', ...rest });

/** A message with a type-ahead over visitors, and an app that answers it with what it is given. */
async function startWithSelect(answer: unknown, rest: object = {}) {
  const both = await startBoth();
  const ts = await both.post('Who?', { blocks: [row(select(rest))] });
  both.app.acknowledgeWith(json(answer));
  const place = {
    as: alex,
    source: { type: 'message', channel: support, ts } as const,
    block_id: 'row',
    action_id: 'it',
  };
  return { ...both, ts, place, suggest: (value: string) => both.slack.suggest({ ...place, value }) };
}

describe('an external select', () => {
  it.each([
    ['more than 100 options', { options: options(101) }, 'no more than 100 items allowed'],
    ['too long a text', { options: [option('x'.repeat(76))] }, 'must be less than 76 characters'],
    ['a bad group', { option_groups: [{ options: [] }] }, 'missing required field: label'],
    ['nothing', {}, 'missing required field: options'],
  ])('shows a failure for %s', async (_name, answer, problem) => {
    const { slack, suggest } = await startWithSelect(answer);
    expect(await suggest('jane')).toEqual({ ok: false, error: 'The options could not be loaded.' });
    const error = expect.stringContaining(problem);
    expect(slack.calls.at(-1)).toEqual({ method: 'block_suggestion', args: answer, error });
  });

  it('lets a person choose what they were offered, now or before, and nothing else', async () => {
    const { slack, app, suggest, place, payload } = await startWithSelect({ options: [option('jane')] });
    const choose = (value: string, as = alex) =>
      slack.press({ ...place, as, selected_option: option(value) });
    expect(await choose('jane')).toMatchObject({ ok: false });
    await suggest('jane');
    app.acknowledgeWith(json({ options: [option('omar')] }));
    await suggest('omar');
    expect(await choose('jane')).toEqual({ ok: true });
    const action = { type: 'external_select', selected_option: option('jane') };
    expect(payload()).toMatchObject({ type: 'block_actions', actions: [action] });
    expect(await choose('priya')).toMatchObject({ ok: false });
    expect(await choose('jane', sam)).toMatchObject({ ok: false });
  });
});

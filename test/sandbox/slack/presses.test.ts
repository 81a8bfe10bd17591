import { describe, expect, it } from 'vitest';
import { alex, button, option, row, sam, startBoth, support } from './tiny-app.ts';

const menu = { type: 'static_select', action_id: 'choose', options: [option('one'), option('two')] };
const blocks = [row(menu, button('watch', { value: 'v-1' }))];

async function startWithMessage(posted: readonly object[] = blocks) {
  const both = await startBoth();
  const ts = await both.post('Jane', { blocks: posted });
  const source = { type: 'message', channel: support, ts } as const;
  const press = (action_id: string, rest: object = {}) =>
    both.slack.press({ as: alex, source, block_id: 'row', action_id, ...rest });
  return { ...both, ts, press };
}

describe('a press in a message', () => {
  it('leaves the message out where it is ephemeral: Slack keeps no copy', async () => {
    const { slack, whisper, payload } = await startBoth();
    const source = { type: 'message', channel: support, ts: await whisper('Jane', { blocks }) } as const;
    await slack.press({ as: alex, source, block_id: 'row', action_id: 'watch' });
    expect(payload()).toMatchObject({ container: { is_ephemeral: true } });
    expect(payload()).not.toHaveProperty('message');
    const bySam = { as: sam, source, block_id: 'row', action_id: 'watch' };
    expect(await slack.press(bySam)).toMatchObject({ ok: false });
  });

  it('is marked failed when nobody acknowledges, until it works', async () => {
    const { slack, app, press } = await startWithMessage();
    app.acknowledgeWith((response) => response.writeHead(500).end());
    await press('watch');
    expect(slack.snapshot(alex)).toMatchObject({ pending: [], failed: ['row/watch'] });
    app.acknowledgeWith((response) => response.end());
    await press('watch');
    expect(slack.snapshot(alex).failed).toEqual([]);
  });

  it('on what is not there is refused', async () => {
    const { app, press } = await startWithMessage();
    const gone = { type: 'message', channel: support, ts: '1.000001' };
    expect(await press('watch', { source: gone })).toMatchObject({ ok: false });
    expect(await press('stop')).toMatchObject({ ok: false });
    expect(app.received).toEqual([]);
  });

  it('never has the address it opens from the page, and is lost where the client loses such presses', async () => {
    const url = 'https://app.example/watch';
    const { slack, app, press, payload } = await startWithMessage([
      row(button('watch', { url }), button('stop')),
    ]);
    slack.changePerson(alex, { losesLinkPresses: true });
    expect(await press('watch')).toEqual({ ok: true });
    expect(app.received).toEqual([]);
    await press('stop');
    expect(app.received).toHaveLength(1);
    slack.changePerson(alex, { losesLinkPresses: false });
    const evil = { url: 'https://evil.example' };
    await press('watch', { selected_option: evil, state: { row: { watch: evil } } });
    expect(payload()).toMatchObject({ actions: [{ action_id: 'watch', url }] });
  });
});

const link = option('open', { url: 'https://app.example/help' });
const boxes = { options: [option('one'), option('two')], initial_options: [option('one')] };

describe('a choice', () => {
  it.each<[string, object, object, object, object]>([
    ['static_select', menu, {}, { selected_option: option('one') }, { selected_option: option('three') }],
    ['overflow', { options: [option('stop'), link] }, {}, { selected_option: link }, {}],
    ['checkboxes', boxes, { selected_options: boxes.options }, {}, { selected_options: [option('three')] }],
    ['conversations_select', {}, { selected_conversation: support }, {}, { selected_conversation: 'C404' }],
  ])('in %s is sent whole if it can be made there: %o', async (type, rest, state, chosen, not) => {
    const { press, payload } = await startWithMessage([row({ ...rest, type, action_id: 'it' })]);
    const choose = (values: object, more: object) =>
      press('it', { ...more, state: { row: { it: { type, ...values } } } });
    expect(await choose(state, chosen)).toEqual({ ok: true });
    expect(payload()).toMatchObject({ actions: [{ type, ...state, ...chosen }] });
    expect(await choose('selected_option' in not ? {} : not, not)).toMatchObject({ ok: false });
  });
});

import { describe, expect, it } from 'vitest';

import { blockKitProblems } from '../../../sandbox/slack/block-kit.ts';

const plain = (text: string) => ({ type: 'plain_text', text });
const button = (rest: object = {}) => ({ type: 'button', text: plain('Press'), ...rest });
const option = (value: string, rest: object = {}) => ({ text: plain(value), value, ...rest });
const options = (count: number) => Array.from({ length: count }, (_, index) => option(`option ${index}`));
const divider = (blockId?: string) => ({
  type: 'divider',
  ...(blockId === undefined ? {} : { block_id: blockId }),
});
const actions = (...elements: readonly object[]) => ({ type: 'actions', elements });
const input = (element: object, rest: object = {}) => ({
  type: 'input',
  label: plain('Label'),
  element,
  ...rest,
});
const rich = (...elements: readonly object[]) => ({ type: 'rich_text', elements });
const words = (...elements: readonly object[]) => ({ type: 'rich_text_section', elements });
const confirm = (rest: object = {}) => ({
  title: plain('Sure?'),
  text: plain('It stops.'),
  confirm: plain('Stop'),
  deny: plain('Cancel'),
  ...rest,
});
const inMessage = (...blocks: readonly unknown[]) => blockKitProblems('message', { text: 'Hello', blocks });

/** Things that are wrong whatever their size. */
const wrong: readonly (readonly [string, unknown, string])[] = [
  ['an unknown block', { type: 'marquee' }, 'unsupported type: marquee [json-pointer:/blocks/0/type]'],
  ['an unknown key', { type: 'divider', colour: 'red' }, 'invalid additional property: colour'],
  ['an unknown element', actions({ type: 'slider' }), 'unsupported type: slider'],
  [
    'an element in the wrong place',
    actions({ type: 'plain_text_input' }),
    'unsupported type: plain_text_input',
  ],
  ['a button as an input', input(button()), 'unsupported type: button'],
  ['a section with nothing in it', { type: 'section' }, 'missing required field: text or fields'],
  ['an empty text', { type: 'section', text: plain('') }, 'must be more than 0 characters'],
  ['no text', { type: 'header' }, 'missing required field: text'],
  ['mrkdwn in a header', { type: 'header', text: { type: 'mrkdwn', text: 'x' } }, 'expected "plain_text"'],
  ['mrkdwn on a button', actions(button({ text: { type: 'mrkdwn', text: 'x' } })), 'expected "plain_text"'],
  ['no elements', actions(), 'no fewer than 1 items allowed'],
  ['a script address', actions(button({ url: 'javascript:alert(1)' })), 'must be an http or https URL'],
  ['a relative address', actions(button({ url: '/watch' })), 'must be an http or https URL'],
  ['an unknown style', actions(button({ style: 'green' })), '[json-pointer:/blocks/0/elements/0/style]'],
  [
    'an image without alt_text',
    { type: 'image', image_url: 'https://a.b/c.png' },
    'missing required field: alt_text',
  ],
  [
    'an image from two places',
    { type: 'image', image_url: 'https://a.b/c.png', slack_file: { id: 'F1' }, alt_text: 'x' },
    'needs either image_url or slack_file',
  ],
  ['an image from nowhere', { type: 'image', alt_text: 'x' }, 'needs either image_url or slack_file'],
  [
    'an image by the address of a file',
    { type: 'image', slack_file: { url: 'https://a.b/c.png' }, alt_text: 'x' },
    'missing required field: id',
  ],
  ['a time that is none', actions({ type: 'timepicker', initial_time: '24:10' }), 'initial_time'],
  ['a time with seconds', actions({ type: 'timepicker', initial_time: '23:10:00' }), 'initial_time'],
  ['a select without options', actions({ type: 'static_select' }), 'needs either options or option_groups'],
  [
    'a start value that is no option',
    actions({ type: 'static_select', options: options(2), initial_option: option('z') }),
    'initial_option must be one of the options',
  ],
  [
    'a url in a select option',
    actions({ type: 'static_select', options: [option('a', { url: 'https://a.b' })] }),
    'invalid additional property: url',
  ],
  ['an empty filter', actions({ type: 'conversations_select', filter: {} }), 'needs at least one field'],
  ['a date that is none', actions({ type: 'datepicker', initial_date: '2026-13-01' }), 'initial_date'],
  [
    'lengths that cross',
    input({ type: 'plain_text_input', min_length: 5, max_length: 4 }),
    'min_length must not be greater',
  ],
  ['an unknown rich text element', rich(words({ type: 'blink', text: 'x' })), 'unsupported type: blink'],
  ['an empty rich text', rich(words({ type: 'text', text: '' })), 'must be more than 0 characters'],
  [
    'a script link in rich text',
    rich(words({ type: 'link', url: 'javascript:x' })),
    'must be an http, https or mailto URL',
  ],
  [
    'a mention in preformatted text',
    rich({ type: 'rich_text_preformatted', elements: [{ type: 'user', user_id: 'U1' }] }),
    'unsupported type: user',
  ],
];

describe('the shape of blocks', () => {
  it.each(wrong)('refuses %s', (_name, block, problem) => {
    expect(inMessage(block).join('\n')).toContain(problem);
  });

  it('accepts every block and element it knows', () => {
    const menu = {
      placeholder: plain('Choose'),
      focus_on_load: false,
      confirm: confirm({ style: 'danger' }),
    };
    const image = { type: 'image', image_url: 'https://a.b/c.png', alt_text: 'A picture' };
    const everything = [
      {
        type: 'section',
        text: { type: 'mrkdwn', text: '*x*', verbatim: true },
        accessory: image,
        expand: true,
      },
      { type: 'section', fields: [plain('x')], accessory: button({ style: 'primary', url: 'https://a.b' }) },
      { type: 'context', elements: [image, { type: 'mrkdwn', text: 'x' }] },
      { ...image, title: plain('x') },
      { type: 'image', slack_file: { id: 'F1' }, alt_text: 'A picture' },
      actions(
        { type: 'static_select', ...menu, option_groups: [{ label: plain('x'), options: options(2) }] },
        { type: 'external_select', ...menu, min_query_length: 2 },
        { type: 'users_select', ...menu, initial_user: 'U1' },
        { type: 'channels_select', ...menu, response_url_enabled: true },
        { type: 'conversations_select', ...menu, filter: { include: ['public'] } },
        { type: 'datepicker', ...menu, initial_date: '2026-01-31' },
        { type: 'timepicker', ...menu, initial_time: '23:59', timezone: 'Europe/Amsterdam' },
        { type: 'overflow', options: [option('a', { url: 'https://a.b', description: plain('x') })] },
        { type: 'radio_buttons', options: options(2), initial_option: option('option 0') },
        { type: 'checkboxes', options: options(2), initial_options: [option('option 1')] },
      ),
      input({ type: 'plain_text_input', multiline: true, initial_value: '' }, { optional: true }),
    ];
    expect(inMessage(...everything)).toEqual([]);
  });

  it('accepts every element of rich text', () => {
    const style = { bold: true, italic: true, strike: true, code: true };
    const inline = [
      { type: 'text', text: 'x', style },
      { type: 'link', url: 'mailto:a@b.c', text: 'a@b.c' },
      { type: 'user', user_id: 'U1' },
      { type: 'usergroup', usergroup_id: 'S1' },
      { type: 'channel', channel_id: 'C1' },
      { type: 'team', team_id: 'T1' },
      { type: 'emoji', name: 'wave' },
      { type: 'broadcast', range: 'here' },
      { type: 'color', value: '#fff' },
      { type: 'date', timestamp: 1_700_000_000, format: '{date}', fallback: 'then' },
    ];
    const list = {
      type: 'rich_text_list',
      style: 'bullet',
      elements: [words(...inline)],
      indent: 1,
      border: 0,
    };
    const quote = { type: 'rich_text_quote', elements: inline, border: 1 };
    const code = { type: 'rich_text_preformatted', elements: [{ type: 'text', text: 'x' }] };
    expect(inMessage(rich(words(...inline), list, quote, code))).toEqual([]);
  });

  it('refuses a block_id twice in a payload', () => {
    expect(inMessage(divider('a'), divider('a'))).toEqual([
      'block_id already exists: a [json-pointer:/blocks]',
    ]);
    expect(inMessage(divider('a'), divider('b'))).toEqual([]);
  });

  it('refuses an action_id twice in a block, and allows it in two', () => {
    const watch = button({ action_id: 'watch' });
    expect(inMessage(actions(watch, watch))).toEqual([
      'action_id already exists: watch [json-pointer:/blocks/0]',
    ]);
    expect(inMessage(actions(watch), actions(watch))).toEqual([]);
  });

  it('refuses two elements with the focus', () => {
    const focused = { type: 'users_select', focus_on_load: true };
    expect(inMessage(actions(focused), actions(focused)).join()).toContain(
      'only one element may have focus_on_load',
    );
  });
});

import { describe, expect, it } from 'vitest';
import { blockKitProblems } from '../../../sandbox/slack/block-kit.ts';
import { input as inputAt, option, options, plain } from './tiny-app.ts';

const long = (length: number) => 'x'.repeat(length);
const mrkdwn = { type: 'mrkdwn', text: 'x' };
const divider = { type: 'divider' };
const many = <T>(count: number, one: T) => Array.from({ length: count }, () => one);
const button = (rest: object = {}) => ({ type: 'button', text: plain('Press'), ...rest });
const actions = (...elements: readonly object[]) => ({ type: 'actions', elements });
const select = (rest: object) => actions({ type: 'static_select', options: [option('x')], ...rest });
const input = (element: object, rest: object = {}) => inputAt('who', element, rest);
const textInput = (rest: object) => input({ type: 'plain_text_input', ...rest });
const image = (rest: object) => ({ type: 'image', alt_text: 'x', ...rest });
const linked = (rest: object) => image({ image_url: 'https://a.b/c.png', ...rest });
const rich = (...elements: readonly object[]) => ({ type: 'rich_text', elements });
const words = (...elements: readonly object[]) => ({ type: 'rich_text_section', elements });
const confirm = (rest: object = {}) => ({
  title: plain('Sure?'),
  text: plain('It stops.'),
  confirm: plain('Stop'),
  deny: plain('Cancel'),
  ...rest,
});
const withConfirm = (rest: object) => actions(button({ confirm: confirm(rest) }));
const inMessage = (...blocks: readonly unknown[]) => blockKitProblems('message', { text: 'Hello', blocks });
const inModal = (rest: object = {}) =>
  blockKitProblems('modal', { type: 'modal', title: plain('Title'), blocks: [divider], ...rest });

const noSource = 'needs either image_url or slack_file';
/** Things that are wrong whatever their size. */
const wrong: readonly (readonly [string, unknown, string])[] = [
  ['an unknown block', { type: 'marquee' }, 'unsupported type: marquee [json-pointer:/blocks/0/type]'],
  ['an unknown key', { type: 'divider', colour: 'red' }, 'invalid additional property: colour'],
  ['an unknown element', actions({ type: 'slider' }), 'unsupported type: slider'],
  ['an element elsewhere', actions({ type: 'plain_text_input' }), 'unsupported type: plain_text_input'],
  ['a button as an input', input(button()), 'unsupported type: button'],
  ['a section with nothing in it', { type: 'section' }, 'missing required field: text or fields'],
  ['an empty text', { type: 'section', text: plain('') }, 'must be more than 0 characters'],
  ['no text', { type: 'header' }, 'missing required field: text'],
  ['mrkdwn in a header', { type: 'header', text: mrkdwn }, 'expected "plain_text"'],
  ['mrkdwn on a button', actions(button({ text: mrkdwn })), 'expected "plain_text"'],
  ['no elements', actions(), 'no fewer than 1 items allowed'],
  ['a script address', actions(button({ url: 'javascript:alert(1)' })), 'must be an http or https URL'],
  ['a relative address', actions(button({ url: '/watch' })), 'must be an http or https URL'],
  ['an unknown style', actions(button({ style: 'green' })), '[json-pointer:/blocks/0/elements/0/style]'],
  ['an image without alt_text', linked({ alt_text: undefined }), 'missing required field: alt_text'],
  ['an image from two places', linked({ slack_file: { id: 'F1' } }), noSource],
  ['an image from nowhere', image({}), noSource],
  ['a time that is none', actions({ type: 'timepicker', initial_time: '24:10' }), 'initial_time'],
  ['a time with seconds', actions({ type: 'timepicker', initial_time: '23:10:00' }), 'initial_time'],
  ['a select without options', select({ options: undefined }), 'needs either options or option_groups'],
  ['another start value', select({ initial_option: option('z') }), 'initial_option must be one of'],
  ['a url in a select option', select({ options: [option('a', { url: 'https://a.b' })] }), 'property: url'],
  ['an empty filter', actions({ type: 'conversations_select', filter: {} }), 'needs at least one field'],
  ['lengths that cross', textInput({ min_length: 5, max_length: 4 }), 'min_length must not be greater'],
  ['too long an answer asked for', textInput({ max_length: 3001 }), 'must be less than 3001 ['],
  ['an unknown rich element', rich(words({ type: 'blink', text: 'x' })), 'unsupported type: blink'],
  ['an empty rich text', rich(words({ type: 'text', text: '' })), 'must be more than 0 characters'],
  ['a script link in rich text', rich(words({ type: 'link', url: 'javascript:x' })), 'mailto URL'],
  [
    'a mention in preformatted text',
    rich({ type: 'rich_text_preformatted', elements: [{ type: 'user', user_id: 'U1' }] }),
    'unsupported type: user',
  ],
  ['a second element with the focus', [1, 2].map(() => select({ focus_on_load: true })), 'only one element'],
  ['a block_id twice', many(2, { ...divider, block_id: 'a' }), 'block_id already exists: a'],
  [
    'an action_id twice in a block',
    actions(...many(2, button({ action_id: 'watch' }))),
    'action_id already exists: watch [json-pointer:/blocks/0]',
  ],
];

describe('the shape of blocks', () => {
  it.each(wrong)('refuses %s', (_name, blocks, problem) => {
    expect(inMessage(...[blocks].flat()).join('\n')).toContain(problem);
  });

  it('accepts every block and element that the app uses, and an action_id again in another block', () => {
    const menu = {
      placeholder: plain('Choose'),
      focus_on_load: false,
      confirm: confirm({ style: 'danger' }),
    };
    const elements = [
      { type: 'static_select', ...menu, option_groups: [{ label: plain('x'), options: options(2) }] },
      { type: 'external_select', ...menu, min_query_length: 2 },
      { type: 'conversations_select', ...menu, filter: { include: ['public'] } },
      { type: 'timepicker', ...menu, initial_time: '23:59', timezone: 'Europe/Amsterdam' },
      { type: 'overflow', options: [option('a', { url: 'https://a.b', description: plain('x') })] },
      { type: 'radio_buttons', options: options(2), initial_option: option('no. 0') },
      { type: 'checkboxes', options: options(2), initial_options: [option('no. 1')] },
    ];
    const inline = [
      { type: 'text', text: 'x', style: { bold: true, italic: true, strike: true, code: true } },
      { type: 'link', url: 'mailto:a@b.c', text: 'a@b.c' },
      { type: 'user', user_id: 'U1' },
      { type: 'usergroup', usergroup_id: 'S1' },
      { type: 'channel', channel_id: 'C1' },
      { type: 'emoji', name: 'wave' },
      { type: 'broadcast', range: 'here' },
      { type: 'date', timestamp: 1_700_000_000, format: '{date}', fallback: 'then' },
    ];
    const everything = [
      { type: 'section', text: { ...mrkdwn, verbatim: true }, accessory: linked({}), expand: true },
      { type: 'section', fields: [plain('x')], accessory: button({ style: 'primary', url: 'https://a.b' }) },
      { type: 'context', elements: [linked({}), mrkdwn] },
      linked({ title: plain('x') }),
      image({ slack_file: { id: 'F1' } }),
      actions(...elements),
      actions(...many(1, button({ action_id: 'watch' }))),
      actions(...many(1, button({ action_id: 'watch' }))),
      input({ type: 'plain_text_input', multiline: true, initial_value: '' }, { optional: true }),
      rich(
        words(...inline),
        { type: 'rich_text_list', style: 'bullet', elements: [words(...inline)], indent: 1, border: 0 },
        { type: 'rich_text_quote', elements: inline, border: 1 },
        { type: 'rich_text_preformatted', elements: [{ type: 'text', text: 'x' }] },
      ),
    ];
    expect(inMessage(...everything)).toEqual([]);
  });
});

const characters: readonly (readonly [string, number, (size: string) => object])[] = [
  ['section text', 3000, (text) => ({ type: 'section', text: plain(text) })],
  ['a section field', 2000, (text) => ({ type: 'section', fields: [plain(text)] })],
  ['header text', 150, (text) => ({ type: 'header', text: plain(text) })],
  ['context text', 3000, (text) => ({ type: 'context', elements: [plain(text)] })],
  ['block_id', 255, (text) => ({ ...divider, block_id: text })],
  ['action_id', 255, (text) => actions(button({ action_id: text }))],
  ['button text', 75, (text) => actions(button({ text: plain(text) }))],
  ['button value', 2000, (text) => actions(button({ value: text }))],
  ['button url', 3000, (text) => actions(button({ url: `https://a.b/${text.slice(12)}` }))],
  ['accessibility_label', 75, (text) => actions(button({ accessibility_label: text }))],
  ['confirm title', 100, (text) => withConfirm({ title: plain(text) })],
  ['confirm text', 300, (text) => withConfirm({ text: plain(text) })],
  ['confirm button', 30, (text) => withConfirm({ confirm: plain(text) })],
  ['deny button', 30, (text) => withConfirm({ deny: plain(text) })],
  ['option text', 75, (text) => select({ options: [{ ...option('x'), text: plain(text) }] })],
  ['option value', 75, (value) => select({ options: [{ ...option('x'), value }] })],
  ['option description', 75, (text) => select({ options: [option('x', { description: plain(text) })] })],
  ['placeholder', 150, (text) => actions({ type: 'users_select', placeholder: plain(text) })],
  ['image alt_text', 2000, (alt_text) => linked({ alt_text })],
  ['image title', 2000, (text) => linked({ title: plain(text) })],
  ['input label', 2000, (text) => ({ ...textInput({}), label: plain(text) })],
  ['input hint', 2000, (text) => ({ ...textInput({}), hint: plain(text) })],
  ['initial_value', 3000, (text) => textInput({ initial_value: text })],
];

const items: readonly (readonly [string, number, (size: number) => object])[] = [
  ['section fields', 10, (size) => ({ type: 'section', fields: many(size, plain('x')) })],
  ['context elements', 10, (size) => ({ type: 'context', elements: many(size, plain('x')) })],
  ['actions elements', 25, (size) => actions(...many(size, button()))],
  ['static_select options', 100, (size) => select({ options: options(size) })],
  ['overflow options', 5, (size) => actions({ type: 'overflow', options: options(size) })],
  ['radio_buttons options', 10, (size) => actions({ type: 'radio_buttons', options: options(size) })],
  ['checkboxes options', 10, (size) => actions({ type: 'checkboxes', options: options(size) })],
];

describe("Slack's limits", () => {
  it.each(characters)('%s takes %i characters and no more', (_name, most, build) => {
    expect(inMessage(build(long(most)))).toEqual([]);
    expect(inMessage(build(long(most + 1))).join()).toContain(`must be less than ${most + 1} characters [`);
  });

  it.each(items)('%s takes %i items and no more', (_name, most, build) => {
    expect(inMessage(build(most))).toEqual([]);
    expect(inMessage(build(most + 1)).join()).toContain(`no more than ${most} items allowed [json-pointer:`);
  });

  it.each([
    ['message', 50, { text: 'x' }],
    ['modal', 100, { type: 'modal', title: plain('x') }],
    ['home', 100, { type: 'home' }],
  ] as const)('a %s takes %i blocks and no more', (surface, most, frame) => {
    expect(blockKitProblems(surface, { ...frame, blocks: many(most, divider) })).toEqual([]);
    const refused = [`no more than ${most} items allowed [json-pointer:/blocks]`];
    expect(blockKitProblems(surface, { ...frame, blocks: many(most + 1, divider) })).toEqual(refused);
  });

  it.each([
    ['title', plain(long(24)), plain(long(25))],
    ['submit', plain(long(24)), plain(long(25))],
    ['close', plain(long(24)), plain(long(25))],
    ['private_metadata', long(3000), long(3001)],
    ['callback_id', long(255), long(256)],
  ])('the %s of a modal is no longer', (name, allowed, refused) => {
    expect(inModal({ [name]: allowed })).toEqual([]);
    expect(inModal({ [name]: refused })).toHaveLength(1);
  });

  it.each([
    ['missing', {}, 'missing required field: text'],
    ['empty', { text: '' }, 'no text for screen readers'],
    ['blank', { text: ' \n' }, 'no text for screen readers'],
    ['over 4,000 characters', { text: long(4001) }, 'must be less than 4001 characters'],
  ])('the text of a message is not %s', (_name, payload, problem) => {
    expect(blockKitProblems('message', { blocks: [divider], ...payload }).join()).toContain(problem);
    expect(blockKitProblems('message', { text: long(4000), channel: 'C1' })).toEqual([]);
  });
});

it('a modal has a title, submit beside inputs, and no unknown keys', () => {
  expect(inModal({ text: 'x' })).toEqual(['invalid additional property: text [json-pointer:/]']);
  expect(inModal({ title: undefined })).toEqual(['missing required field: title [json-pointer:/title]']);
  expect(inModal({ blocks: [textInput({})] }).join()).toContain('missing required field: submit');
  expect(inModal({ blocks: [textInput({})], submit: plain('Go') })).toEqual([]);
});

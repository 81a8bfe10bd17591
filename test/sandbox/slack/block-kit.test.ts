import { describe, expect, it } from 'vitest';
import { blockKitProblems } from '../../../sandbox/slack/block-kit.ts';
import { input, option, options, plain } from './tiny-app.ts';

const long = (length: number) => 'x'.repeat(length);
const mrkdwn = { type: 'mrkdwn', text: 'x' };
const divider = { type: 'divider' };
const many = <T>(count: number, one: T) => Array.from({ length: count }, () => one);
const button = (rest: object = {}) => ({ type: 'button', text: plain('Press'), ...rest });
const actions = (...elements: readonly object[]) => ({ type: 'actions', elements });
const select = (rest: object) => actions({ type: 'static_select', options: [option('x')], ...rest });
const textInput = (rest: object = {}) => input('who', { type: 'plain_text_input', ...rest });
const image = (alt_text?: string) => ({ type: 'image', alt_text, image_url: 'https://a.b/c.png' });
const rich = (...elements: readonly object[]) => ({ type: 'rich_text', elements });
const words = (...elements: readonly object[]) => ({ type: 'rich_text_section', elements });
const question = {
  title: plain('Sure?'),
  text: plain('It stops.'),
  confirm: plain('Stop'),
  deny: plain('No'),
};
const confirm = (rest: object) => actions(button({ confirm: { ...question, ...rest } }));
const inMessage = (...blocks: readonly unknown[]) => blockKitProblems('message', { text: 'Hello', blocks });
const inModal = (rest: object = {}) =>
  blockKitProblems('modal', { type: 'modal', title: plain('Title'), blocks: [divider], ...rest });

/** Things that are wrong whatever their size. */
const wrong: readonly (readonly [string, unknown, string])[] = [
  ['an unknown block', { type: 'marquee' }, 'unsupported type: marquee [json-pointer:/blocks/0/type]'],
  ['an unknown key', { type: 'divider', color: 'red' }, 'invalid additional property: color'],
  ['an element elsewhere', actions({ type: 'plain_text_input' }), 'unsupported type: plain_text_input'],
  ['a button as an input', input('who', button()), 'unsupported type: button'],
  ['a section with nothing in it', { type: 'section' }, 'missing required field: text or fields'],
  ['an empty text', { type: 'section', text: plain('') }, 'must be more than 0 characters'],
  ['mrkdwn in a header', { type: 'header', text: mrkdwn }, 'expected "plain_text"'],
  ['mrkdwn on a button', actions(button({ text: mrkdwn })), 'expected "plain_text"'],
  ['no elements', actions(), 'no fewer than 1 items allowed'],
  ['a script address', actions(button({ url: 'javascript:alert(1)' })), 'must be an http or https URL'],
  ['an unknown style', actions(button({ style: 'green' })), '[json-pointer:/blocks/0/elements/0/style]'],
  ['an image without alt_text', image(), 'missing required field: alt_text'],
  ['a time that is none', actions({ type: 'timepicker', initial_time: '24:10' }), 'initial_time'],
  ['a select without options', select({ options: undefined }), 'needs either options or option_groups'],
  ['another start value', select({ initial_option: option('z') }), 'initial_option must be one of'],
  ['a url in a select option', select({ options: [option('a', { url: 'https://a.b' })] }), 'property: url'],
  ['an empty filter', actions({ type: 'conversations_select', filter: {} }), 'needs at least one field'],
  ['too long an answer asked for', textInput({ max_length: 3001 }), 'must be less than 3001 ['],
  ['an empty rich text', rich(words({ type: 'text', text: '' })), 'must be more than 0 characters'],
  ['a script link in rich text', rich(words({ type: 'link', url: 'javascript:x' })), 'mailto URL'],
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
  ['confirm title', 100, (text) => confirm({ title: plain(text) })],
  ['confirm text', 300, (text) => confirm({ text: plain(text) })],
  ['confirm button', 30, (text) => confirm({ confirm: plain(text) })],
  ['deny button', 30, (text) => confirm({ deny: plain(text) })],
  ['option text', 75, (text) => select({ options: [{ ...option('x'), text: plain(text) }] })],
  ['option value', 75, (value) => select({ options: [{ ...option('x'), value }] })],
  ['option description', 75, (text) => select({ options: [option('x', { description: plain(text) })] })],
  ['placeholder', 150, (text) => actions({ type: 'users_select', placeholder: plain(text) })],
  ['image alt_text', 2000, image],
  ['input label', 2000, (text) => ({ ...textInput(), label: plain(text) })],
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
    ['title', 24, plain],
    ['submit', 24, plain],
    ['close', 24, plain],
    ['private_metadata', 3000, String],
    ['callback_id', 255, String],
  ])('the %s of a modal takes %i characters and no more', (name, most, build) => {
    expect(inModal({ [name]: build(long(most)) })).toEqual([]);
    expect(inModal({ [name]: build(long(most + 1)) })).toHaveLength(1);
  });

  it.each([
    ['missing', {}, 'missing required field: text'],
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
  expect(inModal({ blocks: [textInput()] }).join()).toContain('missing required field: submit');
  expect(inModal({ blocks: [textInput()], submit: plain('Go') })).toEqual([]);
});

import { describe, expect, it } from 'vitest';

import { blockKitProblems } from '../../../sandbox/slack/block-kit.ts';

const long = (length: number) => 'x'.repeat(length);
const plain = (text: string) => ({ type: 'plain_text', text });
const texts = (count: number) => Array.from({ length: count }, () => plain('x'));
const options = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ text: plain('x'), value: `option ${index}` }));
const actions = (...elements: readonly object[]) => ({ type: 'actions', elements });
const button = (rest: object = {}) => ({ type: 'button', text: plain('Press'), ...rest });
const withConfirm = (rest: object) => {
  const dialog = {
    title: plain('Sure?'),
    text: plain('It stops.'),
    confirm: plain('Stop'),
    deny: plain('Cancel'),
  };
  return actions(button({ confirm: { ...dialog, ...rest } }));
};
const withOption = (rest: object) =>
  actions({ type: 'static_select', options: [{ text: plain('x'), value: 'x', ...rest }] });
const input = (rest: object, element: object = {}) => ({
  type: 'input',
  label: plain('Label'),
  element: { type: 'plain_text_input', ...element },
  ...rest,
});
const image = (rest: object) => ({ type: 'image', image_url: 'https://a.b/c.png', alt_text: 'x', ...rest });
const dividers = (count: number) => Array.from({ length: count }, () => ({ type: 'divider' }));

type Build = (size: number) => object;

const characters: readonly (readonly [string, number, Build])[] = [
  ['section text', 3000, (size) => ({ type: 'section', text: plain(long(size)) })],
  ['a section field', 2000, (size) => ({ type: 'section', fields: [plain(long(size))] })],
  ['header text', 150, (size) => ({ type: 'header', text: plain(long(size)) })],
  ['context text', 3000, (size) => ({ type: 'context', elements: [plain(long(size))] })],
  ['block_id', 255, (size) => ({ type: 'divider', block_id: long(size) })],
  ['action_id', 255, (size) => actions(button({ action_id: long(size) }))],
  ['button text', 75, (size) => actions(button({ text: plain(long(size)) }))],
  ['button value', 2000, (size) => actions(button({ value: long(size) }))],
  ['button url', 3000, (size) => actions(button({ url: `https://a.b/${long(size - 12)}` }))],
  ['accessibility_label', 75, (size) => actions(button({ accessibility_label: long(size) }))],
  ['confirm title', 100, (size) => withConfirm({ title: plain(long(size)) })],
  ['confirm text', 300, (size) => withConfirm({ text: plain(long(size)) })],
  ['confirm button', 30, (size) => withConfirm({ confirm: plain(long(size)) })],
  ['deny button', 30, (size) => withConfirm({ deny: plain(long(size)) })],
  ['option text', 75, (size) => withOption({ text: plain(long(size)) })],
  ['option value', 75, (size) => withOption({ value: long(size) })],
  ['option description', 75, (size) => withOption({ description: plain(long(size)) })],
  ['placeholder', 150, (size) => actions({ type: 'users_select', placeholder: plain(long(size)) })],
  ['image alt_text', 2000, (size) => image({ alt_text: long(size) })],
  ['image title', 2000, (size) => image({ title: plain(long(size)) })],
  ['input label', 2000, (size) => input({ label: plain(long(size)) })],
  ['input hint', 2000, (size) => input({ hint: plain(long(size)) })],
  ['initial_value', 3000, (size) => input({}, { initial_value: long(size) })],
];

const items: readonly (readonly [string, number, Build])[] = [
  ['section fields', 10, (size) => ({ type: 'section', fields: texts(size) })],
  ['context elements', 10, (size) => ({ type: 'context', elements: texts(size) })],
  ['actions elements', 25, (size) => actions(...Array.from({ length: size }, () => button()))],
  ['static_select options', 100, (size) => actions({ type: 'static_select', options: options(size) })],
  ['overflow options', 5, (size) => actions({ type: 'overflow', options: options(size) })],
  ['radio_buttons options', 10, (size) => actions({ type: 'radio_buttons', options: options(size) })],
  ['checkboxes options', 10, (size) => actions({ type: 'checkboxes', options: options(size) })],
];

const problemsOf = (block: object) => blockKitProblems('message', { text: 'x', blocks: [block] });

describe("Slack's limits", () => {
  it.each(characters)('%s takes %i characters and no more', (_name, most, build) => {
    expect(problemsOf(build(most))).toEqual([]);
    expect(problemsOf(build(most + 1)).join()).toContain(
      `must be less than ${most + 1} characters [json-pointer:`,
    );
  });

  it.each(items)('%s takes %i items and no more', (_name, most, build) => {
    expect(problemsOf(build(most))).toEqual([]);
    expect(problemsOf(build(most + 1)).join()).toContain(`no more than ${most} items allowed [json-pointer:`);
  });

  it('lets an input ask for at most 3,000 characters', () => {
    expect(problemsOf(input({}, { max_length: 3000 }))).toEqual([]);
    expect(problemsOf(input({}, { max_length: 3001 })).join()).toContain('must be less than 3001 [');
  });

  it.each([
    ['message', 50, { text: 'x' }],
    ['modal', 100, { type: 'modal', title: plain('x') }],
    ['home', 100, { type: 'home' }],
  ] as const)('a %s takes %i blocks and no more', (surface, most, frame) => {
    expect(blockKitProblems(surface, { ...frame, blocks: dividers(most) })).toEqual([]);
    expect(blockKitProblems(surface, { ...frame, blocks: dividers(most + 1) })).toEqual([
      `no more than ${most} items allowed [json-pointer:/blocks]`,
    ]);
  });
});

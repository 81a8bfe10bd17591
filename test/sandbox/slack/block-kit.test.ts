import { describe, expect, it } from 'vitest';
import { blockKitProblems } from '../../../sandbox/slack/block-kit.ts';

const plain = (text: string) => ({ type: 'plain_text', text });
const option = (value: string) => ({ text: plain(value), value });
const mrkdwn = { type: 'mrkdwn', text: 'x' };
const divider = { type: 'divider' };
const many = <T>(count: number, one: T) => Array.from({ length: count }, () => one);
const button = (rest: object = {}) => ({ type: 'button', text: plain('Press'), ...rest });
const actions = (...elements: readonly object[]) => ({ type: 'actions', elements });
const select = (rest: object) => actions({ type: 'static_select', options: [option('x')], ...rest });
const textInput = (rest: object = {}) => ({
  type: 'input',
  block_id: 'who',
  label: plain('who'),
  element: { type: 'plain_text_input', action_id: 'it', ...rest },
});
const rich = (...elements: readonly object[]) => ({ type: 'rich_text', elements });
const words = (...elements: readonly object[]) => ({ type: 'rich_text_section', elements });
const inMessage = (...blocks: readonly unknown[]) => blockKitProblems('message', { text: 'Hello', blocks });
const inModal = (rest: object = {}) =>
  blockKitProblems('modal', { type: 'modal', title: plain('Title'), blocks: [divider], ...rest });

const wrong: readonly (readonly [string, unknown, string])[] = [
  ['an unknown block', { type: 'marquee' }, 'unsupported type: marquee [json-pointer:/blocks/0/type]'],
  ['an element elsewhere', actions({ type: 'plain_text_input' }), 'unsupported type: plain_text_input'],
  ['a section with nothing in it', { type: 'section' }, 'missing required field: text or fields'],
  ['an empty text', { type: 'section', text: plain('') }, 'must be more than 0 characters'],
  ['mrkdwn in a header', { type: 'header', text: mrkdwn }, 'expected "plain_text"'],
  ['no elements', actions(), 'no fewer than 1 items allowed'],
  ['a script address', actions(button({ url: 'javascript:alert(1)' })), 'must be an http or https URL'],
  ['an unknown style', actions(button({ style: 'green' })), '[json-pointer:/blocks/0/elements/0/style]'],
  ['a select without options', select({ options: undefined }), 'needs either options or option_groups'],
  ['another start value', select({ initial_option: option('z') }), 'initial_option must be one of'],
  ['too long an answer asked for', textInput({ max_length: 3001 }), 'must be less than 3001 ['],
  ['a script link in rich text', rich(words({ type: 'link', url: 'javascript:x' })), 'mailto URL'],
  ['too long a text', { type: 'section', text: plain('x'.repeat(3001)) }, 'must be less than 3001'],
  ['too many fields', { type: 'section', fields: many(11, plain('x')) }, 'no more than 10 items allowed'],
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

it('a modal has a title, submit beside inputs, and no unknown keys', () => {
  expect(inModal({ text: 'x' })).toEqual(['invalid additional property: text [json-pointer:/]']);
  expect(inModal({ title: undefined })).toEqual(['missing required field: title [json-pointer:/title]']);
  expect(inModal({ blocks: [textInput()] }).join()).toContain('missing required field: submit');
  expect(inModal({ blocks: [textInput()], submit: plain('Go') })).toEqual([]);
});

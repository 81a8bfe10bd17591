import { describe, expect, it } from 'vitest';

import { blockKitProblems } from '../../../sandbox/slack/block-kit.ts';

const plain = (text: string) => ({ type: 'plain_text', text });
const long = (length: number) => 'x'.repeat(length);
const divider = { type: 'divider' };
const inModal = (rest: object = {}) =>
  blockKitProblems('modal', { type: 'modal', title: plain('Title'), blocks: [divider], ...rest });

describe('the text of a message', () => {
  it.each([
    ['missing', {}, 'missing required field: text'],
    ['empty', { text: '' }, 'no text for screen readers'],
    ['blank', { text: ' \n' }, 'no text for screen readers'],
    ['over 4,000 characters', { text: long(4001) }, 'must be less than 4001 characters'],
  ])('is refused when %s', (_name, payload, problem) => {
    expect(blockKitProblems('message', { blocks: [divider], ...payload }).join()).toContain(problem);
  });

  it('is enough alone', () => {
    expect(blockKitProblems('message', { text: long(4000), channel: 'C1' })).toEqual([]);
  });
});

describe('the frame of a modal', () => {
  it.each([
    ['title', { title: plain(long(24)) }, { title: plain(long(25)) }],
    ['submit', { submit: plain(long(24)) }, { submit: plain(long(25)) }],
    ['close', { close: plain(long(24)) }, { close: plain(long(25)) }],
    ['private_metadata', { private_metadata: long(3000) }, { private_metadata: long(3001) }],
    ['callback_id', { callback_id: long(255) }, { callback_id: long(256) }],
  ])('keeps the limit of %s', (_name, allowed, refused) => {
    expect(inModal(allowed)).toEqual([]);
    expect(inModal(refused)).toHaveLength(1);
  });

  it('refuses unknown keys, a missing title and inputs without a submit button', () => {
    expect(inModal({ text: 'x' })).toEqual(['invalid additional property: text [json-pointer:/]']);
    expect(inModal({ title: undefined })).toEqual(['missing required field: title [json-pointer:/title]']);
    const blocks = [{ type: 'input', label: plain('Label'), element: { type: 'plain_text_input' } }];
    expect(inModal({ blocks }).join()).toContain('missing required field: submit');
    expect(inModal({ blocks, submit: plain('Go') })).toEqual([]);
  });
});

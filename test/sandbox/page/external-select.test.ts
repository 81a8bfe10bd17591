import { beforeEach, describe, expect, it } from 'vitest';

import { hasChromium, useChromium } from '../../support/chromium.ts';
import { fullManifest } from '../slack/full-manifest.ts';
import type { SlackRequest } from './small-app.ts';
import { shareStage } from './stage.ts';

const plain = (text: string) => ({ type: 'plain_text', text });
const option = (value: string) => ({ text: plain(value), value });
const select = { type: 'external_select', action_id: 'visitor', placeholder: plain('Find a visitor') };
const startModal = {
  type: 'modal',
  title: plain('Start'),
  submit: plain('Go'),
  blocks: [{ type: 'input', block_id: 'who', label: plain('Visitor'), element: select }],
};

/** Three visitors whose names begin with what is typed. */
const threeOf = ({ value }: SlackRequest) => ({
  options: ['one', 'two', 'three'].map((name) => option(`${value} ${name}`)),
});

describe.skipIf(!hasChromium)('a type-ahead on the sandbox page', () => {
  const browser = useChromium();
  const stage = shareStage(browser, { manifest: fullManifest });

  beforeEach(() => {
    answerOptionsWith(threeOf);
  });

  const answerOptionsWith = (options: (request: SlackRequest) => object | number | Promise<object>) =>
    stage().answerWith(async (request) => {
      if (request.type === 'block_suggestion') return options(request);
      if (request.type !== 'message_action') return {};
      await stage().call('views.open', { trigger_id: request.trigger_id, view: startModal });
      return {};
    });
  const openModal = async () => {
    const customer = stage().page.getByRole('article').filter({ hasText: 'stuck at checkout' });
    await customer.getByRole('button', { name: 'More actions' }).press('Enter');
    await stage().page.getByRole('menuitem', { name: 'Find visitor' }).press('Enter');
    await field().waitFor();
  };
  const field = () => stage().page.getByRole('combobox', { name: 'Visitor' });
  const options = () => stage().page.getByRole('option');
  const said = (words: string) => stage().page.getByRole('status').filter({ hasText: words });
  const asked = () =>
    stage().requests.flatMap(({ type, value }) => (type === 'block_suggestion' ? value : []));

  it('is used by keyboard alone, and its choice is submitted', async () => {
    await openModal();
    await field().pressSequentially('ja');
    await said('Type at least 3 characters.').waitFor();
    await field().pressSequentially('n');
    await said('3 options').waitFor();
    expect(await field().getAttribute('aria-expanded')).toBe('true');
    await field().press('ArrowDown');
    const marked = await field().getAttribute('aria-activedescendant');
    expect(await stage().page.locator(`[id="${marked}"]`).textContent()).toContain('jan two');
    await field().press('Enter');
    expect(await field().inputValue()).toBe('jan two');
    expect(await field().getAttribute('aria-expanded')).toBe('false');
    await stage().page.getByRole('button', { name: 'Go' }).click();
    await stage().page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(stage().requests.at(-1)?.view?.state).toEqual({
      values: { who: { visitor: { type: 'external_select', selected_option: option('jan two') } } },
    });
  });

  it('closes its list on Escape, then the modal', async () => {
    await openModal();
    await field().fill('jane');
    await said('3 options').waitFor();
    await field().press('Escape');
    await options().first().waitFor({ state: 'hidden' });
    expect(await field().inputValue()).toBe('');
    await field().press('Escape');
    await stage().page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  it('never shows an older answer over a newer one', async () => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    answerOptionsWith(async (request) => {
      if (request.value === 'jan') await held;
      return threeOf(request);
    });
    await openModal();
    const late = stage().page.waitForResponse(
      (response) => response.request().postData()?.includes('"jan"') === true,
    );
    await field().fill('jan');
    await expect.poll(() => asked().includes('jan')).toBe(true);
    await field().fill('omar');
    await options().filter({ hasText: 'omar one' }).waitFor();
    release();
    await (await late).finished();
    await stage().page.evaluate('new Promise(requestAnimationFrame)');
    expect(await options().allTextContents()).toEqual(
      ['omar one', 'omar two', 'omar three'].map((words) => expect.stringContaining(words)),
    );
  });

  it('works in a message too, with groups, and sends the choice immediately', async () => {
    answerOptionsWith(() => ({
      option_groups: [{ label: plain('Online'), options: [option('Jane Cooper')] }],
    }));
    await stage().call('chat.postMessage', {
      channel: stage().channel,
      text: 'Who?',
      blocks: [{ type: 'actions', block_id: 'row', elements: [{ ...select, min_query_length: 0 }] }],
    });
    const inMessage = stage().page.getByRole('combobox', { name: 'Find a visitor' });
    await inMessage.click();
    const group = stage().page.getByRole('group', { name: 'Online' });
    await group.getByRole('option', { name: 'Jane Cooper' }).click();
    await expect.poll(() => stage().requests.some(({ type }) => type === 'block_actions')).toBe(true);
    expect(stage().requests.at(-1)?.actions).toMatchObject([
      { action_id: 'visitor', selected_option: option('Jane Cooper') },
    ]);
    expect(await inMessage.inputValue()).toBe('Jane Cooper');
    expect(asked()).toEqual(['']);
  });
});

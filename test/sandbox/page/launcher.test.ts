import { beforeEach, describe, expect, it } from 'vitest';

import { hasChromium, useChromium } from '../../support/chromium.ts';
import { fullManifest } from '../slack/full-manifest.ts';
import { shareStage } from './stage.ts';

const plain = (text: string) => ({ type: 'plain_text', text });
const startModal = {
  type: 'modal',
  title: plain('Start'),
  submit: plain('Go'),
  blocks: [
    {
      type: 'input',
      block_id: 'where',
      label: plain('Post the summary in'),
      element: {
        type: 'conversations_select',
        action_id: 'place',
        default_to_current_conversation: true,
        filter: { include: ['public'], exclude_external_shared_channels: true },
      },
    },
  ],
};

describe.skipIf(!hasChromium)('the menu of global shortcuts on the sandbox page', () => {
  const browser = useChromium();
  const stage = shareStage(browser, { manifest: fullManifest });

  beforeEach(() => {
    stage().answerWith(async ({ type, trigger_id }) => {
      if (type === 'shortcut') await stage().call('views.open', { trigger_id, view: startModal });
      return {};
    });
  });

  const button = () => stage().page.getByRole('button', { name: 'Shortcuts' });
  const search = () => stage().page.getByRole('combobox', { name: 'Search shortcuts' });
  const options = () => stage().page.getByRole('listbox', { name: 'Shortcuts' }).getByRole('option');

  it('is reached, searched and used by keyboard', async () => {
    await button().press('Enter');
    await expect.poll(() => search().evaluate((element) => element.matches(':focus'))).toBe(true);
    await stage().page.keyboard.type('help');
    await options().filter({ hasText: 'Start co-browsing' }).waitFor({ state: 'detached' });
    expect(await options().allTextContents()).toEqual([expect.stringContaining('Ask for help')]);
    await search().fill('');
    await search().press('ArrowDown');
    const marked = await search().getAttribute('aria-activedescendant');
    expect(await stage().page.locator(`#${marked}`).textContent()).toContain('Ask for help');
    await search().press('ArrowUp');
    await search().press('Enter');
    await stage().page.getByRole('dialog', { name: 'Start' }).waitFor();
    expect(stage().requests.map(({ callback_id: id }) => id)).toEqual(['start']);
  });

  it('opens a modal that knows the channel, and offers what its filter leaves', async () => {
    await button().click();
    await options().filter({ hasText: 'Start co-browsing' }).click();
    const menu = stage().page.getByRole('combobox', { name: 'Post the summary in' });
    await menu.waitFor();
    expect(await menu.locator('option:checked').textContent()).toBe('#support');
    const offered = await menu.locator('option').allTextContents();
    expect(offered.map((words) => words.trim()).slice(1)).toEqual(['#support', '#sales', '#random']);
  });
});

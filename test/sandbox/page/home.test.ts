import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { hasChromium, useChromium } from '../../support/chromium.ts';
import { fullManifest } from '../slack/full-manifest.ts';
import { openStage } from './stage.ts';
import type { Stage } from './stage.ts';

const alex = 'U0ALEX00001';
const plain = (text: string) => ({ type: 'plain_text', text });
const option = (value: string) => ({ text: plain(value), value });
const settings = {
  type: 'home',
  blocks: [
    { type: 'header', text: plain('Your sessions') },
    {
      type: 'input',
      block_id: 'note',
      label: plain('Note'),
      element: { type: 'plain_text_input', action_id: 'text' },
    },
    {
      type: 'actions',
      block_id: 'row',
      elements: [
        { type: 'static_select', action_id: 'access', options: [option('Full'), option('View only')] },
        { type: 'button', action_id: 'save', text: plain('Save') },
      ],
    },
  ],
};

describe.skipIf(!hasChromium)("the app's Home on the sandbox page", () => {
  const browser = useChromium();
  let stage: Stage;
  let publishing: Promise<unknown>[];

  beforeEach(async () => {
    publishing = [];
    stage = await openStage(browser(), { manifest: fullManifest });
    // As a real app does: a Home is published when it is opened.
    stage.answerWith(({ event }) => {
      if (event?.type === 'app_home_opened' && event['tab'] === 'home') {
        publishing.push(stage.call('views.publish', { user_id: alex, view: settings }));
      }
      return {};
    });
  });
  afterEach(async () => {
    // The last one may still be on its way: what was there before looks the same.
    await Promise.all(publishing);
    await stage.close();
  });

  const openApp = () => stage.page.getByRole('link', { name: 'Co-browse' }).click();
  const tab = (name: string) => stage.page.getByRole('tab', { name });
  const heading = () => stage.page.getByRole('heading', { name: 'Your sessions' });
  const opened = () => stage.requests.flatMap(({ event }) => event?.['tab'] ?? []);

  it('tells the app each time it is opened, and shows what is published', async () => {
    await openApp();
    await heading().waitFor();
    expect(opened()).toEqual(['home']);
    await stage.page.getByRole('link', { name: 'support', exact: true }).click();
    await stage.composer.waitFor();
    await openApp();
    await heading().waitFor();
    await expect.poll(() => opened().length).toBe(2);
  });

  it('has a Messages tab beside it, which accepts no messages if the app wants none', async () => {
    await openApp();
    await heading().waitFor();
    await tab('Home').press('ArrowRight');
    await stage.page.getByText('Sending messages to this app has been turned off.').waitFor();
    expect(await tab('Messages').getAttribute('aria-selected')).toBe('true');
    expect(await stage.page.locator(':focus').textContent()).toContain('Messages');
    expect(await stage.page.getByRole('textbox').count()).toBe(0);
    await expect.poll(() => opened().length).toBe(2);
    expect(opened()).toEqual(['home', 'messages']);
  });
});

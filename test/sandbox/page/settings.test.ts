import { describe, expect, it } from 'vitest';

import { hasChromium, useChromium } from '../../support/chromium.ts';
import { shareStage } from './stage.ts';

const alex = 'U0ALEX00001';

describe.skipIf(!hasChromium)('the settings on the sandbox page', () => {
  const browser = useChromium();
  const stage = shareStage(browser);

  const choose = async (menu: string | RegExp, item: string) => {
    await stage().page.getByRole('button', { name: menu }).click();
    await stage().page.getByRole('menuitem', { name: item }).click();
  };
  const inChannel = (item: string) => choose('Settings of #support', item);

  it('archive a channel and bring it back', async () => {
    const { page, composer } = stage();
    await inChannel('Archive this channel');
    await page.getByText('This channel is archived, so nobody can post in it.').waitFor();
    expect(await composer.count()).toBe(0);
    await inChannel('Unarchive this channel');
    await composer.waitFor();
  });

  it('remove the app from a channel and invite it again', async () => {
    const { page } = stage();
    await inChannel('Remove the app from this channel');
    await page.getByText('The app is not in this channel').waitFor();
    await inChannel('Invite the app to this channel');
    const told = () => stage().requests.flatMap(({ event }) => event?.type ?? []);
    await expect.poll(told).toEqual(['channel_left', 'member_joined_channel']);
    await expect.poll(() => page.getByText('The app is not in this channel').count()).toBe(0);
  });

  it('keep presses of link buttons from the app', async () => {
    const { page, slack, requests } = stage();
    const label = { type: 'plain_text', text: 'Watch' };
    const element = { type: 'button', action_id: 'watch', text: label, url: slack.url };
    await stage().call('chat.postMessage', {
      channel: stage().channel,
      text: 'One visitor.',
      blocks: [{ type: 'actions', elements: [element] }],
    });
    await choose('You are Alex Rivera', 'Simulate a phone that loses presses');
    await slack.until(alex, ({ loses_link_presses: loses }) => loses);
    const [opened, pressed] = await Promise.all([
      page.context().waitForEvent('page'),
      page.waitForResponse(/\/page-api\/press$/),
      page.getByRole('link', { name: 'Watch' }).click(),
    ]);
    // Once nothing is simulated any more, a press that is still on its way would arrive.
    await pressed.finished();
    await opened.close();
    await choose('You are Alex Rivera', 'Stop simulating a phone that loses presses');
    await slack.until(alex, ({ loses_link_presses: loses }) => !loses);
    expect(requests.filter(({ type }) => type === 'block_actions')).toEqual([]);
  });
});

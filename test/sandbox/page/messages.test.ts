import { describe, expect, it } from 'vitest';

import { hasChromium, useChromium } from '../../support/chromium.ts';
import { shareStage } from './stage.ts';

const alex = 'U0ALEX00001';

describe.skipIf(!hasChromium)('messages on the sandbox page', () => {
  const browser = useChromium();
  const stage = shareStage(browser);

  const post = async (words: string, rest: object = {}) =>
    (await stage().call('chat.postMessage', { channel: stage().channel, text: words, ...rest })).ts;
  const article = (words: string) => stage().page.getByRole('article').filter({ hasText: words }).first();
  const replyBox = () => stage().page.getByRole('textbox', { name: 'Reply in thread' });
  const openMenu = (words: string) =>
    article(words).getByRole('button', { name: 'More actions' }).first().press('Enter');

  it('are answered in their thread, by keyboard', async () => {
    const ts = await post('The live card');
    await openMenu('The live card');
    await stage().page.getByRole('menuitem', { name: 'Reply in thread' }).press('Enter');
    await replyBox().pressSequentially('On it');
    await replyBox().press('Enter');
    const thread = article('The live card').getByRole('region', { name: 'Thread' });
    await thread.getByText('On it').waitFor();
    expect(await thread.getByText('1 reply').count()).toBe(1);
    expect(await replyBox().inputValue()).toBe('');
    expect(stage().slack.snapshot(alex).messages.at(-1)).toMatchObject({ text: 'On it', thread_ts: ts });
    await replyBox().press('Escape');
    await thread.getByRole('button', { name: 'Reply…' }).waitFor();
  });

  it('keep a reply that could not be sent, and say why', async () => {
    await post('The live card');
    await openMenu('The live card');
    await stage().page.getByRole('menuitem', { name: 'Reply in thread' }).press('Enter');
    stage().spoil();
    await stage().slack.close();
    await replyBox().fill('Lost?');
    await replyBox().press('Enter');
    await stage().page.getByRole('alert').filter({ hasText: 'The sandbox didn’t answer.' }).waitFor();
    expect(await replyBox().inputValue()).toBe('Lost?');
  });

  it('keep their place and their thread when the app changes them', async () => {
    const ts = await post('A link was given');
    await stage().call('chat.postMessage', { channel: stage().channel, text: 'Detail', thread_ts: ts });
    await post('Something else');
    await stage().call('chat.update', { channel: stage().channel, ts, text: 'The session ended' });
    const changed = article('The session ended');
    await changed.getByText('(edited)').waitFor();
    expect(await changed.getByText('Detail').count()).toBe(1);
    const order = await stage().page.locator('.messages > article').allTextContents();
    expect(order.at(-2)).toContain('The session ended');
    expect(order.at(-1)).toContain('Something else');
    await stage().call('chat.delete', { channel: stage().channel, ts });
    await article('This message was deleted.').getByText('Detail').waitFor();
  });

  it('are reached by their own address, on this page', async () => {
    const { page, slack, channel } = stage();
    const first = slack.snapshot(alex).messages.find(({ text }) => text.includes('stuck at checkout'));
    const fillers = Array.from({ length: 20 }, (_, index) => post(`Filler ${index}`));
    await Promise.all(fillers);
    await post(`See <${first?.permalink}|the question>`, { channel: 'C0RANDOM003' });
    await page.getByRole('link', { name: /^random/ }).click();
    await page.getByRole('link', { name: 'the question' }).click();
    const question = article('stuck at checkout');
    await expect.poll(() => question.evaluate((element) => element.matches(':focus'))).toBe(true);
    expect(page.context().pages()).toHaveLength(1);
    expect(new URL(page.url()).hash).toBe(`#${channel}/${first?.ts}`);
    await page.getByRole('link', { name: /^random/ }).click();
    await page.goBack();
    await expect.poll(() => question.evaluate((element) => element.matches(':focus'))).toBe(true);
  });

  it('give their address to the clipboard', async () => {
    await stage().page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const ts = await post('The live card');
    await openMenu('The live card');
    await stage().page.getByRole('menuitem', { name: 'Copy link' }).press('Enter');
    const copied = () => stage().page.evaluate('navigator.clipboard.readText()');
    await expect.poll(copied).not.toBe('');
    expect(await copied()).toBe(`${stage().slack.url}/archives/${stage().channel}/p${ts.replace('.', '')}`);
  });

  it('name a user group, and where people of other organisations are from', async () => {
    await post('Ask <!subteam^S0LEADS0001>');
    await article('Ask').getByText('@support-leads').waitFor();
    await stage().page.getByRole('link', { name: 'shared-acme-globex' }).click();
    await stage().page.getByText('Shared with Globex').waitFor();
    expect(await article('account number').locator('.badge').textContent()).toBe('Globex');
  });

  it('are pressed by people of other organisations, who have no shortcuts', async () => {
    const button = { type: 'button', action_id: 'watch', text: { type: 'plain_text', text: 'Watch' } };
    const blocks = [{ type: 'actions', elements: [button] }];
    await post('Card', { channel: 'C0SHARED004', blocks });
    await stage().page.goto(`${stage().slack.url}/?as=U0ERIN00006`);
    await stage().page.getByRole('button', { name: 'Watch' }).click();
    await expect.poll(() => stage().requests.length).toBeGreaterThan(0);
    await openMenu('Watch');
    expect(await stage().page.getByRole('menuitem').allTextContents()).toEqual([
      'Reply in thread',
      'Copy link',
    ]);
    expect(await stage().page.getByRole('link', { name: 'Co-browse' }).count()).toBe(0);
  });
});

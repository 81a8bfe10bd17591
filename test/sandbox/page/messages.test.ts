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

  it('name a user group, and where people of other organisations are from', async () => {
    await post('Ask <!subteam^S0LEADS0001>');
    await article('Ask').getByText('@support-leads').waitFor();
    await stage().page.getByRole('link', { name: 'shared-acme-globex' }).click();
    await stage().page.getByText('Shared with Globex').waitFor();
    expect(await article('account number').locator('.badge').textContent()).toBe('Globex');
  });
});

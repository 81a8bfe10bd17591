import { describe, expect, it, onTestFinished } from 'vitest';

import { hasChromium, useChromium } from '../../support/chromium.ts';
import { freePort } from '../../support/free-port.ts';
import { openStage, shareStage } from './stage.ts';

const hostile = '<!channel> *x* <https://evil.example|click> <img src=x onerror=alert(1)>';
const plain = (text: string) => ({ type: 'plain_text', text });
const button = (label: string, more: object = {}) => ({
  type: 'button',
  action_id: label.toLowerCase(),
  text: plain(label),
  ...more,
});
const confirm = {
  title: plain('Stop it?'),
  text: plain('It ends.'),
  confirm: plain('End it'),
  deny: plain('Keep it'),
};
const list = (address: string) => ({
  text: 'One visitor.',
  blocks: [
    { type: 'section', text: plain(hostile) },
    {
      type: 'actions',
      elements: [
        button('Watch', { style: 'primary', url: address }),
        button('Details'),
        button('Stop', { style: 'danger', confirm }),
      ],
    },
  ],
});

describe.skipIf(!hasChromium)('the sandbox page', () => {
  const browser = useChromium();
  const stage = shareStage(browser);

  const find = async (answerToPress: object | number = {}) => {
    const { composer, page, slack } = stage();
    stage().answerWith(({ type }) => (type === 'command' ? list(slack.url) : answerToPress));
    await composer.fill('/cobrowse find jane');
    await composer.press('Enter');
    await page.getByText('Only visible to you').waitFor();
  };

  it('shows hostile text as text', async () => {
    await find();
    const message = stage().page.getByRole('article').filter({ hasText: hostile });
    expect(await message.count()).toBe(1);
    expect(await message.locator('img, strong, .mention, a:not(.button)').count()).toBe(0);
  });

  it("shows another user's view after a switch", async () => {
    await find();
    await stage().page.getByRole('button', { name: 'You are Alex Rivera' }).click();
    await stage().page.getByRole('menuitem', { name: 'Switch to Sam Lee' }).click();
    await stage().page.getByRole('button', { name: 'You are Sam Lee' }).waitFor();
    expect(await stage().page.getByText('Only visible to you').count()).toBe(0);
  });

  it('marks a channel in which something new was said, until it is opened', async () => {
    const { page, slack } = stage();
    await slack.message({ as: 'U0SAM000002', channel: 'C0RANDOM003', text: 'Tea?' });
    await page.getByRole('link', { name: 'random (unread)' }).click();
    await page.getByText('Tea?').waitFor();
    expect(await page.getByRole('link', { name: 'random', exact: true }).count()).toBe(1);
  });

  it('no longer says that the sandbox didn’t answer once it’s connected again', async () => {
    const port = await freePort();
    const before = await openStage(browser(), { port });
    onTestFinished(() => before.close());
    const { page, slack, composer } = before;
    await slack.close();
    await composer.fill('Hello');
    await composer.press('Enter');
    const alert = page.getByRole('alert').filter({ hasText: 'The sandbox didn’t answer.' });
    await alert.waitFor();
    const after = await openStage(browser(), { port });
    onTestFinished(() => after.close());
    await page.getByText('Connecting to the sandbox again…').waitFor({ state: 'detached' });
    await alert.waitFor({ state: 'detached' });
    expect(await composer.inputValue()).toBe('Hello');
  });
});

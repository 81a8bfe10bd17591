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
  const pressed = () => stage().requests.flatMap(({ actions }) => actions.map((action) => action.action_id));

  it('completes a command by keyboard and sends it as typed', async () => {
    const { composer, requests } = stage();
    await composer.pressSequentially('/co');
    await composer.press('ArrowDown');
    await composer.press('Enter');
    expect(await composer.inputValue()).toBe('/cobrowse find ');
    await composer.pressSequentially('jane');
    await composer.press('Enter');
    await expect.poll(() => requests.length).toBeGreaterThan(0);
    expect(requests.map(({ text }) => text)).toEqual(['find jane']);
    expect(await composer.inputValue()).toBe('');
  });

  it('shows hostile text as text', async () => {
    await find();
    const message = stage().page.getByRole('article').filter({ hasText: hostile });
    expect(await message.count()).toBe(1);
    expect(await message.locator('img, strong, .mention, a:not(.button)').count()).toBe(0);
  });

  it('opens the address of a button in a new tab and sends the press too', async () => {
    await find();
    const opened = stage().page.waitForEvent('popup');
    await stage().page.getByRole('link', { name: 'Watch' }).click();
    await (await opened).close();
    await expect.poll(() => pressed().length).toBeGreaterThan(0);
    expect(pressed()).toEqual(['watch']);
  });

  it('asks before a press that wants it', async () => {
    await find();
    const stop = stage().page.getByRole('button', { name: 'Stop' });
    const question = stage().page.getByRole('dialog', { name: 'Stop it?' });
    await stop.click();
    await question.getByRole('button', { name: 'Keep it' }).click();
    expect(await question.count()).toBe(0);
    await stop.click();
    await question.getByRole('button', { name: 'End it' }).click();
    await expect.poll(() => pressed().length).toBeGreaterThan(0);
    expect(pressed()).toEqual(['stop']);
  });

  it('says so when a press is not acknowledged', async () => {
    await find(500);
    await stage().page.getByRole('button', { name: 'Details' }).click();
    const warning = stage().page.getByText('Slack did not get an answer');
    await warning.waitFor();
    expect(await warning.count()).toBe(1);
  });

  it('forgets ephemeral messages on reload', async () => {
    await find();
    await stage().page.reload();
    await stage().composer.waitFor();
    expect(await stage().page.getByText('Only visible to you').count()).toBe(0);
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

  it('opens the menu of a message beside its button', async () => {
    const { page } = stage();
    const more = page.getByRole('button', { name: 'More actions' }).first();
    await more.press('Enter');
    await page.getByRole('menuitem', { name: 'Find visitor' }).waitFor();
    const above = await more.boundingBox();
    const below = await page.getByRole('menu').boundingBox();
    const gap = (below?.y ?? 0) - (above?.y ?? 0) - (above?.height ?? 0);
    expect(gap).toBeGreaterThanOrEqual(0);
    expect(gap).toBeLessThan(20);
  });

  it('shows the first channel for an address that names none', async () => {
    const { composer, page, slack } = stage();
    await page.goto(`${slack.url}/?as=U0ALEX00001#%E0%A4`);
    await composer.waitFor();
    expect(await composer.count()).toBe(1);
  });

  it('keeps text that could not be sent and says why', async () => {
    const { composer, page, slack } = stage();
    stage().spoil();
    await slack.close();
    await composer.fill('Hello');
    await composer.press('Enter');
    await page.getByRole('alert').filter({ hasText: 'The sandbox didn’t answer.' }).waitFor();
    expect(await composer.inputValue()).toBe('Hello');
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

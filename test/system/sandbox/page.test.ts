import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { hasChromium, useChromium } from '../../support/chromium.ts';
import { freePort } from '../../support/free-port.ts';
import { alex, plain, sam, section } from '../../sandbox/slack/tiny-app.ts';
import { openStage, useStage } from '../../sandbox/page/stage.ts';

const hostile = '<!channel> *x* <https://evil.example|click> <img src=x onerror=alert(1)>';
const random = 'C0RANDOM003';
const home = {
  type: 'home',
  blocks: ['Co-browsing', 'Online now'].map((words) => ({ type: 'header', text: plain(words) })),
};

/** Rules of axe, two of which it leaves out by itself. */
const rules = ['heading-order', 'label-content-name-mismatch', 'bypass', 'page-has-heading-one'];
const AXE = await readFile(new URL('../../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');
const Found = z.object({ violations: z.array(z.object({ id: z.string() })) });

describe.skipIf(!hasChromium)('the sandbox page', () => {
  const browser = useChromium();
  const stage = useStage(browser);

  const role = (...named: Parameters<ReturnType<typeof stage>['page']['getByRole']>) =>
    stage().page.getByRole(...named);
  const post = (text: string, rest: object = {}) =>
    stage().call('chat.postMessage', { channel: stage().channel, text, ...rest });
  const article = (words: string) => role('article').filter({ hasText: words }).first();
  const isFocused = (locator: ReturnType<typeof role>) =>
    locator.evaluate((element) => element.matches(':focus'));
  const problems = async () => {
    const enabled = Object.fromEntries(rules.map((rule) => [rule, { enabled: true }]));
    const options = JSON.stringify({ runOnly: { type: 'rule', values: rules }, rules: enabled });
    await stage().page.evaluate(AXE);
    return Found.parse(await stage().page.evaluate(`axe.run(document, ${options})`)).violations;
  };

  it('shows hostile text as text, and another user’s view after a switch', async () => {
    stage().answerWith(() => ({ text: 'One visitor.', blocks: [section(hostile)] }));
    await stage().composer.fill('/cobrowse find jane');
    await stage().composer.press('Enter');
    const whispered = stage().page.getByText('Only visible to you');
    await whispered.waitFor();
    const message = article(hostile);
    expect(await message.count()).toBe(1);
    expect(await message.locator('img, strong, .mention, a:not(.button)').count()).toBe(0);
    await role('button', { name: 'You are Alex Rivera' }).click();
    await role('menuitem', { name: 'Switch to Sam Lee' }).click();
    await role('button', { name: 'You are Sam Lee' }).waitFor();
    expect(await whispered.count()).toBe(0);
  });

  it('no longer says that the sandbox didn’t answer once it’s connected again', async () => {
    const port = await freePort();
    const { page, slack, composer } = await openStage(browser(), { port });
    await slack.close();
    await composer.fill('Hello');
    await composer.press('Enter');
    const alert = page.getByRole('alert').filter({ hasText: 'The sandbox didn’t answer.' });
    await alert.waitFor();
    await openStage(browser(), { port });
    await page.getByText('Connecting to the sandbox again…').waitFor({ state: 'detached' });
    await alert.waitFor({ state: 'detached' });
    expect(await composer.inputValue()).toBe('Hello');
  });

  it('leads to a message by its own address', async () => {
    const { page, slack } = stage();
    const first = slack.snapshot(alex).messages.find(({ text }) => text.includes('stuck at checkout'));
    await Promise.all(Array.from({ length: 20 }, (_, index) => post(`Filler ${index}`)));
    await post(`See <${first?.permalink}|the question>`, { channel: random });
    await role('link', { name: /^random/ }).click();
    await role('link', { name: 'the question' }).click();
    const question = article('stuck at checkout');
    await expect.poll(() => isFocused(question)).toBe(true);
    expect(page.context().pages()).toHaveLength(1);
    await role('link', { name: /^random/ }).click();
    await page.goBack();
    await expect.poll(() => isFocused(question)).toBe(true);
  });

  it('tells the app each time its Home is opened, and has a tab for messages, which it may not accept', async () => {
    const { page, composer } = stage();
    const publishing: Promise<unknown>[] = [];
    // As a real app does: a Home is published when it is opened.
    stage().answerWith(({ event }) => {
      if (event?.['tab'] === 'home')
        publishing.push(stage().call('views.publish', { user_id: alex, view: home }));
      return {};
    });
    const openHome = async () => {
      await role('link', { name: 'Co-browse' }).click();
      await role('heading', { name: 'Online now', level: 2 }).waitFor();
    };
    const opened = () => stage().requests.flatMap(({ event }) => event?.['tab'] ?? []);
    expect(await problems()).toEqual([]);
    await openHome();
    expect(await problems()).toEqual([]);
    await role('link', { name: 'support', exact: true }).click();
    await composer.waitFor();
    await openHome();
    await expect.poll(opened).toEqual(['home', 'home']);
    await role('tab', { name: 'Home' }).press('ArrowRight');
    await page.getByText('Sending messages to this app has been turned off.').waitFor();
    expect(await role('tab', { name: 'Messages' }).getAttribute('aria-selected')).toBe('true');
    expect(await page.locator(':focus').textContent()).toContain('Messages');
    expect(await role('textbox').count()).toBe(0);
    await expect.poll(opened).toEqual(['home', 'home', 'messages']);
    await Promise.all(publishing);
  });

  it('offers a shared file for download', async () => {
    const { page, call, channel } = stage();
    const announced = { filename: 'sessions.jsonl', length: 9 };
    const { upload_url, file_id: id } = await call('files.getUploadURLExternal', announced);
    await fetch(upload_url, { method: 'POST', body: '{"id":1}\n' });
    const files = [{ id, title: 'All sessions' }];
    await call('files.completeUploadExternal', { files, channel_id: channel });
    const downloading = page.waitForEvent('download');
    await role('link', { name: 'All sessions' }).click();
    expect((await downloading).suggestedFilename()).toBe('sessions.jsonl');
  });
});

describe.skipIf(!hasChromium)('the first steps in the sandbox', () => {
  const browser = useChromium();
  const stage = useStage(browser, { tour: true });
  const coach = () => stage().page.getByRole('complementary', { name: 'First steps' });

  it.each([1280, 380])('cover nothing at %i px, and the newest message stays in view', async (width) => {
    const { page, slack, channel, composer } = stage();
    await page.setViewportSize({ width, height: 700 });
    await page.reload();
    await coach().getByRole('heading', { name: 'A message arrives' }).waitFor();
    for (let at = 0; at < 20; at += 1) await slack.message({ as: sam, channel, text: `Message ${at}` });
    const newest = page.getByRole('article').last();
    await newest.getByText('Message 19').waitFor();
    const boxOf = async (locator: typeof newest) => {
      const { x = 0, y = 0, width: wide = 0, height = 0 } = (await locator.boundingBox()) ?? {};
      return { left: x, right: x + wide, top: y, bottom: y + height };
    };
    const strip = await boxOf(coach());
    expect(strip.left).toBeGreaterThanOrEqual(0);
    expect(strip.right).toBeLessThanOrEqual(width);
    for (const above of [page.getByRole('log'), newest])
      expect((await boxOf(above)).bottom).toBeLessThanOrEqual(strip.top);
    expect((await boxOf(composer)).top).toBeGreaterThanOrEqual(strip.bottom);
  });
});

import { describe, expect, it, onTestFinished } from 'vitest';
import { startResettableSandbox } from '../../../sandbox/resettable-sandbox.ts';
import { hasChromium, useChromium } from '../../support/chromium.ts';

const ALEX = 'U0ALEX00001';
const SUPPORT = 'C0SUPPORT01';

describe.skipIf(!hasChromium)('a reset of the sandbox', () => {
  const browser = useChromium();

  it('puts Slack, the service and the app back to their start, and its pages with them', async () => {
    const sandbox = await startResettableSandbox({ slack: { tour: true } });
    onTestFinished(() => sandbox.close());
    const context = await browser().newContext();
    onTestFinished(() => context.close());
    const before = await sandbox.current();
    const page = await context.newPage();
    await page.goto(before.slack.url);
    const coach = page.getByRole('complementary', { name: 'First steps' });
    await coach.getByRole('button', { name: 'Close the first steps' }).click();
    await coach.waitFor({ state: 'detached' });
    await page.getByRole('textbox', { name: /^Message / }).fill('/cobrowse subscribe');
    await page.keyboard.press('Enter');
    await page.getByRole('article').nth(2).waitFor();
    await before.slack.message({ as: ALEX, channel: SUPPORT, text: 'Before' });
    before.service.addVisitor({ short_id: 'added' });
    await page.getByText('Before', { exact: true }).waitFor();
    await page.getByRole('textbox', { name: /^Message / }).fill('a draft');

    await page.getByRole('button', { name: /^You are/ }).click();
    await page.getByRole('menuitem', { name: 'Reset the sandbox' }).click();
    await coach.getByRole('heading', { name: 'A message arrives' }).waitFor();
    const after = await sandbox.current();
    expect(await page.getByRole('article').count()).toBe(2);
    expect(await page.getByRole('textbox', { name: /^Message / }).inputValue()).toBe('');
    expect([after.slack.url, after.service.url]).toEqual([before.slack.url, before.service.url]);
    const headers = { 'x-api-key': after.service.apiKey };
    expect((await fetch(`${after.service.url}/v1.3/visitors/added`, { headers })).status).toBe(404);
    await page.getByRole('textbox', { name: /^Message / }).fill('/cobrowse subscriptions');
    await page.keyboard.press('Enter');
    await page.getByText('No channel you can see has a subscription').waitFor();
  });
});

import { describe, expect, it, onTestFinished } from 'vitest';
import { startResettableSandbox } from '../../../sandbox/resettable-sandbox.ts';
import { startSandbox } from '../../../sandbox/sandbox.ts';
import { problemsInBothColors } from '../../support/axe.ts';
import { hasChromium, useChromium } from '../../support/chromium.ts';
import { ALEX, SUPPORT, personIn } from '../../support/person.ts';

describe.skipIf(!hasChromium)('the sandbox in the browser', () => {
  const browser = useChromium();

  it('shows a session’s webhooks as they arrive, without an account', async () => {
    const sandbox = await startSandbox({ sendsWebhooks: true, paceMs: 0 });
    onTestFinished(() => sandbox.close());
    const context = await browser().newContext({ viewport: { width: 1280, height: 900 } });
    onTestFinished(() => context.close());
    const page = await context.newPage();
    await page.goto(sandbox.receiver.url);
    await page.getByText('Nothing has arrived yet.').waitFor();
    const alex = personIn(sandbox, ALEX);
    await alex.watch(await alex.type('/cobrowse watch jane4821'));
    const opened = page.getByRole('listitem').filter({ hasText: 'watch_link.opened' });
    await opened.getByText('Verified', { exact: true }).waitFor();
    expect(await opened.innerText()).toContain('"name": "Jane Cooper"');

    await page.getByLabel('Answer with').selectOption('500');
    const saved = page.waitForResponse((response) => response.request().method() === 'POST');
    await page.getByRole('button', { name: 'Save' }).click();
    await saved;
    await fetch(sandbox.receiver.address, { method: 'POST', body: '<img src=x onerror=alert(1)>' });
    const hostile = page.getByRole('listitem').filter({ hasText: 'no JSON' });
    await hostile.getByText('answered 500').waitFor();
    expect(await hostile.innerText()).toContain('<img src=x onerror=alert(1)>');
    await hostile.getByText('Not verified').waitFor();
    expect(await problemsInBothColors(page)).toEqual([]);
  });

  it('puts Slack, the service, the app and its pages back to their start when it’s reset', async () => {
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

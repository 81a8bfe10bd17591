import { describe, expect, it, onTestFinished } from 'vitest';
import { startSandbox } from '../../../sandbox/sandbox.ts';
import { problemsInBothColors } from '../../support/axe.ts';
import { hasChromium, useChromium } from '../../support/chromium.ts';
import { ALEX, personIn } from '../../support/person.ts';

describe.skipIf(!hasChromium)('the page of what arrived', () => {
  const browser = useChromium();

  it('shows the session’s webhooks as they arrive, without an account', async () => {
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
});

import { describe, expect, it, onTestFinished } from 'vitest';
import { problemsInBothColors, problemsOn } from '../../support/axe.ts';
import { hasChromium, useChromium } from '../../support/chromium.ts';
import { openTwoPages } from '../../sandbox/live/two-pages.ts';

/** The snippet's closed roots are opened for axe alone. */
const openRoots = `{
  const attach = Element.prototype.attachShadow;
  Element.prototype.attachShadow = function (options) { return attach.call(this, { ...options, mode: 'open' }); };
}`;

describe.skipIf(!hasChromium)('the pages of the live view, to axe-core', () => {
  const browser = useChromium();

  it.each([
    [1280, 'light'],
    [320, 'dark'],
  ] as const)('are clean at %i px in %s colors, at each step', async (width, colorScheme) => {
    const { visitor, agent, agree, lend, banner } = await openTwoPages(browser(), {
      viewport: { width, height: 760 },
    });
    for (const page of [visitor, agent]) await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await agent.getByText('to agree').waitFor();
    expect(await problemsOn(agent)).toEqual([]);
    await agree();
    await agent.getByText('About Jane Cooper').click();
    expect(await problemsOn(agent)).toEqual([]);
    expect(await problemsOn(visitor)).toEqual([]);
    await lend();
    expect(await problemsOn(agent)).toEqual([]);
    await banner.press('Stop');
    await agent.getByRole('heading', { name: 'Session ended' }).waitFor();
    expect(await problemsOn(agent)).toEqual([]);
    for (const page of [visitor, agent]) {
      const wide = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      expect(wide).toBeLessThanOrEqual(0);
    }
  });

  it('the shop and what the snippet asks are clean', async () => {
    const { service, shopUrl, agent } = await openTwoPages(browser());
    const context = await browser().newContext({ bypassCSP: true });
    onTestFinished(() => context.close());
    await context.addInitScript(openRoots);
    const page = await context.newPage();
    for (const path of ['/', '/cart', '/help', '/thanks']) {
      await page.goto(`${shopUrl}${path}`);
      expect(await problemsInBothColors(page)).toEqual([]);
    }
    await page.goto(`${shopUrl}/checkout#visitor=${service.visitorToken('jane4821')}`);
    await page.reload();
    expect(await problemsInBothColors(page)).toEqual([]);
    await page.getByRole('button', { name: 'Show this page' }).click();
    await page.getByText('can see this page').waitFor();
    expect(await problemsInBothColors(page)).toEqual([]);
    await agent.getByRole('button', { name: 'Ask for control' }).click();
    await page.getByRole('button', { name: 'Allow' }).waitFor();
    expect(await problemsInBothColors(page)).toEqual([]);
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByText('has control').waitFor();
    expect(await problemsInBothColors(page)).toEqual([]);
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('How was it?').waitFor();
    expect(await problemsInBothColors(page)).toEqual([]);
  });
});

import type { Locator } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { hasChromium, useChromium } from '../../support/chromium.ts';
import { shareJourney } from './stage.ts';

const script = '"><img src=x onerror=alert(1)><script>alert(2)</script>';
const spoofed = '<!channel> *bold* <https://evil.example|click> &lt;b&gt; ${7*7} </textarea>';

/** Whatever a visitor's text could have become. */
const injected = (place: Locator) =>
  place.locator('img, iframe, script:not([src^="/"]), [onerror], [onfocus], em, .mention, a[href*="evil"]');

describe.skipIf(!hasChromium)('visitors who try to break what shows them', () => {
  const journey = shareJourney(useChromium());

  beforeAll(() => {
    const { addVisitor } = journey().sandbox.service;
    const common = { is_online: true, email: `hostile" onfocus="alert(3)@evil.example` };
    addVisitor({ ...common, short_id: 'html', identities: [`Html ${script}`], nickname: script });
    // Whose button nobody else presses: two presses within a second would be one double click.
    addVisitor({ ...common, short_id: 'stopped', identities: [spoofed] });
    addVisitor({
      ...common,
      short_id: 'spoof',
      identities: [spoofed],
      tags: ['<!here>', script],
      last_url: `https://shop.acme.example/${encodeURIComponent(script)}?q=<!everyone>#${script}`,
      location_city: '<@U0SAM000002>',
      device_name: script,
      browser_name: '<#C0SALES0002>',
    });
  });

  it.each([
    ['html', `Html ${script}`],
    ['spoof', spoofed],
  ])('shows the text of %s as it is, from the list to the summary', async (id, name) => {
    const { ask, watch, article } = journey();
    const list = await ask('/cobrowse find evil.example');
    // Long names are complete on the card.
    expect(await list.innerText()).toContain(name.slice(0, 30));
    expect(await injected(list).count()).toBe(0);

    const card = await ask(`/cobrowse visitor ${id}`);
    expect(await card.innerText()).toContain(name);
    expect(await injected(card).count()).toBe(0);

    const view = await watch(card);
    expect(await view.title()).toBe(`${name} · Live view`);
    // The view's own pane with the shop is no picture of what a visitor wrote.
    expect(await injected(view.locator('body')).and(view.locator(':not(iframe[title])')).count()).toBe(0);
    await view.getByRole('button', { name: 'End session' }).click();

    const summary = article('asked to see the screen').filter({ hasText: name });
    await summary.waitFor();
    expect(await injected(summary).allInnerTexts()).toEqual([]);
  });

  it('shows hostile text in the question before a stop and in its answer as it is', async () => {
    const { page, ask, watch, modal } = journey();
    const view = await watch(await ask('/cobrowse watch stopped'));
    await view.getByRole('button', { name: 'End session' }).waitFor();
    const card = await ask('/cobrowse stop stopped');
    await card.getByRole('button', { name: /^Stop/ }).click();
    const question = modal('Stop session');
    await question.getByLabel('Reason').waitFor();
    expect(await question.innerText()).toContain(spoofed);
    expect(await injected(question).count()).toBe(0);
    await question.getByRole('button', { name: 'Stop session' }).click();
    const answer = page.getByRole('dialog').filter({ hasText: 'was stopped by' });
    await answer.waitFor();
    expect(await answer.innerText()).toContain(spoofed);
    expect(await answer.locator('.mention').allInnerTexts()).toEqual(['@Alex Rivera']);
    await view.close();
  });

  it('keeps the reading direction and the width of the page, whatever a name holds', async () => {
    const { page, ask } = journey();
    await page.setViewportSize({ width: 390, height: 780 });
    const list = await ask('/cobrowse find online');
    expect(await list.innerText()).toContain('Longname Longname');
    const bob = await ask('/cobrowse visitor rtl2');
    expect(await bob.innerText()).toContain('Bob gpj.exe');
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  });
});

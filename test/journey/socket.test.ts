import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hasChromium, useChromium } from '../support/chromium.ts';
import { openJourney } from './stage.ts';
import type { Journey } from './stage.ts';

describe.skipIf(!hasChromium)('Watch in Socket Mode without a public address', () => {
  const browser = useChromium();
  let journey: Journey;

  beforeEach(async () => {
    journey = await openJourney(browser(), {
      // Beside other work, finding the link in a browser and opening it may take some seconds.
      sandbox: { socketMode: true, service: { watchLinkLifetimeMs: 10_000 } },
    });
  });
  afterEach(() => journey.close());

  it('answers with a link for one person, opens it, and takes it back when it has run out', async () => {
    const { page, ask, opening } = journey;
    const list = await ask('/cobrowse find jane@acme.com');
    await list.getByRole('button', { name: 'Watch the screen of Jane Cooper' }).press('Enter');
    const open = page.getByRole('link', { name: 'Open the live view of Jane Cooper' });
    await open.waitFor();
    expect(await page.getByRole('article').filter({ has: open }).innerText()).toContain(
      'Only visible to you',
    );
    const view = await opening(() => open.press('Enter'));
    await view.getByRole('heading', { name: 'Jane Cooper' }).waitFor();
    await view.getByRole('button', { name: 'End session' }).click();
    await view.getByRole('heading', { name: 'Session ended' }).waitFor();
    await page.getByText('The link expired. Press Watch for a new one.').waitFor();
    expect(await open.count()).toBe(0);
    expect(await page.content()).not.toContain(view.url());
    await page.getByRole('button', { name: 'Watch the screen of Jane Cooper' }).press('Enter');
    // Nobody has told the app yet that the session ended.
    await page.getByRole('button', { name: 'Open another: get my link to the live view' }).press('Enter');
    await open.waitFor();
    expect(await open.getAttribute('href')).not.toBe(view.url());
  });
});

import { describe, expect, it } from 'vitest';
import { problemsOn } from '../../support/axe.ts';
import { hasChromium, useChromium } from '../../support/chromium.ts';
import { agreeIn, shareJourney, tabTo } from './stage.ts';

describe.skipIf(!hasChromium)('least access in the browser, in dark colors', () => {
  const journey = shareJourney(useChromium(), { colorScheme: 'dark' });

  it('leads from the menu beside Watch, by keyboard, over the live card to the summary and its thread', async () => {
    const { page, ask, opening, article } = journey();
    const offer = await ask('/cobrowse watch jane4821');
    const menu = offer.locator('[aria-haspopup="menu"]').first();
    await tabTo(page, menu, 'Shift+Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Watch: view only' }).waitFor();
    await page.keyboard.press('ArrowDown');
    const chosen = page.getByRole('menuitem', { name: 'Watch: point and scroll' });
    expect(await chosen.evaluate((element) => element.matches(':focus'))).toBe(true);
    const view = await opening(() => page.keyboard.press('Enter'));
    await view.getByRole('heading', { name: 'Jane Cooper' }).waitFor();
    const card = article('Alex Rivera asked to see Jane Cooper’s screen · ');
    await card.getByText('Point and scroll.').waitFor();
    expect(await card.getByRole('button', { name: 'Stop session with Jane Cooper' }).count()).toBe(1);
    expect(await problemsOn(page)).toEqual([]);
    await agreeIn(view);
    await view.getByRole('button', { name: 'End session' }).press('Enter');
    const summary = article('Co-browsing session ended').filter({ hasText: 'Point and scroll' });
    await summary.waitFor();
    expect(await card.count()).toBe(0);
    expect(await summary.innerText()).toMatch(/Started:\s+Today at/);
  });
});

import { afterEach, describe, expect, it } from 'vitest';
import { hasChromium, useChromium } from '../support/chromium.ts';
import { faintTexts } from './readability.ts';
import { openJourney } from './stage.ts';
import type { Journey } from './stage.ts';

describe.skipIf(!hasChromium)('what a person sees', () => {
  const browser = useChromium();
  let journey: Journey;

  afterEach(() => journey.close());

  it.each(['light', 'dark'] as const)('is readable in %s colors', async (colorScheme) => {
    journey = await openJourney(browser(), { colorScheme });
    const { page, composer, ask, opening } = journey;
    const body = page.locator('body');
    await composer.fill('/');
    await page.getByRole('option').first().waitFor();
    expect(await faintTexts(body)).toEqual([]);
    await ask('/cobrowse help');
    await ask('/cobrowse agent @alex');
    const list = await ask('/cobrowse find online');
    expect(await faintTexts(body)).toEqual([]);
    const message = page.getByRole('article').filter({ hasText: 'lookup code 9034' });
    await message.getByRole('button', { name: 'More actions' }).last().press('Enter');
    await page.getByRole('menuitem', { name: 'Find visitor' }).waitFor();
    expect(await faintTexts(body)).toEqual([]);
    await page.getByRole('menuitem', { name: 'Find visitor' }).press('Enter');
    await page.getByRole('textbox', { name: 'Search for' }).waitFor();
    expect(await faintTexts(page.getByRole('dialog'))).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });

    const watch = list.getByRole('link', { name: 'Watch the screen of Jane Cooper' });
    const view = await opening(() => watch.click());
    await view.getByText('Waiting for Jane to agree').waitFor();
    expect(await faintTexts(view.locator('body'))).toEqual([]);
    await view.getByRole('button', { name: 'End session' }).click();
    await view.getByRole('heading', { name: 'Session ended' }).waitFor();
    expect(await faintTexts(view.locator('body'))).toEqual([]);
    await page.getByText('Jane Cooper didn’t accept').waitFor();
    expect(await faintTexts(body)).toEqual([]);
  });

  it('fits a narrow window', async () => {
    journey = await openJourney(browser());
    const { page, ask, opening } = journey;
    const fits = 'document.documentElement.scrollWidth <= innerWidth';
    await page.setViewportSize({ width: 360, height: 640 });
    await ask('/cobrowse help');
    await ask('/cobrowse usage');
    const list = await ask('/cobrowse find');
    expect(await page.evaluate(fits)).toBe(true);
    const view = await opening(() =>
      list
        .getByRole('link', { name: /^Watch/ })
        .first()
        .click(),
    );
    await view.setViewportSize({ width: 360, height: 640 });
    expect(await view.evaluate(fits)).toBe(true);
  });
});

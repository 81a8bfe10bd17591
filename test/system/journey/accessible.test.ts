import { describe, expect, it } from 'vitest';
import { problemsInWindows, problemsOn } from '../../support/axe.ts';
import { hasChromium, useChromium } from '../../support/chromium.ts';
import { shareJourney } from './stage.ts';

describe.skipIf(!hasChromium)('the sandbox, to axe-core', () => {
  const journey = shareJourney(useChromium());

  it('is clean at every width, and in both colors', async () => {
    const { page, composer, ask, opening, article } = journey();
    const problems: string[] = [];
    async function look(at: string): Promise<void> {
      for (const problem of await problemsInWindows(page)) problems.push(`${at} ${problem}`);
      await page.setViewportSize({ width: 1280, height: 800 });
    }

    await composer.fill('/');
    await page.getByRole('option').first().waitFor();
    await look('the channel and its commands');
    await ask('/cobrowse help');
    await ask('/cobrowse agent @alex');
    await ask('/cobrowse usage');
    const list = await ask('/cobrowse find online');
    const message = article('lookup code 9034');
    await message.getByRole('button', { name: 'More actions' }).last().press('Enter');
    await page.getByRole('menuitem', { name: 'Find visitor' }).waitFor();
    expect(await problemsOn(page)).toEqual([]);
    await page.getByRole('menuitem', { name: 'Find visitor' }).press('Enter');
    await page.getByRole('textbox', { name: 'Search for' }).waitFor();
    await look('a form');
    await page.keyboard.press('Escape');
    await opening(() => list.getByRole('link', { name: 'Watch the screen of Jane Cooper' }).click());
    await page.getByText('asked to see Jane Cooper’s screen').waitFor();
    await look('answers and a card');
    await page.getByRole('link', { name: 'Co-browse' }).first().click();
    await page.getByRole('tabpanel', { name: 'Home' }).getByRole('heading').first().waitFor();
    await look('the Home tab');
    expect(problems).toEqual([]);
  });
});

import { describe, expect, it } from 'vitest';
import { hasChromium, useChromium } from '../../support/chromium.ts';
import { agreeIn, shareJourney, tabTo } from './stage.ts';

describe.skipIf(!hasChromium)('the main job in the browser', () => {
  const journey = shareJourney(useChromium(), { colorScheme: 'dark' });

  it('goes from a completed command over Watch to the summary by keyboard alone', async () => {
    const { page, composer, opening, sandbox, article } = journey();
    await tabTo(page, composer);
    await page.keyboard.type('/cobrowse f');
    await page.keyboard.press('Tab');
    expect(await composer.inputValue()).toBe('/cobrowse find ');
    await page.keyboard.type('jane');
    await page.keyboard.press('Enter');
    await tabTo(page, page.getByRole('link', { name: 'Watch the screen of Jane Cooper' }), 'Shift+Tab');
    const view = await opening(() => page.keyboard.press('Enter'));
    await view.getByRole('heading', { name: 'Jane Cooper' }).waitFor();
    await agreeIn(view);
    await tabTo(view, view.getByRole('button', { name: 'Pointer' }));
    await view.keyboard.press('Enter');
    await view.getByText('Pointer is on').waitFor();
    await tabTo(view, view.getByRole('group', { name: 'Jane Cooper’s page' }));
    await view.keyboard.press('ArrowDown');
    await view.keyboard.press('Enter');
    await view.getByText('Highlighted for Jane').waitFor();
    await tabTo(view, view.getByRole('button', { name: 'End session' }), 'Shift+Tab');
    await view.keyboard.press('Enter');
    await view.getByRole('heading', { name: 'Session ended' }).waitFor();
    const summary = article('Co-browsing session ended');
    await summary.waitFor();
    expect(await summary.innerText()).toMatch(
      /Jane Cooper with Alex Rivera · \d+ s\s+Co-browsing session ended[^]*Tools used\s+pointer/,
    );
    expect(await summary.innerText()).not.toContain('Only visible to you');
    expect(await page.content()).not.toContain(view.url());
    expect(JSON.stringify(sandbox.slack.calls)).not.toContain(view.url());
  });
});

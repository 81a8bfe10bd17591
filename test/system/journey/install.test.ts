import { describe, expect, it } from 'vitest';
import { problemsInBothColors, problemsOn } from '../../support/axe.ts';
import { hasChromium, useChromium } from '../../support/chromium.ts';
import { agreeIn, shareJourney, tabTo } from './stage.ts';

describe.skipIf(!hasChromium)('two workspaces in the browser', () => {
  const journey = shareJourney(useChromium(), { sandbox: { workspaces: 2 } });

  const named = (...name: Parameters<ReturnType<typeof journey>['page']['getByRole']>) =>
    journey().page.getByRole(...name);

  it('install the app, are switched between, use it and remove it, by keyboard', async () => {
    const { page, composer, ask, opening } = journey();
    expect(await problemsInBothColors(page)).toEqual([]);

    await tabTo(page, named('link', { name: 'Install Co-browse' }), 'Shift+Tab');
    const consent = await opening(() => page.keyboard.press('Enter'));
    await consent.getByRole('heading', { name: 'Co-browse wants to access Acme' }).waitFor();
    await consent.getByText('You’re signed in as Alex Rivera.').waitFor();
    expect(await problemsInBothColors(consent)).toEqual([]);
    await consent.setViewportSize({ width: 320, height: 600 });
    expect(await problemsOn(consent)).toEqual([]);
    await consent.getByRole('button', { name: 'Allow' }).press('Enter');
    await consent.getByRole('heading', { name: 'Co-browse is installed' }).waitFor();
    await consent.close();

    await named('link', { name: 'Co-browse', exact: true }).waitFor();
    await composer.fill('/invite @cobrowse');
    await composer.press('Enter');
    await page.getByText('The app is not in this channel').waitFor({ state: 'detached' });
    const list = await ask('/cobrowse find jane@acme.com');
    const view = await opening(() =>
      list.getByRole('link', { name: 'Watch the screen of Jane Cooper' }).press('Enter'),
    );
    await agreeIn(view);
    await view.getByRole('button', { name: 'End session' }).press('Enter');
    const summary = named('article').filter({ hasText: 'Co-browsing session ended' });
    await summary.waitFor();

    await tabTo(page, named('button', { name: 'Workspace: Acme' }), 'Shift+Tab');
    await page.keyboard.press('Enter');
    await named('menuitem', { name: 'Switch to Umbrella' }).waitFor();
    expect(await problemsOn(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await named('button', { name: 'Workspace: Umbrella' }).waitFor();
    expect(await page.title()).toBe('#support - Umbrella');
    await composer.fill('/cobrowse find jane');
    await composer.press('Enter');
    await page.getByText('/cobrowse is not a valid command.').waitFor();
    expect(await summary.count()).toBe(0);

    const second = await opening(() => named('link', { name: 'Install Co-browse' }).press('Enter'));
    await second.getByRole('heading', { name: 'Co-browse wants to access Umbrella' }).waitFor();
    await second.getByRole('button', { name: 'Allow' }).press('Enter');
    await second.getByText('It’s now in Umbrella.').waitFor();
    await second.close();
    await (await ask('/cobrowse find jane@acme.com')).getByText('Jane Cooper').first().waitFor();

    await named('link', { name: 'Co-browse', exact: true }).press('Enter');
    await named('button', { name: 'Settings of Co-browse' }).press('Enter');
    await named('menuitem', { name: 'Remove app' }).press('Enter');
    const question = named('dialog', { name: 'Remove Co-browse from Umbrella?' });
    await question.waitFor();
    expect(await problemsOn(page)).toEqual([]);
    await question.getByRole('button', { name: 'Remove app' }).press('Enter');
    await named('link', { name: 'Install Co-browse' }).waitFor();
  });
});

import { describe, expect, it } from 'vitest';

import { hasChromium, useChromium } from '../../support/chromium.ts';
import { shareStage } from './stage.ts';

describe.skipIf(!hasChromium)('the settings on the sandbox page', () => {
  const browser = useChromium();
  const stage = shareStage(browser);

  const choose = async (menu: string | RegExp, item: string) => {
    await stage().page.getByRole('button', { name: menu }).click();
    await stage().page.getByRole('menuitem', { name: item }).click();
  };
  const inChannel = (item: string) => choose('Settings of #support', item);

  it('archive a channel and bring it back', async () => {
    const { page, composer } = stage();
    await inChannel('Archive this channel');
    await page.getByText('This channel is archived, so nobody can post in it.').waitFor();
    expect(await composer.count()).toBe(0);
    await inChannel('Unarchive this channel');
    await composer.waitFor();
  });
});

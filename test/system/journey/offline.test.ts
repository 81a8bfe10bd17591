import { describe, expect, it } from 'vitest';
import { hasChromium, useChromium } from '../../support/chromium.ts';
import { agreeIn, shareJourney, tabTo } from './stage.ts';

describe.skipIf(!hasChromium)('the watch page of somebody who is offline', () => {
  const journey = shareJourney(useChromium());

  it('opens their page only when told to, by keyboard, and leaves them offline afterwards', async () => {
    const { ask, watch, sandbox, context } = journey();
    const view = await watch(await ask('/cobrowse watch amara7'));
    await view.locator('#hint').filter({ hasText: 'Amara Okafor is offline.' }).waitFor();
    expect(await view.locator('#state').innerText()).toBe('Waiting for Amara Okafor.');
    await tabTo(view, view.getByRole('button', { name: 'Open Amara Okafor’s page' }));
    await view.keyboard.press('Enter');
    await agreeIn(view);
    await view.close();
    await expect.poll(() => sandbox.service.sessions()[0]?.ended_at).not.toBe(null);
    expect(context.pages()).toHaveLength(1);
    const answer = await ask('/cobrowse find amara');
    expect(await answer.innerText()).toContain('Offline');
  });
});

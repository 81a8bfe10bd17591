import { describe, expect, it } from 'vitest';
import { alexInSupport, endedSession } from '../../sessions/ended-session.ts';
import { webhooksOf } from '../../sessions/webhook-stage.ts';
import { hasChromium, useChromium } from '../../support/chromium.ts';
import { ALEX } from '../../support/person.ts';
import { shareJourney } from './stage.ts';

describe.skipIf(!hasChromium)('the pages of summaries in trouble', () => {
  const journey = shareJourney(useChromium());

  it('are turned by the keyboard, and the focus stays on the button', async () => {
    const { page, sandbox } = journey();
    sandbox.slack.changePerson(ALEX, { admin: true });
    const webhooks = webhooksOf(sandbox);
    for (let number = 10; number < 31; number += 1) {
      const link = { ...alexInSupport, channelId: `C0GONE000${number}`, linkId: `gone-${number}` };
      await webhooks.send(endedSession(`gone-${number}`), { to: webhooks.address(link) });
    }
    const given = () => sandbox.slack.snapshot(ALEX).messages.filter(({ text }) => text.includes('/invite'));
    // Each was told to Alex instead.
    await expect.poll(() => given().length).toBe(21);
    await page.getByRole('link', { name: 'Co-browse' }).first().click();
    const next = page.getByRole('button', { name: 'Next summaries' });
    await next.focus();
    await page.keyboard.press('Enter');
    await page.getByText('20. ').waitFor();
    expect(await page.getByText('And 10 before these, 1 after.').isVisible()).toBe(true);
    await expect
      .poll(() => next.evaluate((button) => button === button.ownerDocument.activeElement))
      .toBe(true);
  });
});

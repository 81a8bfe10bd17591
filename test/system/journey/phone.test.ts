import type { Locator } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import { hasChromium, useChromium } from '../../support/chromium.ts';
import { shareJourney } from './stage.ts';

const topOf = async (place: Locator) => (await place.boundingBox())?.y ?? 0;

describe.skipIf(!hasChromium)('an answer on a phone', () => {
  const journey = shareJourney(useChromium());

  beforeEach(() => journey().page.setViewportSize({ width: 390, height: 844 }));

  /** Slack scrolls to the end of an answer, so its beginning may be above what is in sight. */
  const topOfMessages = () => topOf(journey().page.getByRole('log'));

  it('shows a whole page of customers, from its first words', async () => {
    const list = await journey().ask('/cobrowse find');
    expect(await topOf(list.getByText('Recent customers 1 to 6'))).toBeGreaterThan(await topOfMessages());
  });

  it('shows the name and Watch of a customer above all that is known of them', async () => {
    const card = await journey().ask('/cobrowse visitor jane4821');
    expect(await topOf(card.getByText('Jane Cooper').first())).toBeGreaterThan(await topOfMessages());
    const watch = await topOf(card.getByRole('link', { name: /^Watch/ }));
    expect(watch).toBeLessThan(await topOf(card.getByText('Pages seen', { exact: true })));
  });
});

import { afterEach, describe, expect, it } from 'vitest';
import { hasChromium, useChromium } from '../support/chromium.ts';
import { agreeIn, openJourney } from './stage.ts';
import type { Journey } from './stage.ts';

const FOUND = 'The end was detected automatically (no webhook arrived).';
const reconcile = { firstMs: 300, leastGapMs: 200, mostGapMs: 400, graceMs: 0 };

describe.skipIf(!hasChromium)('a summary in the browser that nobody told of', () => {
  const browser = useChromium();
  let journey: Journey;
  afterEach(() => journey.close());

  const article = (words: string) => journey.page.getByRole('article').filter({ hasText: words });

  it.each([
    [
      'of a service whose webhooks are lost',
      { service: { misbehavior: { webhooks: { drop: true } } } },
      'This message becomes the summary when the session ends.',
    ],
    [
      'in Socket Mode without a public address',
      { socketMode: true },
      'This message becomes the summary a few minutes after the session ends.',
    ],
    [
      'of an on-premise installation',
      { deployment: 'on-premise' },
      'This message becomes the summary a few minutes after the session ends.',
    ],
  ] as const)(
    '%s takes the card’s place, as it was promised, and says how it was found',
    async (_where, sandbox, promise) => {
      journey = await openJourney(browser(), { sandbox: { ...sandbox, reconcile } });
      const { page, ask, opening } = journey;
      const offer = await ask('/cobrowse watch jane4821');
      const name = 'Watch the screen of Jane Cooper';
      const button = offer.getByRole('button', { name }).or(offer.getByRole('link', { name }));
      const view = await opening(async () => {
        await button.press('Enter');
        if ('socketMode' in sandbox)
          await page.getByRole('link', { name: 'Open the live view of Jane Cooper' }).press('Enter');
      });
      await view.getByRole('heading', { name: 'Jane Cooper' }).waitFor();
      const card = article('asked to see Jane Cooper’s screen · ');
      await card.getByText(promise).waitFor();
      await agreeIn(view);
      await view.getByRole('button', { name: 'End session' }).click();
      const summary = article('Co-browsing session ended').first();
      await summary.getByText(FOUND).waitFor();
      await summary.getByRole('region', { name: 'Thread' }).getByText('Full control').waitFor();
      expect(await card.count()).toBe(0);
      expect(await article('Co-browsing session ended').count()).toBe(1);
    },
  );
});
